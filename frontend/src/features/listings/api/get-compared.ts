import { failed } from '@/lib/failure'
import { sortImages } from '@/lib/images'
import { getSupabase } from '@/lib/supabase'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { listingKeys } from './keys'

async function getCompared(ids: readonly string[], signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('properties')
    .select('*, images:property_images(*)')
    .in('id', ids)
    .limit(ids.length)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  // In the order in which they were asked for; those that are no longer public are not among them.
  return ids.flatMap((id) => {
    const found = data.find((property) => property.id === id)
    return found ? [{ ...found, images: sortImages(found.images) }] : []
  })
}

export const comparedOptions = (ids: readonly string[]) =>
  queryOptions({
    queryKey: [...listingKeys.all, 'compared', ids.join(',')],
    queryFn: ({ signal }) => getCompared(ids, signal),
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
  })
