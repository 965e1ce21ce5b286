// The services apart, as compose.yaml runs them: two copies of each behind the gateway, NATS between the
// copies of realtime, an S3 store for the copies of storage. All of it plain processes on loopback, with nothing but environment
// variables.

import path from 'node:path';

import { freePort, root, run, start, stop, until } from './harness.mjs';

const COPIES = 2;

/**
 * Starts the services and the gateway beside a database and a mailbox that run already.
 *
 * `copies` of the result has the running processes by the name of their service; `restart` starts one of them
 * anew on its port.
 */
export async function startServices(endpoints, { folder, functions, auth = () => ({}) }) {
  const gatewayPort = await freePort();
  const url = `http://127.0.0.1:${gatewayPort}`;
  const copies = {};
  const urls = {};
  const beside = [];
  const keep = async (starting) => {
    const { child, url: at } = await starting;
    beside.push(child);
    return at;
  };
  let settings;
  try {
    const nats = await keep(startNats());
    const s3 = await keep(startStore(path.join(folder, 'storage/stub')));
    settings = services(endpoints, { url, nats, s3, folder, functions, auth: auth(url) });
  } catch (error) {
    for (const child of beside) child.kill('SIGKILL');
    throw error;
  }
  const startCopy = (service, port, admin) => {
    const { binary, env, metrics } = settings[service];
    const child = start(binary, [], env(port, admin));
    return { service, port, admin, child, metrics: metrics(port, admin) };
  };
  for (const service of Object.keys(settings)) {
    const ports = [];
    for (let copy = 0; copy < COPIES; copy++) ports.push(await freePort());
    copies[service] = [];
    for (const port of ports) copies[service].push(startCopy(service, port, await freePort()));
    urls[service] = ports.map((port) => `http://127.0.0.1:${port}`).join(',');
  }
  const gatewayAdmin = await freePort();
  const gateway = start('gateway', [], gatewayEnvironment(endpoints, gatewayPort, gatewayAdmin, urls));
  const children = () => [gateway, ...Object.values(copies).flatMap((all) => all.map((one) => one.child))];
  const answers = async (copy) =>
    (await fetch(`http://127.0.0.1:${copy.port}${settings[copy.service].health}`)).ok;
  try {
    await until(
      'the services apart',
      async () => {
        const ended = children().find((child) => child.exitCode !== null);
        if (ended) throw new Error(ended.transcript());
        const all = await Promise.all(Object.values(copies).flat().map(answers));
        return all.every(Boolean) && (await fetch(`${url}/health`)).ok;
      },
      60_000,
    );
  } catch (error) {
    for (const child of [...children(), ...beside]) child.kill('SIGKILL');
    throw new Error(
      children()
        .map((child) => child.transcript())
        .join('\n'),
      { cause: error },
    );
  }
  return {
    url,
    copies,
    gateway,
    /** Where metrics are, by service; realtime's are for who has a token. */
    metrics: {
      gateway: [`http://127.0.0.1:${gatewayAdmin}/metrics`],
      ...Object.fromEntries(
        Object.entries(copies).map(([service, all]) => [service, all.map((copy) => copy.metrics)]),
      ),
    },
    /** Starts a copy that has ended anew, and waits until it answers. */
    async restart(copy) {
      copy.child = startCopy(copy.service, copy.port, copy.admin).child;
      await until(`${copy.service} again`, () => answers(copy));
    },
    async close() {
      for (const child of [...children(), ...beside]) await stop(child);
    },
  };
}

async function startNats() {
  const port = await freePort();
  const child = run('nats-server', ['--addr', '127.0.0.1', '--port', String(port)]);
  await new Promise((resolve, reject) => {
    child.on('line', (line) => line.includes('Server is ready') && resolve());
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`exit ${code}\n${child.transcript()}`)));
  });
  return { child, url: `nats://127.0.0.1:${port}` };
}

const STORE = {
  GLOBAL_S3_BUCKET: 'nilam',
  AWS_ACCESS_KEY_ID: 'nilam',
  AWS_SECRET_ACCESS_KEY: 'only-on-loopback',
};

/** An S3 store in memory, whose bucket has the blobs of a folder: those that `standalone` made with the database. */
async function startStore(blobs) {
  const child = start('examples/s3_store', [STORE.GLOBAL_S3_BUCKET, blobs], STORE);
  const url = await new Promise((resolve, reject) => {
    child.on('line', (line) => line.startsWith('ready ') && resolve(line.slice('ready '.length)));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`exit ${code}\n${child.transcript()}`)));
  });
  return { child, url };
}

/**
 * The binary of each service, where it says that it is well, where its metrics are, and the variables of a copy on a port, with
 * another for those that keep metrics apart.
 */
function services(endpoints, { url, nats, s3, folder, functions, auth }) {
  const database = (role) => endpoints.DB_URL.replace('//postgres:', `//${role}:`);
  const secret = endpoints.JWT_SECRET;
  const dbUrl = new URL(endpoints.DB_URL);
  return {
    rest: {
      binary: 'rest-svc',
      health: '/',
      metrics: (_, admin) => `http://127.0.0.1:${admin}/metrics`,
      env: (port, admin) => ({
        PGRST_DB_URI: database('authenticator'),
        PGRST_DB_SCHEMAS: 'public,graphql_public',
        PGRST_DB_EXTRA_SEARCH_PATH: 'public,extensions',
        PGRST_DB_ANON_ROLE: 'anon',
        PGRST_JWT_SECRET: secret,
        PGRST_DB_MAX_ROWS: '1000',
        PGRST_SERVER_HOST: '127.0.0.1',
        PGRST_SERVER_PORT: String(port),
        PGRST_ADMIN_SERVER_HOST: '127.0.0.1',
        PGRST_ADMIN_SERVER_PORT: String(admin),
      }),
    },
    auth: {
      binary: 'auth-svc',
      health: '/health',
      metrics: (_, admin) => `http://127.0.0.1:${admin}/metrics`,
      env: (port, admin) => ({
        GOTRUE_API_HOST: '127.0.0.1',
        GOTRUE_API_PORT: String(port),
        GOTRUE_METRICS_ENABLED: 'true',
        GOTRUE_METRICS_EXPORTER: 'prometheus',
        OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
        OTEL_EXPORTER_PROMETHEUS_PORT: String(admin),
        API_EXTERNAL_URL: `${url}/auth/v1`,
        GOTRUE_DB_DRIVER: 'postgres',
        GOTRUE_DB_DATABASE_URL: database('supabase_auth_admin'),
        GOTRUE_SITE_URL: url,
        GOTRUE_URI_ALLOW_LIST: `${url}/**`,
        GOTRUE_JWT_SECRET: secret,
        GOTRUE_JWT_AUD: 'authenticated',
        GOTRUE_JWT_DEFAULT_GROUP_NAME: 'authenticated',
        GOTRUE_JWT_ADMIN_ROLES: 'service_role',
        GOTRUE_EXTERNAL_EMAIL_ENABLED: 'true',
        GOTRUE_EXTERNAL_PHONE_ENABLED: 'true',
        GOTRUE_MAILER_URLPATHS_CONFIRMATION: '/auth/v1/verify',
        GOTRUE_MAILER_URLPATHS_RECOVERY: '/auth/v1/verify',
        GOTRUE_MAILER_URLPATHS_EMAIL_CHANGE: '/auth/v1/verify',
        GOTRUE_MAILER_URLPATHS_INVITE: '/auth/v1/verify',
        GOTRUE_SMS_OTP_EXP: '6000',
        GOTRUE_RATE_LIMIT_EMAIL_SENT: '360000',
        GOTRUE_SMTP_HOST: '127.0.0.1',
        GOTRUE_SMTP_PORT: new URL(endpoints.SMTP_URL).port,
        GOTRUE_SMTP_ADMIN_EMAIL: 'no-reply@nilam.example',
        GOTRUE_SMTP_MAX_FREQUENCY: '1s',
        GOTRUE_SMS_MAX_FREQUENCY: '1s',
        GOTRUE_HOOK_SEND_SMS_ENABLED: 'true',
        GOTRUE_HOOK_SEND_SMS_URI: `${endpoints.MAILPIT_URL}/hooks/send-sms`,
        GOTRUE_HOOK_SEND_SMS_SECRETS: endpoints.SMS_HOOK_SECRET,
        ...auth,
      }),
    },
    storage: {
      binary: 'storage-svc',
      health: '/status',
      metrics: (port) => `http://127.0.0.1:${port}/metrics`,
      env: (port) => ({
        PORT: String(port),
        SERVER_HOST: '127.0.0.1',
        PROMETHEUS_METRICS_ENABLED: 'true',
        DATABASE_URL: database('supabase_storage_admin'),
        AUTH_JWT_SECRET: secret,
        ANON_KEY: endpoints.ANON_KEY,
        SERVICE_KEY: endpoints.SERVICE_ROLE_KEY,
        STORAGE_BACKEND: 's3',
        ...STORE,
        GLOBAL_S3_ENDPOINT: s3,
        GLOBAL_S3_FORCE_PATH_STYLE: 'true',
        TENANT_ID: 'stub',
        REGION: 'local',
        UPLOAD_FILE_SIZE_LIMIT: String(50 * 1024 * 1024),
        STORAGE_PUBLIC_URL: url,
        REQUEST_ALLOW_X_FORWARDED_PATH: 'true',
        IMAGE_TRANSFORMATION_ENABLED: 'true',
        S3_PROTOCOL_ACCESS_KEY_ID: endpoints.S3_PROTOCOL_ACCESS_KEY_ID,
        S3_PROTOCOL_ACCESS_KEY_SECRET: endpoints.S3_PROTOCOL_ACCESS_KEY_SECRET,
      }),
    },
    realtime: {
      binary: 'realtime-svc',
      health: '/healthcheck',
      metrics: (port) => `http://127.0.0.1:${port}/metrics`,
      env: (port) => ({
        PORT: String(port),
        DB_HOST: dbUrl.hostname,
        DB_PORT: dbUrl.port,
        DB_USER: 'supabase_admin',
        DB_PASSWORD: dbUrl.password,
        DB_NAME: dbUrl.pathname.slice(1),
        API_JWT_SECRET: secret,
        METRICS_JWT_SECRET: secret,
        NATS_URL: nats,
      }),
    },
    functions: {
      binary: 'functions-svc',
      health: '/_internal/health',
      metrics: (port) => `http://127.0.0.1:${port}/_internal/metrics`,
      env: (port) => ({
        EDGE_RUNTIME_HOST: '127.0.0.1',
        EDGE_RUNTIME_PORT: String(port),
        JWT_SECRET: secret,
        DATABASE_URL: database('supabase_admin'),
        FUNCTIONS_DIR: functions ?? path.join(root, 'functions'),
        FUNCTIONS_CACHE_DIR: path.join(folder, 'functions-cache'),
        SUPABASE_URL: url,
        SUPABASE_ANON_KEY: endpoints.ANON_KEY,
        SUPABASE_SERVICE_ROLE_KEY: endpoints.SERVICE_ROLE_KEY,
        SUPABASE_PUBLISHABLE_KEY: endpoints.PUBLISHABLE_KEY,
        SUPABASE_SECRET_KEY: endpoints.SECRET_KEY,
        SUPABASE_DB_URL: endpoints.DB_URL,
      }),
    },
  };
}

function gatewayEnvironment(endpoints, port, admin, urls) {
  return {
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    GATEWAY_ADMIN_PORT: String(admin),
    GATEWAY_REQUIRE_APIKEY: 'false',
    GATEWAY_FRONTEND_DIR: path.join(root, 'frontend/dist'),
    ANON_KEY: endpoints.ANON_KEY,
    SERVICE_ROLE_KEY: endpoints.SERVICE_ROLE_KEY,
    SUPABASE_PUBLISHABLE_KEY: endpoints.PUBLISHABLE_KEY,
    SUPABASE_SECRET_KEY: endpoints.SECRET_KEY,
    ...Object.fromEntries(
      Object.entries(urls).map(([service, all]) => [`${service.toUpperCase()}_URL`, all]),
    ),
  };
}
