import type { Enums } from '@/types/database'
import { ALL_SUB_TYPES, AMENITIES, ENUMS } from './labels'

export const PAGE_SIZE = 24
/** The orders on offer; without one the best match comes first. */
export const SORTS = {
  newest: 'liNewest',
  price_asc: 'liPriceUp',
  price_desc: 'liPriceDown',
  area_asc: 'liAreaUp',
  area_desc: 'liAreaDown',
  rate_asc: 'liRateUp',
} as const
export type Sort = keyof typeof SORTS
export const FLOORS = { ground: 'liFloorGround', low: 'liFloorLow', high: 'liFloorHigh' } as const
export type Floor = keyof typeof FLOORS
export const POSTED = { '7': 'liPosted7', '30': 'liPosted30', '90': 'liPosted90' } as const
export type Posted = keyof typeof POSTED

export type Filters = {
  q: string
  for: Enums<'listing_intent'> | ''
  type: readonly Enums<'property_type'>[]
  sub: readonly string[]
  city: string
  locality: string
  min: number | null
  max: number | null
  amin: number | null
  amax: number | null
  furn: readonly Enums<'furnishing'>[]
  floor: Floor | ''
  park: number | null
  grade: readonly Enums<'building_grade'>[]
  ready: boolean
  rera: boolean
  verified: boolean
  amen: readonly string[]
  posted: Posted | ''
  sort: Sort | ''
  page: number
  bbox: string
}

/** What narrows the list, in the order in which it is shown; the rest of the address is about how it is shown. */
export const NARROWING = [
  'q',
  'for',
  'type',
  'sub',
  'city',
  'locality',
  'min',
  'max',
  'amin',
  'amax',
  'furn',
  'floor',
  'park',
  'grade',
  'ready',
  'rera',
  'verified',
  'amen',
  'posted',
  'bbox',
] as const satisfies ReadonlyArray<keyof Filters>
export type Narrowing = (typeof NARROWING)[number]

export const NONE: Filters = {
  q: '',
  for: '',
  type: [],
  sub: [],
  city: '',
  locality: '',
  min: null,
  max: null,
  amin: null,
  amax: null,
  furn: [],
  floor: '',
  park: null,
  grade: [],
  ready: false,
  rera: false,
  verified: false,
  amen: [],
  posted: '',
  sort: '',
  page: 1,
  bbox: '',
}

const isKeyOf = <T extends object>(known: T, value: string): value is Extract<keyof T, string> =>
  Object.hasOwn(known, value)

/** Reads the address. What is unknown or malformed is left out, never an error. */
export function readFilters(params: URLSearchParams): Filters {
  const text = (name: string) => (params.get(name) ?? '').trim().slice(0, 200)
  const amount = (name: string) => {
    const value = params.get(name) ?? ''
    return /^\d{1,12}$/.test(value) && Number(value) > 0 ? Number(value) : null
  }
  const many = <T extends string>(name: string, known: readonly T[]) => {
    const asked = (params.get(name) ?? '').split(',')
    return known.filter((value) => asked.includes(value))
  }
  const one = <T extends object>(name: string, known: T) => {
    const value = params.get(name) ?? ''
    return isKeyOf(known, value) ? value : ('' as const)
  }
  const intent = params.get('for')
  const bbox = params.get('bbox') ?? ''
  return {
    q: text('q'),
    for: intent === 'lease' || intent === 'sale' ? intent : intent === 'buy' ? 'sale' : '',
    type: many('type', ENUMS.property_type),
    sub: many('sub', Object.keys(ALL_SUB_TYPES)),
    city: text('city'),
    locality: text('locality'),
    min: amount('min'),
    max: amount('max'),
    amin: amount('amin'),
    amax: amount('amax'),
    furn: many('furn', ENUMS.furnishing),
    floor: one('floor', FLOORS),
    park: amount('park'),
    grade: many('grade', ENUMS.building_grade),
    ready: params.get('ready') === '1',
    rera: params.get('rera') === '1',
    verified: params.get('verified') === '1',
    amen: many('amen', Object.keys(AMENITIES)),
    posted: one('posted', POSTED),
    sort: one('sort', SORTS),
    page: Math.min(amount('page') ?? 1, 100_000),
    bbox: /^-?\d{1,3}(\.\d{1,8})?(,-?\d{1,3}(\.\d{1,8})?){3}$/.test(bbox) ? bbox : '',
  }
}

function asText(value: Filters[keyof Filters]) {
  if (value === null || value === false) return ''
  if (value === true) return '1'
  return Array.isArray(value) ? value.join(',') : String(value)
}

/** The address of these filters, on top of what else the address says. The first page has no number. */
export function writeFilters(filters: Filters, before = new URLSearchParams()) {
  const params = new URLSearchParams(before)
  // All anew, so that the same filters have one address, however they were come by.
  for (const name of [...NARROWING, 'sort', 'page'] as const) {
    const value = asText(filters[name])
    params.delete(name)
    if (value && !(name === 'page' && value === '1')) params.append(name, value)
  }
  return params
}

export const filterKey = (filters: Filters) => writeFilters(filters).toString()

/** Those that narrow the list now; `fixed` are what the page itself is about. */
export const activeFilters = (filters: Filters, fixed: readonly Narrowing[] = []) =>
  NARROWING.filter((name) => !fixed.includes(name) && asText(filters[name]) !== '')

export const without = (filters: Filters, name: Narrowing): Filters => ({
  ...filters,
  [name]: NONE[name],
  // A locality is one of its city, a kind of property one of its type.
  ...(name === 'city' && { locality: '' }),
  ...(name === 'type' && { sub: [] }),
  page: 1,
})

/** Numbers of pages to offer: the ends, the neighbours, and null for a gap. */
export function pageNumbers(page: number, last: number): Array<number | null> {
  const wanted = [1, page - 1, page, page + 1, last].filter((each) => each >= 1 && each <= last)
  const numbers = [...new Set(wanted)].sort((a, b) => a - b)
  return numbers.flatMap((each, index) => {
    const before = numbers[index - 1]
    if (before === undefined || each === before + 1) return [each]
    // A gap of one is the number itself.
    return each === before + 2 ? [each - 1, each] : [null, each]
  })
}
