import { reportError } from '@/lib/errors'
import { getSupabase } from '@/lib/supabase'
import type { RealtimeChannel } from '@supabase/supabase-js'

type Client = Awaited<ReturnType<typeof getSupabase>>

/** Topics that are being left. The client library hands out a channel again while it is still closing. */
const leaving = new Map<string, Promise<unknown>>()

/**
 * Opens a channel once the client is there and an earlier channel of this topic is gone. Returns the way out,
 * which may be taken at any time.
 */
export function holdChannel(
  topic: string,
  open: (client: Client, topic: string) => RealtimeChannel,
  client: () => Promise<Client> = getSupabase,
) {
  let left = false
  const opened = Promise.all([client(), leaving.get(topic)])
    .then(([supabase]) => (left ? undefined : { supabase, channel: open(supabase, topic) }))
    .catch((error) => void reportError(error, 'realtime'))
  return () => {
    if (left) return
    left = true
    const done: Promise<unknown> = opened
      .then((held) => held && held.supabase.removeChannel(held.channel))
      .catch((error) => void reportError(error, 'realtime'))
      .then(() => {
        if (leaving.get(topic) === done) leaving.delete(topic)
      })
    leaving.set(topic, done)
  }
}
