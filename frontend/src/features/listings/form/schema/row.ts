import type { Json, Tables, TablesUpdate } from '@/types/database'
import type { TFunction } from 'i18next'
import { amenitiesOf } from '../../labels'
import { check } from './check'
import { FIELD_NAMES, ruleOf, type Field } from './fields'
import type { Column } from './rule'
import { EMPTY, isAsked, numberIn, typeOf, type Values } from './values'

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
