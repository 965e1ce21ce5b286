import { parseAmount } from '@/features/listings/amount'
import { ENUMS, SUB_TYPES } from '../../labels'
import { FIELD_NAMES, FIELDS, ruleOf, type Field } from './fields'
import type { Words } from './rule'

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

export const typeOf = (values: Values) => ENUMS.property_type.find((type) => type === values.propertyType)

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

export const isSame = (one: Values, other: Values) =>
  FIELD_NAMES.every((field) => one[field].trim() === other[field].trim())
