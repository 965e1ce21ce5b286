import { reportError } from '@/lib/errors'
import { getSupabase } from '@/lib/supabase'
import { queryOptions } from '@tanstack/react-query'
import { coworkingKeys } from './keys'

async function getSpaces(city: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  let query = supabase
    .from('coworking_space')
    .select(
      '*, offerings:coworking_offering_type(id, offering_type, price_from, capacity), images:coworking_space_images(id, url, order)',
    )
    .eq('active', true)
  if (city) query = query.ilike('city', `%${city}%`)
  const { data, error, status } = await query
    .order('paid_listing', { ascending: false })
    .order('created_at', { ascending: false })
    .abortSignal(signal)
    .retry(false)
  if (!error) return data
  if (!signal.aborted) reportError(error, 'coworking-list')
  throw Object.assign(new Error(error.message), { status, code: error.code })
}

export const spacesOptions = (city: string) =>
  queryOptions({ queryKey: coworkingKeys.list(city), queryFn: ({ signal }) => getSpaces(city, signal) })

export type ListedSpace = Awaited<ReturnType<typeof getSpaces>>[number]

/** The cities that have spaces, for a visitor who arrives with one of them chosen. */
async function getCities(signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('coworking_space')
    .select('city')
    .eq('active', true)
    .abortSignal(signal)
    .retry(false)
  if (error) throw Object.assign(new Error(error.message), { status, code: error.code })
  return [...new Set(data.map((space) => space.city))].sort()
}

export const citiesOptions = queryOptions({
  queryKey: coworkingKeys.cities,
  queryFn: ({ signal }) => getCities(signal),
})
