import type { TFunction } from 'i18next'
import type { DetailedProperty } from './api/get-property'
import { ALL_SUB_TYPES, COOLING, FACINGS, FURNISHINGS, GRADES, TYPES } from './labels'
import { date, efficiency, number, squareMetres } from './money'

export type Fact = { key: string; label: string; value: string; title?: string }

/** What is known about a property, in the order in which it is read; what is not known is left out. */
export function factsOf(property: DetailedProperty, t: TFunction): Fact[] {
  const facts: Fact[] = []
  const add = (key: string, value: string | null | undefined, title?: string) => {
    if (value) facts.push({ key, label: t(key), value, title })
  }
  const area = (key: string, value: number | null) => {
    if (value) add(key, t('prSqFt', { area: number(value) }), t('prSqM', { area: squareMetres(value) }))
  }
  const count = (key: string, value: number | null) => {
    if (value !== null) add(key, number(value))
  }
  const unit = (key: string, value: number | null, words: string) => {
    if (value !== null) add(key, t(words, { number: number(value) }))
  }
  const answer = (key: string, value: boolean | null) => {
    if (value !== null) add(key, t(value ? 'prYes' : 'prNo'))
  }
  const named = (key: string, value: string | null, names: Readonly<Record<string, string>>) => {
    const name = value && names[value]
    if (name) add(key, t(name))
  }

  add('fcType', t(TYPES[property.property_type]))
  named('fcSubType', property.sub_type, ALL_SUB_TYPES)
  area('fcCarpet', property.carpet_area)
  area('fcBuiltUp', property.built_up_area)
  const share = efficiency(property)
  if (share !== null) add('fcEfficiency', t('prPercent', { number: share }), t('fcEfficiencyWhy'))
  area('fcSuperBuiltUp', property.super_built_up_area)
  area('fcPlot', property.plot_area)
  if (property.floor_number !== null)
    add(
      'fcFloor',
      property.total_floors === null
        ? floorName(property.floor_number, t)
        : t('prFloorOf', {
            floor: floorName(property.floor_number, t),
            total: property.total_floors,
          }),
    )
  else count('fcTotalFloors', property.total_floors)
  named('fcFurnishing', property.furnishing, FURNISHINGS)
  count('fcSeats', property.seats)
  count('fcCabins', property.cabins)
  count('fcMeetingRooms', property.meeting_rooms)
  count('fcWashrooms', property.washrooms)
  answer('fcPantry', property.pantry)
  count('fcParkingCovered', property.parking_covered)
  count('fcParkingOpen', property.parking_open)
  count('fcLifts', property.lifts)
  count('fcBalconies', property.balconies)
  unit('fcPower', property.power_load_kva, 'prKva')
  answer('fcPowerBackup', property.power_backup)
  named('fcCooling', property.air_conditioning, COOLING)
  named('fcGrade', property.building_grade, GRADES)
  named('fcFacing', property.facing, FACINGS)
  if (property.property_age_years !== null) add('fcAge', t('prYears', { count: property.property_age_years }))
  unit('fcClearHeight', property.clear_height_ft, 'prFeet')
  count('fcDockDoors', property.dock_doors)
  unit('fcFloorLoad', property.floor_load_t_per_sqm, 'prTonnesPerSqM')
  unit('fcTruckAccess', property.truck_access_ft, 'prFeet')
  if (property.crane_ton) unit('fcCrane', property.crane_ton, 'prTonnes')
  answer('fcFireNoc', property.fire_noc)
  unit('fcFrontage', property.frontage_ft, 'prFeet')
  answer('fcCorner', property.corner)
  if (property.available_from) add('fcAvailable', date(property.available_from))
  return facts
}

function floorName(floor: number, t: TFunction) {
  if (floor === 0) return t('prGroundFloor')
  return floor < 0 ? t('prBasement', { number: -floor }) : t('prFloor', { number: floor })
}

/** What the lease asks for besides the rent. */
export function termsOf(property: DetailedProperty, t: TFunction): Fact[] {
  const facts: Fact[] = []
  const add = (key: string, value: string) => facts.push({ key, label: t(key), value })
  if (property.security_deposit_months !== null)
    add('teDeposit', t('prMonths', { count: property.security_deposit_months }))
  if (property.lock_in_months !== null)
    add('teLockIn', property.lock_in_months ? t('prMonths', { count: property.lock_in_months }) : t('prNo'))
  if (property.lease_term_months !== null) add('teTerm', t('prMonths', { count: property.lease_term_months }))
  if (property.escalation_pct !== null)
    add('teEscalation', t('prPercentYear', { number: number(property.escalation_pct) }))
  return facts
}
