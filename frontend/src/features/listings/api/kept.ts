import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { enquiryKeys, listingKeys } from './keys'
import { CARD, type ListedProperty } from './search'

const MOST = 100
export type Kept = { at: string; property: ListedProperty }

/** A listing that is no longer public comes as nothing. */
const present = (rows: ReadonlyArray<{ at: string; property: ListedProperty | null }>): Kept[] =>
  rows.flatMap(({ at, property }) => (property ? [{ at, property }] : []))

async function getShortlisted(signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('shortlists')
    .select(`at:created_at, property:properties(${CARD})`)
    .order('created_at', { ascending: false })
    .limit(MOST)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return present(data)
}

async function getViewed(signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('property_views')
    .select(`at:last_viewed_at, property:properties(${CARD})`)
    .order('last_viewed_at', { ascending: false })
    .limit(MOST)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return present(data)
}

export const shortlistedOptions = (user: string) =>
  queryOptions({
    queryKey: [...listingKeys.shortlist(user), 'page'],
    queryFn: ({ signal }) => getShortlisted(signal),
    // What changed meanwhile on other pages is not in here.
    staleTime: 0,
    enabled: user !== '',
  })

export const viewedOptions = (user: string) =>
  queryOptions({
    queryKey: listingKeys.viewed(user),
    queryFn: ({ signal }) => getViewed(signal),
    staleTime: 0,
    enabled: user !== '',
  })

async function clearViewed(user: string) {
  const supabase = await getSupabase()
  const { error, status } = await supabase.from('property_views').delete().eq('user_id', user)
  if (error) throw failed(error, status)
}

export function useClearViewed(user: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => clearViewed(user),
    onSuccess: () => client.setQueryData(viewedOptions(user).queryKey, []),
  })
}

async function getSent(user: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('enquiries')
    .select('id, message, status, created_at, property_id, property:properties(title, slug, city)')
    .eq('sender_id', user)
    .order('created_at', { ascending: false })
    .limit(MOST)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data
}

export const sentOptions = (user: string) =>
  queryOptions({
    queryKey: enquiryKeys.sent(user),
    queryFn: ({ signal }) => getSent(user, signal),
    staleTime: 0,
    enabled: user !== '',
  })

async function getContacts(signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase.rpc('contacted_owners').abortSignal(signal).retry(false)
  if (error) throw failed(error, status)
  return data
}

/** How to reach the owners who were asked: their answer to the enquiry, without asking again. */
export const contactsOptions = (user: string) =>
  queryOptions({
    queryKey: [...enquiryKeys.sent(user), 'contacts'],
    queryFn: ({ signal }) => getContacts(signal),
    enabled: user !== '',
    staleTime: 0,
  })
