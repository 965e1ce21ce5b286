import { createClient } from '@supabase/supabase-js'

const read = (name: string, fallback = '') => Deno.env.get(name) || fallback

export const settings = {
  url: read('SUPABASE_URL'),
  anonKey: read('SUPABASE_ANON_KEY'),
  serviceKey: read('SUPABASE_SERVICE_ROLE_KEY'),
  /** Where people open the site; the same place as the API unless it is said. */
  site: read('SITE_URL', read('SUPABASE_URL')).replace(/\/$/, ''),
  /** Who reads what the contact form brings. */
  contactTo: read('CONTACT_TO', 'info@nilam.example'),
  /** Takes `{phone, text}` and sends it as an SMS; nothing is sent without it. */
  smsUrl: read('SMS_URL'),
}

const quiet = { auth: { persistSession: false, autoRefreshToken: false } }
/** As anybody: row-level security decides. */
export const asAnyone = () => createClient(settings.url, settings.anonKey, quiet)
/** As the service, past row-level security. */
export const asService = () => createClient(settings.url, settings.serviceKey, quiet)
