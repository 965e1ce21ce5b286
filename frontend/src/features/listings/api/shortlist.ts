import { failed } from '@/lib/failure'
import { getSupabase } from '@/lib/supabase'
import { queryOptions } from '@tanstack/react-query'
import { guestShortlist, setGuestShortlist } from '../guest-shortlist'
import { shortlistKey } from './shortlist-key'

export async function addToShortlist(user: string, ids: readonly string[]) {
  const supabase = await getSupabase()
  const { error, status } = await supabase.from('shortlists').upsert(
    ids.map((id) => ({ user_id: user, property_id: id })),
    { onConflict: 'user_id,property_id', ignoreDuplicates: true },
  )
  if (error) throw failed(error, status)
}

export async function removeFromShortlist(id: string) {
  const supabase = await getSupabase()
  const { error, status } = await supabase.from('shortlists').delete().eq('property_id', id)
  if (error) throw failed(error, status)
}

/** What was kept before signing in becomes the account's; listings that are gone are left out. */
async function adoptGuestShortlist(user: string) {
  const kept = guestShortlist()
  if (kept.length === 0) return
  const supabase = await getSupabase()
  const { data, error, status } = await supabase.from('properties').select('id').in('id', kept)
  if (error) throw failed(error, status)
  if (data.length)
    await addToShortlist(
      user,
      data.map(({ id }) => id),
    )
  setGuestShortlist([])
}

async function getShortlist(user: string, signal: AbortSignal) {
  await adoptGuestShortlist(user)
  const supabase = await getSupabase()
  const { data, error, status } = await supabase
    .from('shortlists')
    .select('property_id')
    .abortSignal(signal)
    .retry(false)
  if (error) throw failed(error, status)
  return data.map(({ property_id: id }) => id)
}

export const shortlistOptions = (user: string) =>
  queryOptions({
    queryKey: shortlistKey(user),
    queryFn: ({ signal }) => getShortlist(user, signal),
    enabled: user !== '',
  })
