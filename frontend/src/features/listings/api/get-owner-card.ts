import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { queryOptions } from '@tanstack/react-query'
import { listingKeys } from './keys'

/** Who lists a property, as far as everybody may know it; null when the listing is not public. */
async function getOwnerCard(id: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .rpc('owner_card', { p_id: id })
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data[0] ?? null
}

export const ownerCardOptions = (id: string) =>
  queryOptions({ queryKey: listingKeys.owner(id), queryFn: ({ signal }) => getOwnerCard(id, signal) })
