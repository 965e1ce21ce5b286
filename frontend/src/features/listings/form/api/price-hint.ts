import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { queryOptions } from '@tanstack/react-query'
import { listingKeys } from '../../api/keys'
import { ENUMS } from '../../labels'
import { quartiles } from '../hint'
import type { Values } from '../schema/values'

type About = Pick<Values, 'intent' | 'propertyType' | 'state' | 'city' | 'locality'>
const MOST = 200
const ENOUGH = 3

type Place = readonly [column: 'locality' | 'city' | 'state', name: string]

async function ratesOf({ intent, propertyType }: About, places: readonly Place[], signal: AbortSignal) {
  const type = ENUMS.property_type.find((each) => each === propertyType) ?? 'office'
  const supabase = await getSupabase()
  let query = supabase
    .from('properties')
    .select('price_per_sqft')
    .eq('status', 'active')
    .eq('intent', intent === 'sale' ? 'sale' : 'lease')
    .eq('property_type', type)
    .not('price_per_sqft', 'is', null)
  for (const [column, name] of places) query = query.eq(column, name)
  const { data, error, status } = await query.limit(MOST).abortSignal(signal).retry(false)
  if (error) throw failed(error, status)
  return data.flatMap(({ price_per_sqft: rate }) => (rate === null ? [] : [rate]))
}

/** What is asked per square foot for the like of it, in the smallest place where there are enough of them. */
async function getHint(about: About, signal: AbortSignal) {
  const places: Place[] = (['locality', 'city', 'state'] as const).map((column) => [
    column,
    about[column].trim(),
  ])
  for (let wider = 0; wider < places.length; wider++) {
    const [smallest] = places.slice(wider)
    if (!smallest?.[1]) continue
    const within = places.slice(wider).filter(([, name]) => name !== '')
    const rates = await ratesOf(about, within, signal)
    const found = rates.length >= ENOUGH ? quartiles(rates) : null
    if (found) return { ...found, place: smallest[1], count: rates.length }
  }
  return null
}

export const priceHintOptions = (about: About) =>
  queryOptions({
    queryKey: [
      ...listingKeys.all,
      'hint',
      about.intent,
      about.propertyType,
      about.state,
      about.city.trim(),
      about.locality.trim(),
    ],
    queryFn: ({ signal }) => getHint(about, signal),
    enabled: about.city.trim() !== '' && about.propertyType !== '' && about.intent !== '',
  })
