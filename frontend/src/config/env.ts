export interface Settings {
  supabaseUrl: string;
  supabaseAnonKey: string;
}

let pending: Promise<Settings> | undefined;

/** The server's own settings win; the built-in ones serve when there is no server to ask. */
export function loadSettings(): Promise<Settings> {
  pending ??= fetch('/config.json')
    .then((answer) => (answer.ok ? (answer.json() as Promise<Partial<Settings>>) : {}))
    .catch(() => ({}))
    .then((given: Partial<Settings>) => ({
      supabaseUrl: given.supabaseUrl || import.meta.env.VITE_SUPABASE_URL || window.location.origin,
      supabaseAnonKey: given.supabaseAnonKey || import.meta.env.VITE_SUPABASE_ANON_KEY || 'missing',
    }));
  return pending;
}

export const MAP_EMBED_URL: string =
  import.meta.env.VITE_MAP_EMBED_URL ??
  'https://maps.google.com/maps?q={lat},{lng}&z=15&output=embed';
