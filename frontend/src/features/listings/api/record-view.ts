import { reportError } from '@/lib/errors'
import { getSupabase } from '@/lib/supabase'
import { guestViews, setGuestViews } from '../guest-views'

/** Remembers that this person looked at the property. Nobody waits for it, and nobody is told when it fails. */
export async function recordView(id: string) {
  try {
    const { error } = await (await getSupabase()).rpc('record_view', { p_id: id })
    if (error) reportError(error, 'record-view')
  } catch (error) {
    reportError(error, 'record-view')
  }
}

/** What was looked at before signing in becomes the account's, in the order in which it was looked at. */
export async function adoptGuestViews() {
  const seen = guestViews()
  // First, so that two pages do not both do it.
  setGuestViews([])
  for (const id of seen) await recordView(id)
}
