import type { Database } from '@/types/database'
import type { SupabaseClient } from '@supabase/supabase-js'

/**
 * Counts who looks at a property now, this visitor among them. The service makes up a name for each, and
 * nothing else is told about anybody.
 */
export function watchViewers(
  supabase: Pick<SupabaseClient<Database>, 'channel'>,
  topic: string,
  onCount: (count: number) => void,
) {
  const channel = supabase.channel(topic)
  return channel
    .on('presence', { event: 'sync' }, () => onCount(Object.keys(channel.presenceState()).length))
    .subscribe((status) => {
      // Again after each reconnect: the service forgets who left.
      if (status === 'SUBSCRIBED') void channel.track({})
      else onCount(0)
    })
}
