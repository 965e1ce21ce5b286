import { DAYS } from '@/features/coworking/format'
import { toE164 } from '@/lib/phone'
import type { Enums } from '@/types/database'
import type { EditedSpace, SpaceValues } from './api/spaces'

/**
 * The fields of a co-working space as they are written, and what the table asks of them. The numbers are those of
 * `sql/marketplace`, and a test reads both.
 */
export const LENGTHS = {
  slug: 160,
  name: 160,
  address: 300,
  locality: 100,
  sub_locality: 100,
  city: 100,
  state: 100,
  description: 5000,
  website_url: 2000,
  booking_email: 255,
} as const
const REQUIRED = ['name', 'slug', 'address', 'locality', 'city', 'state'] as const
export const OFFERING_TYPES = [
  'day_pass',
  'meeting_room',
  'dedicated_desk',
  'private_office',
  'virtual_office',
] as const satisfies ReadonlyArray<Enums<'coworking_offering'>>
type OfferingType = (typeof OFFERING_TYPES)[number]

export type OfferingText = { offered: boolean; available: boolean; price: string; capacity: string }
export type SpaceText = {
  name: string
  slug: string
  address: string
  locality: string
  sub_locality: string
  city: string
  state: string
  description: string
  website_url: string
  booking_phone: string
  booking_email: string
  min_price: string
  max_price: string
  lat: string
  lng: string
  active: boolean
  paid_listing: boolean
  amenities: readonly string[]
  hours: Readonly<Record<(typeof DAYS)[number], string>>
  offerings: Readonly<Record<OfferingType, OfferingText>>
}

const NOT_OFFERED: OfferingText = { offered: false, available: true, price: '', capacity: '' }
const byDay = (of: (day: string) => string) =>
  Object.fromEntries(DAYS.map((day) => [day, of(day)])) as SpaceText['hours']
const byType = (of: (type: OfferingType) => OfferingText) =>
  Object.fromEntries(OFFERING_TYPES.map((type) => [type, of(type)])) as SpaceText['offerings']

export const EMPTY: SpaceText = {
  name: '',
  slug: '',
  address: '',
  locality: '',
  sub_locality: '',
  city: '',
  state: 'Tamil Nadu',
  description: '',
  website_url: '',
  booking_phone: '',
  booking_email: '',
  min_price: '',
  max_price: '',
  lat: '',
  lng: '',
  active: false,
  paid_listing: false,
  amenities: [],
  hours: byDay(() => ''),
  offerings: byType(() => NOT_OFFERED),
}

const object = (value: unknown): Record<string, unknown> => {
  if (typeof value === 'string') {
    try {
      return object(JSON.parse(value))
    } catch {
      return {}
    }
  }
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
const shown = (value: unknown) => (value === null || value === undefined ? '' : String(value))

/** A stored space as a form shows it, whatever shape its coordinates have. */
export function textOf(space: EditedSpace): SpaceText {
  const point = object(space.coordinates)
  const amenities = object(space.amenities)
  const hours = object(space.opening_hours)
  return {
    name: space.name,
    slug: space.slug,
    address: space.address,
    locality: space.locality,
    sub_locality: space.sub_locality ?? '',
    city: space.city,
    state: space.state,
    description: space.description ?? '',
    website_url: space.website_url ?? '',
    booking_phone: space.booking_phone ?? '',
    booking_email: space.booking_email ?? '',
    min_price: shown(space.min_price),
    max_price: shown(space.max_price),
    lat: shown(point.lat ?? point.latitude),
    lng: shown(point.lng ?? point.longitude),
    active: space.active,
    paid_listing: space.paid_listing,
    amenities: Object.keys(amenities).filter((name) => amenities[name] === true),
    hours: byDay((day) => shown(hours[day])),
    offerings: byType((type) => {
      const found = space.offerings.find((offering) => offering.offering_type === type)
      return found
        ? {
            offered: true,
            available: found.available,
            price: shown(found.price_from),
            capacity: shown(found.capacity),
          }
        : NOT_OFFERED
    }),
  }
}

export const slugOf = (...parts: readonly string[]) =>
  parts
    .join(' ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, LENGTHS.slug)

/** A figure with its Indian commas; null when there is none, NaN when it cannot be read. */
const figure = (text: string) => {
  const plain = text.replace(/[,\s₹]/g, '')
  if (plain === '') return null
  return /^\d+(\.\d{1,2})?$/.test(plain) ? Number(plain) : NaN
}
const place = (text: string) => (/^-?\d{1,3}(\.\d+)?$/.test(text.trim()) ? Number(text) : NaN)

export type SpaceErrors = Partial<Record<string, 'required' | 'invalid' | 'tooLong'>>

/** What is wrong with what was written, by field. */
export function errorsOf(text: SpaceText): SpaceErrors {
  const errors: SpaceErrors = {}
  for (const [name, most] of Object.entries(LENGTHS) as Array<[keyof typeof LENGTHS, number]>)
    if (text[name].trim().length > most) errors[name] = 'tooLong'
  for (const name of REQUIRED) if (!text[name].trim()) errors[name] = 'required'
  if (text.name.trim().length === 1) errors.name = 'invalid'
  if (text.slug && !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(text.slug)) errors.slug = 'invalid'
  if (text.website_url && !/^https?:\/\/\S+$/.test(text.website_url)) errors.website_url = 'invalid'
  if (text.booking_email && !/^\S+@\S+\.\S+$/.test(text.booking_email)) errors.booking_email = 'invalid'
  if (text.booking_phone && !toE164(text.booking_phone)) errors.booking_phone = 'invalid'
  const min = figure(text.min_price)
  const max = figure(text.max_price)
  if (min !== null && !(min > 0)) errors.min_price = 'invalid'
  if (max !== null && !(max > 0 && (min === null || max >= min))) errors.max_price = 'invalid'
  if (text.lat || text.lng) {
    if (!(Math.abs(place(text.lat)) <= 90)) errors.lat = 'invalid'
    if (!(Math.abs(place(text.lng)) <= 180)) errors.lng = 'invalid'
  }
  for (const type of OFFERING_TYPES) {
    const { offered, price, capacity } = text.offerings[type]
    if (!offered) continue
    const from = figure(price)
    if (from !== null && !(from > 0)) errors[`${type}.price`] = 'invalid'
    if (capacity && !(/^\d{1,5}$/.test(capacity) && Number(capacity) >= 1 && Number(capacity) <= 10_000))
      errors[`${type}.capacity`] = 'invalid'
  }
  return errors
}

/** The rows to write, of a form without errors. */
export function valuesOf(text: SpaceText): SpaceValues {
  const or = (value: string) => value.trim() || null
  return {
    space: {
      name: text.name.trim(),
      slug: text.slug,
      address: text.address.trim(),
      locality: text.locality.trim(),
      sub_locality: or(text.sub_locality),
      city: text.city.trim(),
      state: text.state.trim(),
      description: or(text.description),
      website_url: or(text.website_url),
      booking_phone: toE164(text.booking_phone),
      booking_email: or(text.booking_email),
      min_price: figure(text.min_price),
      max_price: figure(text.max_price),
      coordinates: text.lat && text.lng ? { lat: Number(text.lat), lng: Number(text.lng) } : null,
      active: text.active,
      paid_listing: text.paid_listing,
      amenities: Object.fromEntries(text.amenities.map((name) => [name, true])),
      opening_hours: Object.fromEntries(
        DAYS.flatMap((day) => (text.hours[day].trim() ? [[day, text.hours[day].trim()]] : [])),
      ),
    },
    offerings: OFFERING_TYPES.flatMap((type) => {
      const { offered, available, price, capacity } = text.offerings[type]
      if (!offered) return []
      return [
        {
          offering_type: type,
          available,
          price_from: figure(price),
          capacity: capacity ? Number(capacity) : null,
        },
      ]
    }),
  }
}
