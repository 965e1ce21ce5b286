import { parseAmount } from '@/features/listings/amount'
import type { FieldErrors } from '@/lib/fields'
import type { Enums, Json, Tables, TablesUpdate } from '@/types/database'
import type { TFunction } from 'i18next'
import {
  AMENITIES,
  amenitiesOf,
  COOLING,
  ENUMS,
  FACINGS,
  FURNISHINGS,
  GRADES,
  INTENTS,
  OWNERSHIPS,
  POSSESSIONS,
  SUB_TYPES,
  TYPES,
} from '../labels'
import { STATES } from './places'

/** The steps of the form, in order, with the keys of their names. */
export const STEPS = {
  kind: 'lfStepKind',
  place: 'lfStepPlace',
  details: 'lfStepDetails',
  pricing: 'lfStepPricing',
  photos: 'lfStepPhotos',
  review: 'lfStepReview',
} as const
export type Step = keyof typeof STEPS
export const STEP_NAMES = Object.keys(STEPS) as Step[]
export const isStep = (value: string | null): value is Step => value !== null && Object.hasOwn(STEPS, value)

type Words = Readonly<Record<string, string>>
export type Kind =
  | { kind: 'text'; most: number; least?: number; pattern?: RegExp; lines?: number }
  /** Rupees, which people also write as '1.25 Cr'. */
  | { kind: 'amount' }
  /** `above` is a bound that is not reached itself. */
  | { kind: 'number'; whole?: boolean; above?: number; from?: number; to: number; unit?: string }
  | { kind: 'choice'; words: Words }
  /** Yes, no, or not said. */
  | { kind: 'answer' }
  | { kind: 'flag' }
  | { kind: 'date' }
  | { kind: 'flags' }
type Column = keyof TablesUpdate<'properties'>
type Rule = {
  column: Column
  step: Step
  /** The catalogue's key of what the field is called. */
  label: string
  hint?: string
  is: Kind
  /** Without it a draft cannot be saved, or a listing cannot be submitted. */
  needed?: 'draft' | 'submit'
  /** For which types it is asked; for all when it is missing. */
  types?: readonly Enums<'property_type'>[]
  intent?: Enums<'listing_intent'>
  /** Asked for those who want to say more. */
  more?: true
  /** Not called optional, because it is one of several of which one is needed, or is always answered. */
  open?: true
}

const ROOMS = ['office', 'retail', 'mixed_use'] as const
const YARDS = ['warehouse', 'industrial'] as const
const SQ_FT = 9_999_999_999
const count = (to: number, from = 0): Kind => ({ kind: 'number', whole: true, from, to })
const area: Kind = { kind: 'number', above: 0, to: SQ_FT, unit: 'lfSqFt' }

/**
 * Every field once: what the columns of `properties` take, in the order in which it is asked. The names of
 * the first are the product's; a test holds the limits to the checks of the table.
 */
export const FIELDS = {
  intent: {
    column: 'intent',
    step: 'kind',
    label: 'lfIntent',
    needed: 'draft',
    is: { kind: 'choice', words: INTENTS },
  },
  propertyType: {
    column: 'property_type',
    step: 'kind',
    label: 'fcType',
    needed: 'draft',
    is: { kind: 'choice', words: TYPES },
  },
  // Which ones are on offer depends on the type.
  subType: { column: 'sub_type', step: 'kind', label: 'fcSubType', is: { kind: 'choice', words: {} } },

  pincode: {
    column: 'pincode',
    step: 'place',
    label: 'lfPincode',
    hint: 'lfPincodeHint',
    needed: 'submit',
    is: { kind: 'text', most: 6, pattern: /^[1-9][0-9]{5}$/ },
  },
  city: { column: 'city', step: 'place', label: 'lfCity', needed: 'submit', is: { kind: 'text', most: 100 } },
  state: {
    column: 'state',
    step: 'place',
    label: 'lfState',
    needed: 'submit',
    is: { kind: 'choice', words: Object.fromEntries(STATES.map((name) => [name, name])) },
  },
  locality: {
    column: 'locality',
    step: 'place',
    label: 'lfLocality',
    hint: 'lfLocalityHint',
    needed: 'submit',
    is: { kind: 'text', most: 100 },
  },
  subLocality: {
    column: 'sub_locality',
    step: 'place',
    label: 'lfSubLocality',
    is: { kind: 'text', most: 100 },
  },
  address: {
    column: 'address',
    step: 'place',
    label: 'lfAddress',
    needed: 'submit',
    is: { kind: 'text', most: 300, lines: 2 },
  },
  lat: { column: 'lat', step: 'place', label: 'lfLat', is: { kind: 'number', from: 6, to: 38 } },
  lng: { column: 'lng', step: 'place', label: 'lfLng', is: { kind: 'number', from: 68, to: 98 } },
  locationPrecision: {
    column: 'location_precision',
    step: 'place',
    label: 'lfPrecision',
    open: true,
    is: { kind: 'choice', words: { exact: 'lfExact', locality: 'lfOnlyLocality' } },
  },

  carpetArea: { column: 'carpet_area', step: 'details', label: 'lfCarpetArea', is: area, open: true },
  builtUpArea: { column: 'built_up_area', step: 'details', label: 'lfBuiltUpArea', is: area, open: true },
  superBuiltUpArea: {
    column: 'super_built_up_area',
    step: 'details',
    label: 'fcSuperBuiltUp',
    is: area,
    more: true,
  },
  plotArea: {
    column: 'plot_area',
    step: 'details',
    label: 'fcPlot',
    is: area,
    types: [...YARDS, 'mixed_use'],
  },
  floorNumber: {
    column: 'floor_number',
    step: 'details',
    label: 'lfFloorNumber',
    hint: 'lfFloorHint',
    is: count(200, -5),
    types: ROOMS,
  },
  totalFloors: { column: 'total_floors', step: 'details', label: 'lfTotalFloors', is: count(200) },
  furnishingStatus: {
    column: 'furnishing',
    step: 'details',
    label: 'lfFurnishingStatus',
    is: { kind: 'choice', words: FURNISHINGS },
    types: ROOMS,
  },
  seats: { column: 'seats', step: 'details', label: 'fcSeats', is: count(100_000), types: ['office'] },
  cabins: { column: 'cabins', step: 'details', label: 'fcCabins', is: count(1000), types: ['office'] },
  meetingRooms: {
    column: 'meeting_rooms',
    step: 'details',
    label: 'fcMeetingRooms',
    is: count(1000),
    types: ['office'],
  },
  frontage: {
    column: 'frontage_ft',
    step: 'details',
    label: 'fcFrontage',
    is: { kind: 'number', above: 0, to: 999_999, unit: 'lfFeet' },
    types: ['retail', 'mixed_use'],
  },
  corner: {
    column: 'corner',
    step: 'details',
    label: 'fcCorner',
    is: { kind: 'answer' },
    types: ['retail', 'mixed_use'],
  },
  groundFloor: {
    column: 'ground_floor',
    step: 'details',
    label: 'prGroundFloor',
    is: { kind: 'answer' },
    types: ['retail'],
  },
  clearHeight: {
    column: 'clear_height_ft',
    step: 'details',
    label: 'fcClearHeight',
    is: { kind: 'number', above: 0, to: 9999, unit: 'lfFeet' },
    types: YARDS,
  },
  dockDoors: {
    column: 'dock_doors',
    step: 'details',
    label: 'fcDockDoors',
    is: count(1000),
    types: ['warehouse'],
  },
  floorLoad: {
    column: 'floor_load_t_per_sqm',
    step: 'details',
    label: 'fcFloorLoad',
    is: { kind: 'number', above: 0, to: 9999, unit: 'lfTonnesPerSqM' },
    types: YARDS,
  },
  truckAccess: {
    column: 'truck_access_ft',
    step: 'details',
    label: 'fcTruckAccess',
    is: { kind: 'number', above: 0, to: 9999, unit: 'lfFeet' },
    types: YARDS,
  },
  crane: {
    column: 'crane_ton',
    step: 'details',
    label: 'fcCrane',
    is: { kind: 'number', from: 0, to: 9999, unit: 'lfTonnes' },
    types: ['industrial'],
  },
  fireNoc: {
    column: 'fire_noc',
    step: 'details',
    label: 'fcFireNoc',
    is: { kind: 'answer' },
    types: YARDS,
  },
  parking: { column: 'parking_covered', step: 'details', label: 'lfParking', is: count(10_000) },
  parkingOpen: {
    column: 'parking_open',
    step: 'details',
    label: 'fcParkingOpen',
    is: count(10_000),
    more: true,
  },
  washrooms: {
    column: 'washrooms',
    step: 'details',
    label: 'fcWashrooms',
    is: count(1000),
    more: true,
  },
  pantry: {
    column: 'pantry',
    step: 'details',
    label: 'fcPantry',
    is: { kind: 'answer' },
    types: ROOMS,
    more: true,
  },
  balconies: {
    column: 'balconies',
    step: 'details',
    label: 'lfBalconies',
    is: count(20),
    types: ROOMS,
    more: true,
  },
  lifts: { column: 'lifts', step: 'details', label: 'fcLifts', is: count(200), more: true },
  powerLoad: {
    column: 'power_load_kva',
    step: 'details',
    label: 'fcPower',
    is: { kind: 'number', from: 0, to: 99_999_999, unit: 'lfKva' },
    more: true,
  },
  powerBackup: {
    column: 'power_backup',
    step: 'details',
    label: 'fcPowerBackup',
    is: { kind: 'answer' },
    more: true,
  },
  airConditioning: {
    column: 'air_conditioning',
    step: 'details',
    label: 'fcCooling',
    is: { kind: 'choice', words: COOLING },
    more: true,
  },
  buildingGrade: {
    column: 'building_grade',
    step: 'details',
    label: 'fcGrade',
    is: { kind: 'choice', words: GRADES },
    more: true,
  },
  facing: {
    column: 'facing',
    step: 'details',
    label: 'fcFacing',
    is: { kind: 'choice', words: FACINGS },
    more: true,
  },
  propertyAge: {
    column: 'property_age_years',
    step: 'details',
    label: 'lfPropertyAge',
    is: { ...count(200), unit: 'lfYears' } as Kind,
    more: true,
  },
  possession: {
    column: 'possession',
    step: 'details',
    label: 'lfPossession',
    is: { kind: 'choice', words: POSSESSIONS },
    more: true,
  },
  availableFrom: {
    column: 'available_from',
    step: 'details',
    label: 'fcAvailable',
    is: { kind: 'date' },
    more: true,
  },
  amenities: {
    column: 'amenities',
    step: 'details',
    label: 'lfAmenities',
    is: { kind: 'flags' },
    more: true,
  },
  propertyTitle: {
    column: 'title',
    step: 'details',
    label: 'lfTitle',
    hint: 'lfTitleHint',
    needed: 'submit',
    is: { kind: 'text', least: 10, most: 120 },
  },
  propertyDescription: {
    column: 'description',
    step: 'details',
    label: 'lfDescription',
    hint: 'lfDescriptionHint',
    needed: 'submit',
    is: { kind: 'text', least: 30, most: 5000, lines: 6 },
  },

  expectedPrice: {
    column: 'price',
    step: 'pricing',
    label: 'lfPrice',
    hint: 'lfPriceHint',
    is: { kind: 'amount' },
  },
  priceNegotiable: {
    column: 'price_negotiable',
    step: 'pricing',
    label: 'lfNegotiable',
    is: { kind: 'flag' },
  },
  gstExtra: { column: 'gst_extra', step: 'pricing', label: 'lfGst', is: { kind: 'flag' } },
  maintenance: {
    column: 'maintenance_monthly',
    step: 'pricing',
    label: 'lfMaintenance',
    is: { kind: 'amount' },
  },
  deposit: {
    column: 'security_deposit_months',
    step: 'pricing',
    label: 'teDeposit',
    is: { ...count(36), unit: 'lfMonths' } as Kind,
    intent: 'lease',
  },
  lockIn: {
    column: 'lock_in_months',
    step: 'pricing',
    label: 'teLockIn',
    is: { ...count(120), unit: 'lfMonths' } as Kind,
    intent: 'lease',
  },
  leaseTerm: {
    column: 'lease_term_months',
    step: 'pricing',
    label: 'teTerm',
    is: { ...count(1200, 1), unit: 'lfMonths' } as Kind,
    intent: 'lease',
  },
  escalation: {
    column: 'escalation_pct',
    step: 'pricing',
    label: 'teEscalation',
    is: { kind: 'number', from: 0, to: 30, unit: 'lfPercentYear' },
    intent: 'lease',
  },
  occupied: {
    column: 'occupied',
    step: 'pricing',
    label: 'lfOccupied',
    is: { kind: 'flag' },
    intent: 'sale',
  },
  currentRent: {
    column: 'current_rent',
    step: 'pricing',
    label: 'lfCurrentRent',
    is: { kind: 'amount' },
    intent: 'sale',
  },
  tenantLeaseEnd: {
    column: 'tenant_lease_end',
    step: 'pricing',
    label: 'lfTenantUntil',
    is: { kind: 'date' },
    intent: 'sale',
  },
  ownership: {
    column: 'ownership',
    step: 'pricing',
    label: 'lfOwnership',
    is: { kind: 'choice', words: OWNERSHIPS },
    more: true,
  },
  reraNumber: {
    column: 'rera_number',
    step: 'pricing',
    label: 'lfRera',
    hint: 'lfReraHint',
    is: { kind: 'text', most: 40, pattern: /^[A-Za-z0-9/_-]{6,40}$/ },
    more: true,
  },
  reraUrl: {
    column: 'rera_url',
    step: 'pricing',
    label: 'lfReraUrl',
    is: { kind: 'text', most: 2000, pattern: /^https?:\/\// },
    more: true,
  },
} as const satisfies Record<string, Rule>

export type Field = keyof typeof FIELDS
export const FIELD_NAMES = Object.keys(FIELDS) as Field[]
export const ruleOf = (field: Field): Rule => FIELDS[field]
/** What is typed, as it is typed. Flags are 'yes' or empty, several of one kind are joined by commas. */
export type Values = Record<Field, string>

export const EMPTY = Object.fromEntries(
  FIELD_NAMES.map((field) => [field, field === 'locationPrecision' ? 'exact' : '']),
) as Values

/** Reads what was kept; `zipcode` is another name for the PIN code, and what is unknown is left out. */
export function readValues(found: unknown): Values {
  if (typeof found !== 'object' || found === null) return EMPTY
  const texts = Object.entries(found).flatMap(([name, value]) => {
    const field = name === 'zipcode' ? 'pincode' : name
    return typeof value === 'string' && Object.hasOwn(FIELDS, field) ? [[field, value] as const] : []
  })
  return { ...EMPTY, ...Object.fromEntries(texts) }
}

const typeOf = (values: Values) => ENUMS.property_type.find((type) => type === values.propertyType)

/** Whether this is asked for a property of this type and intent. */
export function isAsked(field: Field, values: Values) {
  const { types, intent } = ruleOf(field)
  if (types && !types.some((type) => type === values.propertyType)) return false
  if ((field === 'currentRent' || field === 'tenantLeaseEnd') && values.occupied !== 'yes') return false
  return !intent || intent === values.intent
}

/** The words of a choice, which for the kind of a property depend on its type. */
export function wordsOf(field: Field, values: Values): Words {
  const { is } = ruleOf(field)
  if (field === 'subType') {
    const type = typeOf(values)
    return type ? SUB_TYPES[type] : {}
  }
  return is.kind === 'choice' ? is.words : {}
}

const plain = (text: string) => text.replace(/[₹,\s]/g, '')
/** Null when the text is no number of this kind. */
export function numberIn(field: Field, text: string): number | null {
  const { is } = ruleOf(field)
  if (is.kind === 'amount') return parseAmount(text)
  if (!/^-?\d{1,12}(\.\d{1,8})?$/.test(plain(text))) return null
  return Number(plain(text))
}

function checkOne(field: Field, values: Values, t: TFunction): string | null {
  const { is } = ruleOf(field)
  const text = values[field].trim()
  if (!text) return null
  switch (is.kind) {
    case 'text':
      if (text.length > is.most) return t('lfTooLong', { count: is.most })
      if (is.least && text.length < is.least) return t('lfTooShort', { count: is.least })
      return is.pattern && !is.pattern.test(text) ? t('lfInvalid') : null
    case 'amount':
      return numberIn(field, text) === null ? t('lfAmountWrong') : null
    case 'number': {
      const number = numberIn(field, text)
      if (number === null) return t('lfNumberWrong')
      if (is.whole && !Number.isInteger(number)) return t('lfWhole')
      const low = is.above !== undefined ? number <= is.above : number < (is.from ?? -Infinity)
      if (low && is.above !== undefined) return t('lfAbove', { number: is.above })
      return low || number > is.to ? t('lfBetween', { from: is.from ?? is.above, to: is.to }) : null
    }
    case 'choice':
      return Object.hasOwn(wordsOf(field, values), text) ? null : t('lfInvalid')
    case 'date':
      return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) ? null : t('lfInvalid')
    default:
      return null
  }
}

/** What is wrong with these fields. A draft may lack nearly everything; what is there must be right. */
export function check(
  values: Values,
  t: TFunction,
  { fields = FIELD_NAMES, submit = false }: { fields?: readonly Field[]; submit?: boolean } = {},
): FieldErrors {
  const errors: FieldErrors = {}
  for (const field of fields) {
    if (!isAsked(field, values)) continue
    const { needed } = ruleOf(field)
    if (!values[field].trim()) {
      if (needed === 'draft' || (needed && submit)) errors[field] = t('lfRequired')
    } else {
      const wrong = checkOne(field, values, t)
      if (wrong) errors[field] = wrong
    }
  }
  const number = (field: Field) =>
    isAsked(field, values) && !errors[field] ? numberIn(field, values[field]) : null
  const carpet = number('carpetArea')
  const builtUp = number('builtUpArea')
  if (fields.includes('builtUpArea') && carpet && builtUp && builtUp < carpet)
    errors.builtUpArea = t('lfAreasNest')
  const floor = number('floorNumber')
  const floors = number('totalFloors')
  if (fields.includes('floorNumber') && floor !== null && floors !== null && floor > floors)
    errors.floorNumber = t('lfFloorInBuilding')
  if (submit && fields.includes('carpetArea') && !errors.carpetArea)
    if (!['carpetArea', 'builtUpArea', 'plotArea'].some((name) => number(name as Field)))
      errors.carpetArea = t('lfAreaNeeded')
  if (fields.includes('lng') && !values.lat.trim() !== !values.lng.trim()) errors.lng = t('lfPinHalf')
  return errors
}

export const fieldsOf = (step: Step) => FIELD_NAMES.filter((field) => ruleOf(field).step === step)

/** The columns of what is typed. What is wrong or not asked becomes nothing, so that a draft can always be saved. */
export function toRow(values: Values, t: TFunction) {
  const wrong = check(values, t)
  const row: TablesUpdate<'properties'> = {}
  const put = (column: Column, value: Json) => Object.assign(row, { [column]: value })
  for (const field of FIELD_NAMES) {
    const { column, is } = ruleOf(field)
    const text = field in wrong || !isAsked(field, values) ? '' : values[field].trim()
    if (is.kind === 'flag') put(column, text === 'yes')
    else if (is.kind === 'answer') put(column, text ? text === 'yes' : null)
    else if (is.kind === 'flags')
      put(column, Object.fromEntries(text.split(',').flatMap((name) => (name ? [[name, true]] : []))))
    else if (is.kind === 'number' || is.kind === 'amount') put(column, text ? numberIn(field, text) : null)
    else put(column, text || null)
  }
  return {
    ...row,
    location_precision: values.locationPrecision === 'locality' ? ('locality' as const) : ('exact' as const),
    intent: values.intent === 'sale' ? ('sale' as const) : ('lease' as const),
    property_type: typeOf(values) ?? ('office' as const),
  }
}

/** What the form shows of a row. */
export function fromRow(row: Tables<'properties'>): Values {
  const values = { ...EMPTY }
  for (const field of FIELD_NAMES) {
    const { column, is } = ruleOf(field)
    const value = row[column]
    if (is.kind === 'flags') values[field] = amenitiesOf(value as Json).join(',')
    else if (is.kind === 'flag') values[field] = value === true ? 'yes' : ''
    else if (is.kind === 'answer') values[field] = value === null ? '' : value ? 'yes' : 'no'
    else values[field] = value === null || value === undefined ? '' : String(value)
  }
  return values
}

const REVIEWED = [
  'propertyTitle',
  'intent',
  'propertyType',
  'subType',
  'address',
  'locality',
  'subLocality',
  'city',
  'state',
  'pincode',
  'lat',
  'lng',
] as const satisfies readonly Field[]

/** Whether a published listing with these changes has to be looked at again before it is public. */
export function needsReview(before: Values, after: Values) {
  if (REVIEWED.some((field) => before[field].trim() !== after[field].trim())) return true
  const [old, now] = [
    numberIn('expectedPrice', before.expectedPrice),
    numberIn('expectedPrice', after.expectedPrice),
  ]
  if (old === null || now === null) return old !== now
  return Math.abs(now - old) > old * 0.25
}

export const isSame = (one: Values, other: Values) =>
  FIELD_NAMES.every((field) => one[field].trim() === other[field].trim())

export const AMENITY_NAMES = Object.keys(AMENITIES)
