import type { TFunction } from 'i18next'
import { ALL_SUB_TYPES, AMENITIES, FURNISHINGS, INTENTS, TYPES } from '../labels'
import { number } from '../money'
import { isAsked, numberIn, type Values } from './schema/values'

const word = (words: Readonly<Record<string, string>>, value: string, t: TFunction) =>
  words[value] ? t(words[value]) : ''

function facts(values: Values, t: TFunction) {
  const area = ['carpetArea', 'builtUpArea', 'plotArea'] as const
  const size = area.map((field) => numberIn(field, values[field])).find((each) => each !== null)
  return {
    type: word(ALL_SUB_TYPES, values.subType, t) || word(TYPES, values.propertyType, t),
    intent: word(INTENTS, values.intent, t),
    furnishing: isAsked('furnishingStatus', values) ? word(FURNISHINGS, values.furnishingStatus, t) : '',
    place: [values.locality.trim(), values.city.trim()].filter(Boolean).join(', '),
    area: size ? t('prSqFt', { area: number(size) }) : '',
  }
}

/** A title from what is known so far; empty while too little is. */
export function suggestTitle(values: Values, t: TFunction) {
  const { type, intent, furnishing, place, area } = facts(values, t)
  if (!type || !place) return ''
  const what = [type, furnishing, area].filter(Boolean).join(', ')
  return t('lfTitleForm', { what, intent: intent.toLocaleLowerCase(), place }).slice(0, 120)
}

/** The beginning of a description, to be gone over. */
export function suggestDescription(values: Values, t: TFunction) {
  const { type, intent, furnishing, place, area } = facts(values, t)
  if (!type || !place || !area) return ''
  const amenities = values.amenities
    .split(',')
    .flatMap((name) => (AMENITIES[name] ? [t(AMENITIES[name])] : []))
  return [
    t('lfTextOpening', { type, intent: intent.toLocaleLowerCase(), place, area }),
    furnishing && t('lfTextFurnishing', { furnishing }),
    amenities.length > 0 && t('lfTextAmenities', { amenities: amenities.join(', ') }),
    t('lfTextClosing'),
  ]
    .filter(Boolean)
    .join(' ')
}
