import { reportError } from '@/lib/errors'
import { getSupabase } from '@/lib/supabase'

/** Remembers that this person looked at the property. Nobody waits for it, and nobody is told when it fails. */
export async function recordView(id: string) {
  try {
    const { error } = await (await getSupabase()).rpc('record_view', { p_id: id })
    if (error) reportError(error, 'record-view')
  } catch (error) {
    reportError(error, 'record-view')
  }
}
