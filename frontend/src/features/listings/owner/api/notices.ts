import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { queryOptions } from '@tanstack/react-query'
import { enquiryKeys, listingKeys } from '../../api/keys'

const MOST = 50

async function getDecisions(user: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('moderation_events')
    .select('id, to, reason, at, property:properties!inner(id, title, slug, owner_id)')
    .eq('property.owner_id', user)
    .in('to', ['active', 'rejected', 'archived'])
    // What the owner did is no news.
    .or(`actor.is.null,actor.neq.${user}`)
    .order('at', { ascending: false })
    .limit(MOST)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data.map(({ id, to, reason, at, property }) => ({
    kind: 'decision' as const,
    id,
    to,
    reason,
    at,
    property,
  }))
}

async function getAsked(user: string, signal: AbortSignal) {
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('enquiries')
    .select('id, name, status, created_at, property:properties(id, title, slug)')
    .eq('owner_id', user)
    .neq('status', 'spam')
    .order('created_at', { ascending: false })
    .limit(MOST)
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data.map(({ id, name, created_at: at, property }) => ({
    kind: 'enquiry' as const,
    id,
    name,
    at,
    property,
  }))
}

async function getNews(user: string, signal: AbortSignal) {
  const [decisions, asked] = await Promise.all([getDecisions(user, signal), getAsked(user, signal)])
  return [...decisions, ...asked].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, MOST)
}
export type News = Awaited<ReturnType<typeof getNews>>[number]

/** What happened to somebody's listings, the latest first. Anew with every enquiry and every decision. */
export const newsOptions = (user: string) =>
  queryOptions({
    queryKey: [...listingKeys.all, 'news', user],
    queryFn: ({ signal }) => getNews(user, signal),
    enabled: user !== '',
    staleTime: 0,
  })
export const newsFollow = enquiryKeys.all
