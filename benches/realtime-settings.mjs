// How realtime-svc is started where it is measured: without the limits that protect it from what a measurement does.

export const secret = 'a secret for the bench alone, 32 bytes or more';

/** The environment of a copy at `port` that owns the database of `url`. */
export function realtimeSettings(url, port) {
  const owner = new URL(url);
  owner.username = 'supabase_admin';
  const unlimited = '100000000';
  return {
    PATH: process.env.PATH,
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: owner.href,
    API_JWT_SECRET: secret,
    METRICS_JWT_SECRET: secret,
    TENANT_MAX_CONCURRENT_USERS: unlimited,
    TENANT_MAX_CHANNELS_PER_CLIENT: unlimited,
    TENANT_MAX_JOINS_PER_SECOND: unlimited,
    TENANT_MAX_EVENTS_PER_SECOND: unlimited,
    TENANT_MAX_PRESENCE_EVENTS_PER_SECOND: unlimited,
    CLIENT_PRESENCE_MAX_CALLS: unlimited,
    RUST_LOG: 'error',
  };
}
