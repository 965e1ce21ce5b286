import type { Enums } from '@/types/database'
import type { TFunction } from 'i18next'
import { AMENITIES, FURNISHINGS, TYPES } from './labels'
import { number, shortPrice } from './money'

export type Described = {
  type: Enums<'property_type'>
  intent: Enums<'listing_intent'>
  area: number | null
  locality: string
  city: string
  price: number | null
  furnishing: Enums<'furnishing'> | ''
  seats: number | null
  parking: number | null
  amenities: readonly string[]
  nearby: string
}

/** A title and a text for a listing, made of its facts alone: what is not known is not said. */
export function describeListing(facts: Described, t: TFunction) {
  const place = [facts.locality, facts.city]
    .map((part) => part.trim())
    .filter(Boolean)
    .join(', ')
  const type = t(TYPES[facts.type])
  const lease = facts.intent === 'lease'
  const title = place ? t(lease ? 'pdTitleLease' : 'pdTitleSale', { type, place }) : type
  const sentences = [
    facts.area
      ? t(lease ? 'pdAreaLease' : 'pdAreaSale', { type, area: number(facts.area) })
      : t(lease ? 'pdPlainLease' : 'pdPlainSale', { type }),
    place && t('pdPlace', { place }),
    facts.furnishing && t('pdFurnishing', { furnishing: t(FURNISHINGS[facts.furnishing]) }),
    facts.seats && t('pdSeats', { count: facts.seats }),
    facts.parking && t('pdParking', { count: facts.parking }),
    facts.amenities.length &&
      t('pdAmenities', { list: facts.amenities.map((name) => t(AMENITIES[name] ?? name)).join(', ') }),
    facts.nearby.trim() && t('pdNearby', { nearby: facts.nearby.trim() }),
    facts.price && t(lease ? 'pdRent' : 'pdPrice', { price: shortPrice(facts.price) }),
    t('pdAsk'),
  ]
  return { title, text: sentences.filter(Boolean).join(' ') }
}
