import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listingKeys } from './keys'

/** How many listings there are per value of each facet: `facets.city.Chennai`. */
async function getFacets(text: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .rpc('property_facets', text ? { q: text } : {})
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  const facets: Record<string, Record<string, number>> = {}
  for (const { facet, value, count } of data) (facets[facet] ??= {})[value] = count
  return facets
}

export const facetsOptions = (text: string) =>
  queryOptions({
    queryKey: listingKeys.facets(text),
    queryFn: ({ signal }) => getFacets(text, signal),
    placeholderData: keepPreviousData,
  })
