import { earlyConfig } from '@/lib/early'

export type AppConfig = { supabaseUrl: string; supabaseAnonKey: string }

/** Reads what the serving host says about itself; build-time values are only the fallback. */
async function load(): Promise<AppConfig> {
  const fallback = {
    supabaseUrl: String(import.meta.env.VITE_SUPABASE_URL ?? ''),
    supabaseAnonKey: String(import.meta.env.VITE_SUPABASE_ANON_KEY ?? ''),
  }
  let found: Partial<Record<keyof AppConfig, unknown>> = {}
  try {
    // One that failed at the first moment of the page may not fail again.
    const early: unknown = await Promise.resolve(earlyConfig()).catch(() => undefined)
    if (typeof early === 'object' && early !== null && 'supabaseAnonKey' in early) found = early
    else {
      const response = await fetch('/config.json')
      if (response.ok) found = await response.json()
    }
  } catch {
    // No config file: the fallback stands.
  }
  const url = typeof found.supabaseUrl === 'string' ? found.supabaseUrl : fallback.supabaseUrl
  const key = typeof found.supabaseAnonKey === 'string' ? found.supabaseAnonKey : fallback.supabaseAnonKey
  return { supabaseUrl: url || window.location.origin, supabaseAnonKey: key }
}

let pending: Promise<AppConfig> | undefined
export const loadConfig = () => (pending ??= load())
/** None by default: then nothing is asked of anybody. */
export const tagManagerId = String(import.meta.env.VITE_GTM_ID ?? '')
/** Tiles for the map of results, `{z}/{x}/{y}`; none by default: the map draws what it brings along. */
export const tileUrl = String(import.meta.env.VITE_TILE_URL ?? '')
export const mapEmbedTemplate = String(
  import.meta.env.VITE_MAP_EMBED_URL || 'https://maps.google.com/maps?q={lat},{lng}&z=15&output=embed',
)
