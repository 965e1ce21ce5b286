import type { Database, Tables } from '@/types/database'
import type { SupabaseClient } from '@supabase/supabase-js'

type Property = Tables<'properties'>
export type Notices = {
  /** Somebody asked about a listing of this user. */
  onEnquiry: (enquiry: Pick<Tables<'enquiries'>, 'id' | 'name'>) => void
  /** A listing of this user changed; `decision` when it was approved or rejected just now. */
  onProperty: (property: Property, decision: 'approved' | 'rejected' | null) => void
  /** A listing came to wait for review. */
  onQueue: (property: Property) => void
  /** The connection was lost and is back; what happened meanwhile was not told. */
  onReturn: () => void
}

/** Approved or rejected by this change; a row that says nothing about before tells no news. */
export function decisionOf(before: Partial<Property>, after: Property) {
  if (!before.status || before.status === after.status) return null
  if (after.status === 'active') return 'approved'
  return after.status === 'rejected' ? 'rejected' : null
}

/** Whether more than the counters changed: being looked at and asked about is not an edit. */
export const isEdit = (before: Partial<Property>, after: Property) =>
  before.updated_at === undefined || before.updated_at !== after.updated_at || before.status !== after.status

/** One channel for all that a user is told. */
export function followNotices(
  supabase: Pick<SupabaseClient<Database>, 'channel'>,
  topic: string,
  { user, admin }: { user: string; admin: boolean },
  notices: Notices,
) {
  const channel = supabase.channel(topic)
  channel
    .on<Tables<'enquiries'>>(
      'postgres_changes',
      { event: 'INSERT', schema: 'public', table: 'enquiries', filter: `owner_id=eq.${user}` },
      ({ new: enquiry }) => notices.onEnquiry(enquiry),
    )
    .on<Property>(
      'postgres_changes',
      { event: 'UPDATE', schema: 'public', table: 'properties', filter: `owner_id=eq.${user}` },
      ({ old: before, new: after }) => {
        if (isEdit(before, after)) notices.onProperty(after, decisionOf(before, after))
      },
    )
  if (admin) {
    const pending = { schema: 'public', table: 'properties', filter: 'status=eq.pending' }
    channel
      .on<Property>('postgres_changes', { event: 'INSERT', ...pending }, ({ new: property }) =>
        notices.onQueue(property),
      )
      .on<Property>(
        'postgres_changes',
        { event: 'UPDATE', ...pending },
        ({ old: before, new: after }) => before.status !== 'pending' && notices.onQueue(after),
      )
  }
  let joined = false
  return channel.subscribe((status) => {
    if (status !== 'SUBSCRIBED') return
    if (joined) notices.onReturn()
    joined = true
  })
}
