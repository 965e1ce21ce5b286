import { DETAIL_FIELDS } from './detail-fields'
import { KIND_FIELDS, PLACE_FIELDS } from './place-fields'
import { PRICE_FIELDS } from './price-fields'
import type { Rule } from './rule'
import type { Step } from './steps'

/**
 * Every field once: what the columns of `properties` take, in the order in which it is asked. The names of
 * the first are the product's; a test holds the limits to the checks of the table.
 */
export const FIELDS = { ...KIND_FIELDS, ...PLACE_FIELDS, ...DETAIL_FIELDS, ...PRICE_FIELDS }

export type Field = keyof typeof FIELDS
export const FIELD_NAMES = Object.keys(FIELDS) as Field[]
export const ruleOf = (field: Field): Rule => FIELDS[field]
export const fieldsOf = (step: Step) => FIELD_NAMES.filter((field) => ruleOf(field).step === step)
