// Starts the platform for the end-to-end tests: in one process, or as six processes behind the gateway.
//
// NILAM_E2E_MODE chooses (`mounted` by default). Every port is free and every folder temporary, so suites
// can run beside each other and beside a platform that somebody uses.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const mode = process.env.NILAM_E2E_MODE ?? 'mounted';
const binaries = path.join(root, process.env.NILAM_BINARIES ?? 'target/debug');

/** A port that nobody listens on right now, below those that the system gives to outgoing connections, one of which could take it meanwhile. */
export async function freePort() {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}

/** Polls until the function gives something truthy; the last error is the reason of a failure. */
export async function until(what, check, timeoutMs = 30_000) {
  const end = Date.now() + timeoutMs;
  let reason;
  while (Date.now() < end) {
    try {
      const value = await check();
      if (value) return value;
    } catch (error) {
      reason = error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: reason });
}

/** A child whose output is kept for the message of a failure. */
export function start(name, args, env = {}) {
  const child = spawn(path.join(binaries, name), args, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      // Whose certificates are trusted where packages are fetched.
      ...(process.env.SSL_CERT_FILE && { SSL_CERT_FILE: process.env.SSL_CERT_FILE }),
      ...(process.env.NODE_EXTRA_CA_CERTS && {
        NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
      }),
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output.push(line);
      if (output.length > 200) output.shift();
      child.emit('line', line);
    });
  }
  child.transcript = () => `${name}:\n${output.join('\n')}`;
  return child;
}

/** Asks a child to stop and waits for it; gives its exit code. */
export async function stop(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  child.kill(signal);
  const [code] = await once(child, 'exit');
  return code;
}

/** Starts `standalone` and waits for its line `ready`. */
export async function standalone(dataDir, ports, more = [], env = {}) {
  const args = [
    'start',
    ...['--data-dir', dataDir],
    ...[
      '--api-port',
      String(ports.api),
      '--db-port',
      String(ports.db),
      '--mailbox-port',
      String(ports.mailbox),
    ],
    ...more,
  ];
  const child = start('standalone', args, env);
  const endpoints = await new Promise((resolve, reject) => {
    child.on('line', (line) => line.startsWith('ready ') && resolve(JSON.parse(line.slice(6))));
    child.once('exit', (code) =>
      reject(new Error(`exit ${code} before it was ready\n${child.transcript()}`)),
    );
  });
  return { child, endpoints };
}

/** A temporary folder that the account which runs Postgres can enter. */
export async function dataFolder() {
  const folder = await mkdtemp(path.join(tmpdir(), 'nilam-e2e-'));
  await chmod(folder, 0o755);
  return folder;
}

export async function freePorts(...names) {
  const ports = {};
  for (const name of names) ports[name] = await freePort();
  return ports;
}

/**
 * The platform of a test file.
 *
 * Apart, `standalone` still gives the database and the mailbox, as containers would, and the six services
 * run beside it with nothing but environment variables.
 */
export async function platform({ functions } = {}) {
  const folder = await dataFolder();
  const ports = await freePorts('api', 'db', 'mailbox');
  const own = functions ? { NILAM_FUNCTIONS_FUNCTIONS_DIR: functions } : {};
  const { child, endpoints } = await standalone(folder, ports, [], own);
  const children = [child];
  if (mode === 'apart') {
    const apart = await startApart(endpoints, folder, functions);
    children.unshift(...apart.children);
    endpoints.API_URL = apart.url;
  }
  return {
    ...endpoints,
    url: endpoints.API_URL,
    folder,
    child,
    async close() {
      for (const one of children) await stop(one);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startApart(endpoints, folder, functions) {
  const ports = await freePorts('gateway', 'rest', 'auth', 'storage', 'realtime', 'functions');
  const database = (role) => endpoints.DB_URL.replace('//postgres:', `//${role}:`);
  const at = (name) => `http://127.0.0.1:${ports[name]}`;
  const secret = endpoints.JWT_SECRET;
  const dbUrl = new URL(endpoints.DB_URL);
  const children = [
    start('rest-svc', [], {
      PGRST_DB_URI: database('authenticator'),
      PGRST_DB_SCHEMAS: 'public,graphql_public',
      PGRST_DB_EXTRA_SEARCH_PATH: 'public,extensions',
      PGRST_DB_ANON_ROLE: 'anon',
      PGRST_JWT_SECRET: secret,
      PGRST_DB_MAX_ROWS: '1000',
      PGRST_SERVER_HOST: '127.0.0.1',
      PGRST_SERVER_PORT: String(ports.rest),
    }),
    start('auth-svc', [], {
      GOTRUE_API_HOST: '127.0.0.1',
      GOTRUE_API_PORT: String(ports.auth),
      API_EXTERNAL_URL: `${at('gateway')}/auth/v1`,
      GOTRUE_DB_DRIVER: 'postgres',
      GOTRUE_DB_DATABASE_URL: database('supabase_auth_admin'),
      GOTRUE_SITE_URL: at('gateway'),
      GOTRUE_URI_ALLOW_LIST: `${at('gateway')}/**`,
      GOTRUE_JWT_SECRET: secret,
      GOTRUE_JWT_AUD: 'authenticated',
      GOTRUE_JWT_DEFAULT_GROUP_NAME: 'authenticated',
      GOTRUE_JWT_ADMIN_ROLES: 'service_role',
      GOTRUE_EXTERNAL_EMAIL_ENABLED: 'true',
      GOTRUE_EXTERNAL_PHONE_ENABLED: 'true',
      GOTRUE_MAILER_URLPATHS_CONFIRMATION: '/auth/v1/verify',
      GOTRUE_MAILER_URLPATHS_RECOVERY: '/auth/v1/verify',
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
    }),
    start('storage-svc', [], {
      PORT: String(ports.storage),
      SERVER_HOST: '127.0.0.1',
      DATABASE_URL: database('supabase_storage_admin'),
      AUTH_JWT_SECRET: secret,
      ANON_KEY: endpoints.ANON_KEY,
      SERVICE_KEY: endpoints.SERVICE_ROLE_KEY,
      STORAGE_BACKEND: 'file',
      STORAGE_FILE_BACKEND_PATH: path.join(folder, 'storage'),
      TENANT_ID: 'stub',
      REGION: 'local',
      UPLOAD_FILE_SIZE_LIMIT: String(50 * 1024 * 1024),
      STORAGE_PUBLIC_URL: at('gateway'),
      REQUEST_ALLOW_X_FORWARDED_PATH: 'true',
      IMAGE_TRANSFORMATION_ENABLED: 'true',
      S3_PROTOCOL_ACCESS_KEY_ID: endpoints.S3_PROTOCOL_ACCESS_KEY_ID,
      S3_PROTOCOL_ACCESS_KEY_SECRET: endpoints.S3_PROTOCOL_ACCESS_KEY_SECRET,
    }),
    start('realtime-svc', [], {
      PORT: String(ports.realtime),
      DB_HOST: dbUrl.hostname,
      DB_PORT: dbUrl.port,
      DB_USER: 'supabase_admin',
      DB_PASSWORD: dbUrl.password,
      DB_NAME: dbUrl.pathname.slice(1),
      API_JWT_SECRET: secret,
    }),
    start('functions-svc', [], {
      EDGE_RUNTIME_HOST: '127.0.0.1',
      EDGE_RUNTIME_PORT: String(ports.functions),
      JWT_SECRET: secret,
      FUNCTIONS_DIR: functions ?? path.join(root, 'functions'),
      FUNCTIONS_CACHE_DIR: path.join(folder, 'functions-cache'),
      SUPABASE_URL: at('gateway'),
      SUPABASE_ANON_KEY: endpoints.ANON_KEY,
      SUPABASE_SERVICE_ROLE_KEY: endpoints.SERVICE_ROLE_KEY,
      SUPABASE_PUBLISHABLE_KEY: endpoints.PUBLISHABLE_KEY,
      SUPABASE_SECRET_KEY: endpoints.SECRET_KEY,
      SUPABASE_DB_URL: endpoints.DB_URL,
    }),
    start('gateway', [], {
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: String(ports.gateway),
      GATEWAY_REQUIRE_APIKEY: 'false',
      GATEWAY_FRONTEND_DIR: path.join(root, 'frontend/dist'),
      ANON_KEY: endpoints.ANON_KEY,
      SERVICE_ROLE_KEY: endpoints.SERVICE_ROLE_KEY,
      SUPABASE_PUBLISHABLE_KEY: endpoints.PUBLISHABLE_KEY,
      SUPABASE_SECRET_KEY: endpoints.SECRET_KEY,
      REST_URL: at('rest'),
      AUTH_URL: at('auth'),
      STORAGE_URL: at('storage'),
      REALTIME_URL: at('realtime'),
      FUNCTIONS_URL: at('functions'),
    }),
  ];
  try {
    await until('six services', async () => {
      const ended = children.find((child) => child.exitCode !== null);
      if (ended) throw new Error(ended.transcript());
      return (await fetch(`${at('gateway')}/health`)).ok;
    });
  } catch (error) {
    for (const child of children) child.kill('SIGKILL');
    throw new Error(children.map((child) => child.transcript()).join('\n'), {
      cause: error,
    });
  }
  return { children, url: at('gateway') };
}

/** The code of the newest message to a phone number. */
export async function smsCode(mailboxUrl, phone) {
  const digits = phone.replace('+', '');
  return until(`an SMS to ${phone}`, async () => {
    const answer = await fetch(`${mailboxUrl}/api/v1/sms/latest?phone=${digits}`);
    if (!answer.ok) return undefined;
    const message = await answer.json();
    return message.OTP ?? message.Text?.match(/\d{6}/)?.[0];
  });
}

/** The newest mail to an address, with its text and HTML. */
export async function mailTo(mailboxUrl, address) {
  return until(`a mail to ${address}`, async () => {
    const query = encodeURIComponent(`to:${address}`);
    const found = await (await fetch(`${mailboxUrl}/api/v1/search?query=${query}`)).json();
    const [newest] = found.messages ?? [];
    return newest && (await fetch(`${mailboxUrl}/api/v1/message/${newest.ID}`)).json();
  });
}
