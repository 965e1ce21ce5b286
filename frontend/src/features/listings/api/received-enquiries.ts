import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { enquiryKeys } from './keys'

const RECENT = 5

async function getReceived(user: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('enquiries')
    .select('id, name, phone, email, message, status, created_at, property:properties(title, slug)')
    .eq('owner_id', user)
    // What waits for an answer first: the statuses are declared in that order.
    .order('status')
    .order('created_at', { ascending: false })
    .limit(RECENT)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data
}

/** The latest questions, unanswered ones first, about this user's listings. */
export const receivedOptions = (user: string) =>
  queryOptions({
    queryKey: enquiryKeys.received(user),
    queryFn: ({ signal }) => getReceived(user, signal),
    enabled: user !== '',
  })

async function countNew(user: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { count, error, status } = await supabase
    .from('enquiries')
    .select('id', { count: 'exact', head: true })
    .eq('owner_id', user)
    .eq('status', 'new')
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return count ?? 0
}

export const newEnquiriesOptions = (user: string) =>
  queryOptions({
    queryKey: enquiryKeys.fresh(user),
    queryFn: ({ signal }) => countNew(user, signal),
    enabled: user !== '',
  })

async function markRead(id: string) {
  const supabase = await getSupabase()
  const { error, status } = await supabase.from('enquiries').update({ status: 'read' }).eq('id', id)
  if (error) throw failed(error, status)
}

export function useMarkRead() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: markRead,
    onSettled: () => client.invalidateQueries({ queryKey: enquiryKeys.all }),
  })
}
