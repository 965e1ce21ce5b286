import { check } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { queryOptions } from '@tanstack/react-query'
import { listingKeys } from './keys'

const ENOUGH = 200

/** Where the localities of a city are, by the listings in them. */
async function getPlaces(city: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('properties')
    .select('locality,lat,lng')
    .eq('status', 'active')
    .eq('city', city)
    .not('lat', 'is', null)
    .limit(ENOUGH)
    .abortSignal(signal)
    .retry(false)
  check(error, status)
  const found = new Map<string, { lat: number; lng: number }[]>()
  for (const { locality, lat, lng } of data ?? [])
    if (locality && lat !== null && lng !== null)
      found.set(locality, [...(found.get(locality) ?? []), { lat, lng }])
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return [...found].map(([name, points]) => ({
    name,
    lat: mean(points.map(({ lat }) => lat)),
    lng: mean(points.map(({ lng }) => lng)),
  }))
}

export const placesOptions = (city: string) =>
  queryOptions({
    queryKey: [...listingKeys.all, 'places', city],
    queryFn: ({ signal }) => getPlaces(city, signal),
    enabled: city !== '',
  })
