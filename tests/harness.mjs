// Starts the platform for the end-to-end tests: in one process, or apart, two copies of each
// service behind the gateway.
//
// NILAM_E2E_MODE chooses (`mounted` by default). Every port is free and every folder temporary, so suites
// can run beside each other and beside a platform that somebody uses.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

import { startServices } from './topology.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
export const mode = process.env.NILAM_E2E_MODE ?? 'mounted';
const binaries = path.join(root, process.env.NILAM_BINARIES ?? 'target/debug');

/**
 * Where the tests' ports are: above the last that `fetch` and browsers refuse to talk to (10080), and below those that our
 * programs find for themselves and that the system gives to outgoing connections.
 */
const PORTS = { first: 10_100, blocks: 118, perBlock: 100 };

/** Listens on a port of loopback, or gives nothing if it is taken. */
async function listen(port) {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return undefined;
  }
  return server;
}

/**
 * The first of a block of ports that is this process's alone: it listens on it for as long as it runs, and whoever finds it
 * taken looks for another block.
 */
async function reserveBlock() {
  for (;;) {
    const first = PORTS.first + Math.floor(Math.random() * PORTS.blocks) * PORTS.perBlock;
    const server = await listen(first);
    if (server) {
      server.unref();
      return first;
    }
  }
}

let block;
let given = 0;

/**
 * A port that nobody listens on right now, and that nobody else is given: what it is for begins to listen later, after other
 * ports have been asked for, by this file and by those that run beside it.
 */
export async function freePort() {
  block ??= reserveBlock();
  const first = await block;
  for (;;) {
    given = (given % (PORTS.perBlock - 1)) + 1;
    const port = first + given;
    const server = await listen(port);
    if (!server) continue;
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

/** The path of one of our programs. */
export const binary = (name) => path.join(binaries, name);

/** One of our programs, whose output is kept for the message of a failure. */
export const start = (name, args, env) => run(binary(name), args, env);

/** Whose certificates are trusted where packages are fetched. */
export const trust = Object.fromEntries(
  ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'DENO_CERT']
    .filter((name) => process.env[name])
    .map((name) => [name, process.env[name]]),
);

/** A program of the system, likewise. */
export function run(program, args, env = {}) {
  const child = spawn(program, args, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOG_LEVEL: 'warn',
      ...trust,
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
  child.transcript = () => `${path.basename(program)}:\n${output.join('\n')}`;
  return child;
}

/** Asks a child to stop and waits for it; gives its exit code. */
export async function stop(child, signal = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  child.kill(signal);
  const [code] = await once(child, 'exit');
  return code;
}

/** Starts `standalone` and waits for its line `ready`. A project has a data folder of its own. */
export async function standalone(dataDir, ports, more = [], env = {}) {
  const args = [
    'start',
    ...(dataDir ? ['--data-dir', dataDir] : []),
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

const TEMPLATES = 'nilam-e2e-data-';
/** Milliseconds after which a template is no longer in use: another checkout may run its tests at the same time. */
const TEMPLATE_KEPT = 3 * 60 * 60 * 1000;

/**
 * A data folder as the first start leaves it, for all files of a run: a copy takes a moment, a first start seconds. There is
 * one for each build of the binary; those of earlier builds go after a while.
 */
async function template() {
  const { mtimeMs, size, ino } = await stat(binary('standalone'));
  const name = `${TEMPLATES}${[ino, size, Math.floor(mtimeMs)].map((part) => part.toString(36)).join('-')}`;
  const finished = path.join(tmpdir(), name);
  const exists = await stat(finished).catch(() => undefined);
  if (exists) return finished;
  for (const earlier of await readdir(tmpdir())) {
    if (!earlier.startsWith(TEMPLATES)) continue;
    const found = path.join(tmpdir(), earlier);
    const made = await stat(found).catch(() => undefined);
    if (made && Date.now() - made.mtimeMs > TEMPLATE_KEPT) await rm(found, { recursive: true, force: true });
  }
  const folder = await dataFolder();
  const { child, endpoints } = await standalone(folder, await freePorts('api', 'db', 'mailbox'));
  // The pictures of the demonstration come a moment after the platform, these last.
  for (const bucket of ['coworking-images', 'property-images']) {
    const last = `${endpoints.API_URL}/storage/v1/object/public/${bucket}/demo/scene-24.webp`;
    await until(`the pictures in ${bucket}`, async () => (await fetch(last)).ok, 90_000);
  }
  await stop(child);
  // Two files at a time both make one; the second throws its own away.
  await rename(folder, finished).catch(() => rm(folder, { recursive: true, force: true }));
  return finished;
}

/** A data folder that a first start has been through. */
async function preparedFolder() {
  const from = await template();
  const folder = await dataFolder();
  // Not Node's own: the files belong to the account of the database.
  await promisify(execFile)('cp', ['-a', `${from}/.`, folder]);
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
 * Apart, `standalone` still gives the database and the mailbox, as containers would, and the services run
 * beside it with nothing but environment variables, two copies of each behind the gateway. `functions` is a folder of
 * functions in place of the product's; `auth` gives settings of auth-svc for the address that the platform has.
 */
export async function platform({ functions, auth = () => ({}) } = {}) {
  const folder = await preparedFolder();
  const opened = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    while (opened.length) await opened.pop()();
  };
  try {
    const ports = await freePorts('api', 'db', 'mailbox');
    const settings = Object.entries(auth(`http://127.0.0.1:${ports.api}`));
    const { child, endpoints } = await standalone(folder, ports, [], {
      ...(functions && { NILAM_FUNCTIONS_FUNCTIONS_DIR: functions }),
      ...Object.fromEntries(settings.map(([name, value]) => [`NILAM_AUTH_${name}`, value])),
    });
    opened.push(() => stop(child));
    const services =
      mode === 'apart' ? await startServices(endpoints, { folder, functions, auth }) : undefined;
    if (services) {
      opened.push(services.close);
      endpoints.API_URL = services.url;
    }
    return { ...endpoints, url: endpoints.API_URL, folder, child, services, close };
  } catch (error) {
    await close();
    throw error;
  }
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
