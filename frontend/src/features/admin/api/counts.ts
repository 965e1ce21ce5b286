import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { queryOptions } from '@tanstack/react-query'
import { adminKeys } from './keys'

async function getCounts(signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase.rpc('admin_counts').abortSignal(signal).retry(false)
  if (error) throw failed(error, status)
  return data[0] ?? { pending: 0, reports: 0, messages: 0 }
}

/** How much waits on each desk. */
export const countsOptions = queryOptions({
  queryKey: adminKeys.counts,
  queryFn: ({ signal }) => getCounts(signal),
  staleTime: 0,
})
