import type { FieldErrors } from '@/lib/fields'
import type { TFunction } from 'i18next'
import { FIELD_NAMES, ruleOf, type Field } from './fields'
import { isAsked, numberIn, wordsOf, type Values } from './values'

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
