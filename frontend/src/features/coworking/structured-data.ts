import { webLink } from '@/lib/images'
import type { DetailedSpace } from './api/get-space'
import { DAYS, hoursOf, parseCoordinates } from './format'
import { parseHours } from './hours'

const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`

/** A space in the terms of schema.org. */
export function spaceData(space: DetailedSpace, path: string, images: readonly string[]) {
  const point = parseCoordinates(space.coordinates)
  const site = webLink(space.website_url)
  return {
    '@type': ['LocalBusiness', 'CoworkingSpace'],
    name: space.name,
    url: new URL(path, window.location.origin).href,
    ...(site && { sameAs: site }),
    ...(space.description && { description: space.description }),
    ...(space.booking_phone && { telephone: space.booking_phone }),
    ...(space.booking_email && { email: space.booking_email }),
    image: images.map((image) => new URL(image, window.location.origin).href),
    address: {
      '@type': 'PostalAddress',
      streetAddress: [space.address, space.sub_locality, space.locality].filter(Boolean).join(', '),
      addressLocality: space.city,
      addressRegion: space.state,
      addressCountry: 'IN',
    },
    ...(point && { geo: { '@type': 'GeoCoordinates', latitude: point.lat, longitude: point.lng } }),
    openingHours: DAYS.flatMap((day) => {
      const span = parseHours(hoursOf(space.opening_hours, day) ?? '')
      const short = day.charAt(0).toUpperCase() + day.charAt(1)
      return span ? [`${short} ${clock(span[0])}-${span[1] === 24 * 60 ? '23:59' : clock(span[1])}`] : []
    }),
  }
}
