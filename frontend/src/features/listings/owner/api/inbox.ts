import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import type { Enums } from '@/types/database'
import { keepPreviousData, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { enquiryKeys } from '../../api/keys'

export const INBOX_PER_PAGE = 20
export type InboxFilter = { status: Enums<'enquiry_status'> | ''; listing: string; page: number }

async function getInbox(user: string, { status, listing, page }: InboxFilter, signal: AbortSignal) {
  const supabase = await getSupabase()
  let query = supabase
    .from('enquiries')
    .select(
      'id, name, phone, email, message, status, created_at, responded_at, property:properties(id, title, slug)',
      {
        count: 'exact',
      },
    )
    .eq('owner_id', user)
  // What was marked as spam is out of sight unless it is asked for.
  query = status ? query.eq('status', status) : query.neq('status', 'spam')
  if (listing) query = query.eq('property_id', listing)
  const from = (page - 1) * INBOX_PER_PAGE
  const answer = await query
    .order('created_at', { ascending: false })
    .range(from, from + INBOX_PER_PAGE - 1)
    .abortSignal(signal)
    .retry(false)
  if (answer.status === 416) return { enquiries: [], total: 0 }
  if (answer.error) throw failed(answer.error, answer.status)
  return { enquiries: answer.data, total: answer.count ?? answer.data.length }
}
export type Received = Awaited<ReturnType<typeof getInbox>>['enquiries'][number]

const inboxKey = (user: string) => [...enquiryKeys.received(user), 'inbox'] as const

export const inboxOptions = (user: string, filter: InboxFilter) =>
  queryOptions({
    queryKey: [...inboxKey(user), filter],
    queryFn: ({ signal }) => getInbox(user, filter, signal),
    enabled: user !== '',
    staleTime: 0,
    placeholderData: keepPreviousData,
  })

type Change = { id: string; status: Enums<'enquiry_status'> }

async function setEnquiryStatus({ id, status }: Change) {
  const supabase = await getSupabase()
  const answer = await supabase.from('enquiries').update({ status }).eq('id', id)
  if (answer.error) throw failed(answer.error, answer.status)
}

export function useEnquiryStatus() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: setEnquiryStatus,
    // Not waited for: with the list anew the enquiry may be gone from it.
    onSettled: () => void client.invalidateQueries({ queryKey: enquiryKeys.all }),
  })
}

const DAY = 86_400_000
const MOST = 1000

async function getDays(user: string, days: number, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('enquiries')
    .select('created_at')
    .eq('owner_id', user)
    .gte('created_at', new Date(Date.now() - days * DAY).toISOString())
    .limit(MOST)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data.map(({ created_at: at }) => at)
}

/** When the enquiries of the last days came. */
export const recentDaysOptions = (user: string, days: number) =>
  queryOptions({
    queryKey: [...enquiryKeys.received(user), 'days', days],
    queryFn: ({ signal }) => getDays(user, days, signal),
    enabled: user !== '',
    staleTime: 0,
  })
