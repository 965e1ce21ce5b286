import type { Json, Tables } from '@/types/database'

export const PLACEHOLDER = '/coworking-placeholder.svg'
export const AMENITIES: Readonly<Record<string, string>> = {
  wifi: 'WiFi',
  parking: 'Parking',
  cafeteria: 'Cafeteria/Pantry',
  meeting_rooms: 'Meeting Rooms',
  printer: 'Printer/Scanner',
  reception: 'Reception',
  security: '24/7 Security',
  air_conditioning: 'Air Conditioning',
  power_backup: 'Power Backup',
  locker: 'Lockers',
  cleaning_service: 'Cleaning Service',
  phone_booth: 'Phone Booths',
}
export const OFFERINGS: Readonly<Record<string, string>> = {
  day_pass: 'Day Pass',
  meeting_room: 'Meeting Room',
  dedicated_desk: 'Dedicated Desk',
  private_office: 'Private Office',
  virtual_office: 'Virtual Office',
}
export const offeringLabel = (type: string) => OFFERINGS[type] ?? type
export const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const

const grouped = new Intl.NumberFormat('en-IN', { maximumFractionDigits: 2 })
const thousands = (value: number) => `₹${(value / 1000).toFixed(1).replace(/\.0$/, '')}k`
export const cardPrice = (value: number) => (value >= 10_000 ? thousands(value) : `₹${grouped.format(value)}`)
export function detailPrice(value: number) {
  if (value >= 100_000) return `₹${(value / 100_000).toFixed(2)} Lakh`
  return value >= 1000 ? thousands(value) : `₹${grouped.format(value)}`
}

export function priceLine(min: number | null, max: number | null, format: (value: number) => string) {
  if (min === null) return null
  return max !== null && max > min ? `${format(min)} - ${format(max)}` : `From ${format(min)}`
}

export function lowestPrice(offerings: ReadonlyArray<{ price_from: number | null }>) {
  const prices = offerings.flatMap(({ price_from }) => (price_from === null ? [] : [price_from]))
  return prices.length ? Math.min(...prices) : null
}

export const capacityText = (type: string, count: number) =>
  `${count} ${type === 'meeting_room' ? 'people' : 'seats'}`

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

export const amenityKeys = (value: Json | null) =>
  Object.keys(AMENITIES).filter((key) => asMap(value)[key] === true)

export function hoursOf(value: Json | null, day: (typeof DAYS)[number]) {
  const text = asMap(value)[day]
  return typeof text === 'string' && text.trim() ? text : 'Closed'
}

export const addressLine = (space: Pick<Tables<'coworking_space'>, 'address' | 'locality' | 'city'>) =>
  [space.address, space.locality, space.city].filter(Boolean).join(', ')

export const sortImages = <T extends { order: number }>(images: readonly T[]) =>
  [...images].sort((a, b) => a.order - b.order)

/** Seed and stored images carry their width in the file name. */
export const imageAt = (url: string, width: 320 | 640 | 1024) =>
  url.replace(/-(?:320|640|1024)(\.\w+)$/, `-${width}$1`)

export const imageSet = (url: string) =>
  imageAt(url, 320) === imageAt(url, 640)
    ? undefined
    : ([320, 640, 1024] as const).map((width) => `${imageAt(url, width)} ${width}w`).join(', ')

/** Only web links leave the page; a stored `javascript:` address is dropped. */
export const webLink = (url: string | null) => (url && /^https?:\/\//i.test(url) ? url : null)
