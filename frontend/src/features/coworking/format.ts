import { once } from '@/lib/once'
import type { Json, Tables } from '@/types/database'

/** Amenity flags to the catalogue keys of their labels. */
export const AMENITIES: Readonly<Record<string, string>> = {
  wifi: 'amWifi',
  parking: 'amParking',
  cafeteria: 'amCafeteria',
  meeting_rooms: 'amMeetingRooms',
  printer: 'amPrinter',
  reception: 'amReception',
  security: 'amSecurity',
  air_conditioning: 'amAirConditioning',
  power_backup: 'amPowerBackup',
  locker: 'amLockers',
  cleaning_service: 'amCleaning',
  phone_booth: 'amPhoneBooths',
}
export const OFFERINGS: Readonly<Record<string, string>> = {
  day_pass: 'ofDayPass',
  meeting_room: 'ofMeetingRoom',
  dedicated_desk: 'ofDedicatedDesk',
  private_office: 'ofPrivateOffice',
  virtual_office: 'ofVirtualOffice',
}
/** The key of a label; a type that nobody named yet shows as it is stored. */
export const offeringKey = (type: string) => OFFERINGS[type] ?? type
export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
export type Day = (typeof DAYS)[number]
export const DAY_KEYS: Readonly<Record<Day, string>> = {
  monday: 'dayMonday',
  tuesday: 'dayTuesday',
  wednesday: 'dayWednesday',
  thursday: 'dayThursday',
  friday: 'dayFriday',
  saturday: 'daySaturday',
  sunday: 'daySunday',
}

const grouped = once(() => new Intl.NumberFormat('en-IN', { maximumFractionDigits: 2 }))
const thousands = (value: number) => `₹${(value / 1000).toFixed(1).replace(/\.0$/, '')}k`
export const cardPrice = (value: number) =>
  value >= 10_000 ? thousands(value) : `₹${grouped().format(value)}`
export function detailPrice(value: number) {
  if (value >= 100_000) return `₹${(value / 100_000).toFixed(2)} Lakh`
  return value >= 1000 ? thousands(value) : `₹${grouped().format(value)}`
}

/** A range only when its upper end is above the lower one. */
export function priceRange(min: number | null, max: number | null, format: (value: number) => string) {
  return min !== null && max !== null && max > min ? `${format(min)} - ${format(max)}` : null
}

export function lowestPrice(offerings: ReadonlyArray<{ price_from: number | null }>) {
  const prices = offerings.flatMap(({ price_from }) => (price_from === null ? [] : [price_from]))
  return prices.length ? Math.min(...prices) : null
}

export const capacityKey = (type: string) => (type === 'meeting_room' ? 'cwPeople' : 'cwSeats')

const asMap = (value: Json | null) =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? value : {}

export function parseCoordinates(value: Json | null): { lat: number; lng: number } | null {
  let source = value
  if (typeof source === 'string') {
    try {
      source = JSON.parse(source) as Json
    } catch {
      return null
    }
  }
  const map = asMap(source)
  const lat = map.lat ?? map.latitude
  const lng = map.lng ?? map.longitude
  return typeof lat === 'number' && typeof lng === 'number' ? { lat, lng } : null
}

/** Kilometres between two points, near enough to order neighbours. */
export function distance(a: { lat: number; lng: number }, b: { lat: number; lng: number }) {
  const east = (a.lng - b.lng) * Math.cos(((a.lat + b.lat) * Math.PI) / 360)
  return Math.hypot(a.lat - b.lat, east) * 111.2
}

export const amenityKeys = (value: Json | null) =>
  Object.keys(AMENITIES).filter((key) => asMap(value)[key] === true)

/** The text of a day, or null when the place is closed. */
export function hoursOf(value: Json | null, day: Day) {
  const text = asMap(value)[day]
  return typeof text === 'string' && text.trim() ? text.trim() : null
}

export const addressLine = (space: Pick<Tables<'coworking_space'>, 'address' | 'locality' | 'city'>) =>
  [space.address, space.locality, space.city].filter(Boolean).join(', ')
