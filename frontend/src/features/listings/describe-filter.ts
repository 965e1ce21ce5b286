import type { TFunction } from 'i18next'
import { FLOORS, POSTED, type Filters, type Narrowing } from './filters'
import { ALL_SUB_TYPES, AMENITIES, FURNISHINGS, GRADES, INTENTS, TYPES } from './labels'
import { number, shortPrice } from './money'

/** A filter in use, in words. */
export function describeFilter(filters: Filters, name: Narrowing, t: TFunction): string {
  const all = (values: readonly string[], words: Readonly<Record<string, string>>) =>
    values.map((value) => t(words[value] ?? value)).join(', ')
  const sqFt = (value: number | null) => t('prSqFt', { area: number(value ?? 0) })
  switch (name) {
    case 'q':
      return `“${filters.q}”`
    case 'for':
      return filters.for && t(INTENTS[filters.for])
    case 'type':
      return all(filters.type, TYPES)
    case 'sub':
      return all(filters.sub, ALL_SUB_TYPES)
    case 'city':
      return filters.city
    case 'locality':
      return filters.locality
    case 'min':
      return t('liFrom', { value: shortPrice(filters.min ?? 0) })
    case 'max':
      return t('cwUpTo', { price: shortPrice(filters.max ?? 0) })
    case 'amin':
      return t('liFrom', { value: sqFt(filters.amin) })
    case 'amax':
      return t('cwUpTo', { price: sqFt(filters.amax) })
    case 'furn':
      return all(filters.furn, FURNISHINGS)
    case 'floor':
      return filters.floor && t(FLOORS[filters.floor])
    case 'park':
      return t('liParking', { count: filters.park ?? 0 })
    case 'grade':
      return `${t('fcGrade')}: ${all(filters.grade, GRADES)}`
    case 'ready':
      return t('poReady')
    case 'rera':
      return t('liRera')
    case 'verified':
      return t('baVerified')
    case 'amen':
      return all(filters.amen, AMENITIES)
    case 'posted':
      return filters.posted && t(POSTED[filters.posted])
    case 'bbox':
      return t('liArea')
  }
}
