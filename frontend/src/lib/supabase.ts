import type { SupabaseClient } from '@supabase/supabase-js';
import { loadSettings } from '@/config/env';
import type { Database } from '@/types/database';

let client: Promise<SupabaseClient<Database>> | undefined;

/** The one client, loaded beside the first paint rather than before it. */
export function supabase(): Promise<SupabaseClient<Database>> {
  client ??= Promise.all([import('@supabase/supabase-js'), loadSettings()]).then(
    ([{ createClient }, settings]) =>
      createClient<Database>(settings.supabaseUrl, settings.supabaseAnonKey),
  );
  return client;
}
