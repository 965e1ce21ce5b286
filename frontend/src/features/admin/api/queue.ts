import { failed } from '@/lib/failure'
import { sortImages } from '@/lib/images'
import { getSupabase } from '@/lib/supabase'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { adminKeys } from './keys'

const MOST = 100

async function getQueue(signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, count, error, status } = await supabase
    .from('properties')
    .select('*, owner:profiles(full_name, phone, email, company), images:property_images(*)', {
      count: 'exact',
    })
    .eq('status', 'pending')
    .order('submitted_at', { ascending: true })
    .limit(MOST)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return {
    total: count ?? data.length,
    rows: data.map((row) => ({ ...row, images: sortImages(row.images) })),
  }
}

/** What waits for a decision, the oldest first. */
export const queueOptions = queryOptions({
  queryKey: adminKeys.list('queue'),
  queryFn: ({ signal }) => getQueue(signal),
  staleTime: 0,
})

export type Waiting = Awaited<ReturnType<typeof getQueue>>['rows'][number]

async function getDuplicates(id: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .rpc('possible_duplicates', { p_id: id })
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data
}

/** Listings that may be the same thing listed twice. */
export const duplicatesOptions = (id: string) =>
  queryOptions({
    queryKey: adminKeys.list('duplicates', id),
    queryFn: ({ signal }) => getDuplicates(id, signal),
  })

export type Decision = { ids: readonly string[]; to: 'active' | 'rejected' | 'archived'; reason?: string }

/** Decides about each; those that could not be decided are counted, and the first reason is kept. */
async function moderate({ ids, to, reason }: Decision) {
  const supabase = await getSupabase()
  let done = 0
  let failure: Error | undefined
  for (const id of ids) {
    const { error, status } = await supabase.rpc('moderate', { p_id: id, to, ...(reason && { reason }) })
    if (error) failure ??= failed(error, status)
    else done++
  }
  if (failure && done === 0) throw failure
  return { done, failure }
}

export function useModerate() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: moderate,
    // A decision that was made is not made again.
    retry: false,
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: adminKeys.all }),
        client.invalidateQueries({ queryKey: ['listings'] }),
      ]),
  })
}
