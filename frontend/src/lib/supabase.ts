import { loadConfig } from '@/config/env'
import { fetchOrEarly } from '@/lib/early'
import type { Database } from '@/types/database'
import type { SupabaseClient } from '@supabase/supabase-js'

let client: Promise<SupabaseClient<Database>> | undefined

/** The one client. It arrives in its own chunk, so the first paint does not wait for it. */
export function getSupabase() {
  client ??= Promise.all([loadConfig(), import('@supabase/supabase-js')]).then(([config, { createClient }]) =>
    createClient<Database>(config.supabaseUrl, config.supabaseAnonKey, { global: { fetch: fetchOrEarly } }),
  )
  return client
}
