// auth-svc beside GoTrue: the same database, the same machine, in turns, with the same settings.
// GOTRUE_BIN names a GoTrue binary; without it auth-svc is measured alone. `with-postgres` gives the server.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { residentMb } from './processes.mjs';
import * as servers from './servers.mjs';
import { keep } from './summary.mjs';
import { connections, freePort, jwt, median, postmasterOf, psql, rounds, run, seconds } from './servers.mjs';

const here = import.meta.dirname;
const gotrue = process.env.GOTRUE_BIN && resolve(process.env.GOTRUE_BIN);
const secret = 'a secret for the bench alone, 32 bytes or more';
const REQUESTS = ['refresh', 'user', 'sign-in'];
const scratch = await mkdtemp(join(tmpdir(), 'bench-'));

const superuser = new URL(process.env.NILAM_TEST_DATABASE_URL);
superuser.pathname = '/bench';
const database = superuser.href;

/** Settings that both read. */
function settings(port) {
  const url = new URL(database);
  [url.username, url.password] = ['supabase_auth_admin', 'bench'];
  return {
    PATH: process.env.PATH,
    GOTRUE_DB_DRIVER: 'postgres',
    GOTRUE_DB_DATABASE_URL: url.href,
    // Without these GoTrue keeps two connections at most, and makes a new one for nearly every request.
    GOTRUE_DB_MAX_POOL_SIZE: '10',
    GOTRUE_DB_MAX_IDLE_POOL_SIZE: '10',
    DATABASE_URL: url.href,
    GOTRUE_API_HOST: '127.0.0.1',
    GOTRUE_API_PORT: String(port),
    PORT: String(port),
    API_EXTERNAL_URL: `http://127.0.0.1:${port}`,
    GOTRUE_SITE_URL: 'http://127.0.0.1:3000',
    GOTRUE_JWT_SECRET: secret,
    GOTRUE_JWT_AUD: 'authenticated',
    GOTRUE_JWT_DEFAULT_GROUP_NAME: 'authenticated',
    GOTRUE_MAILER_AUTOCONFIRM: 'true',
    GOTRUE_LOG_LEVEL: 'error',
    RUST_LOG: 'error',
  };
}

async function start(name, program) {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const env = settings(port);
  await run(program, ['migrate'], { env });
  const answers = async () => (await fetch(`${base}/health`)).ok;
  const options = { env, cwd: scratch, stdio: 'ignore' };
  const server = await servers.start(name, program, ['serve'], options, answers);
  return { ...server, base, idle: residentMb(server.child.pid) };
}

/** Fresh sessions, and a file with the tokens that the request needs. */
async function tokens(request) {
  const rows = (await psql('-d', database, '-f', `${here}/auth/sessions.sql`)).split('\n');
  const expires = Math.floor(Date.now() / 1000) + 3600;
  const lines = rows.map((line) => {
    const [sub, session, refresh] = line.split('|');
    if (request !== 'user') return refresh;
    const claims = { sub, session_id: session, aud: 'authenticated', role: 'authenticated', exp: expires };
    return jwt(secret, claims);
  });
  const path = join(scratch, 'tokens');
  await writeFile(path, lines.join('\n'));
  return path;
}

async function load(request, server, postmaster) {
  const env = { REQUEST: request, BASE: '', TOKENS: await tokens(request) };
  const script = `${here}/auth/requests.lua`;
  const figures = await servers.load(script, server.base, env, server, postmaster);
  if (figures.failed > 0) throw new Error(`${server.name}, ${request}: ${figures.failed} requests failed`);
  return figures;
}

/** Passwords that all cores together can check per second when they do nothing else. */
async function passwordLimit() {
  const { stdout } = await run('target/release/examples/password_limit', [String(seconds)]);
  return Number(stdout);
}

function row(request, server, runs, peers, limits) {
  const of = (key) => median(runs.map((each) => each[key]));
  const times = (key) => median(runs.map((each, index) => each[key] / peers[index][key]));
  return [
    request,
    server.name,
    of('perSecond').toFixed(request === 'sign-in' ? 1 : 0),
    `${times('perSecond').toFixed(2)} ×`,
    limits ? `${(100 * median(runs.map((each, i) => each.perSecond / limits[i]))).toFixed(0)} %` : '',
    of('p50').toFixed(1),
    of('p99').toFixed(1),
    (of('ownMicros') / 1000).toFixed(3),
    (of('postgresMicros') / 1000).toFixed(3),
    `${of('memory').toFixed(0)} (${(of('memory') / median(peers.map((each) => each.memory))).toFixed(2)} ×)`,
  ];
}

/** What auth-svc comes to for a request, beside GoTrue where it runs, and beside the limit of bcrypt. */
function conclusions(request, runs, limits) {
  const ours = runs.at(-1);
  const of = (all, key) => median(all.map((each) => each[key]));
  const line = (unit, key, target) => {
    const what = { what: `${request}, ${unit}`, unit, ours: of(ours, key) };
    if (runs.length === 1) return what;
    const ratio = median(ours.map((each, index) => each[key] / runs[0][index][key]));
    return { ...what, beside: 'GoTrue', theirs: of(runs[0], key), ratio, target };
  };
  const lines = [
    line('req/s', 'perSecond', request === 'sign-in' ? undefined : { of: 'ratio', least: 3 }),
    line('ms p99', 'p99'),
    line('µs own CPU', 'ownMicros'),
    line('MB', 'memory', { of: 'ratio', most: 0.5 }),
  ];
  if (request === 'sign-in') {
    const ratio = median(ours.map((each, index) => each.perSecond / limits[index]));
    const beside = { beside: 'bcrypt alone', theirs: median(limits), ratio };
    lines.push({ ...lines[0], ...beside, target: { of: 'ratio', least: 0.9 } });
  }
  return lines;
}

async function main() {
  await psql('-d', process.env.NILAM_TEST_DATABASE_URL, '-c', 'create database bench');
  await psql('-d', database, '-f', `${here}/auth/roles.sql`);
  const postmaster = await postmasterOf(database);
  const hash = (await run('target/release/examples/password_limit', ['hash'])).stdout.trim();
  const measured = [];
  try {
    if (gotrue) measured.push(await start('GoTrue', gotrue));
    measured.push(await start('auth-svc', resolve('target/release/auth-svc')));
    await psql('-d', database, '-v', `hash=${hash}`, '-f', `${here}/auth/users.sql`);
    const results = new Map(REQUESTS.map((request) => [request, measured.map(() => [])]));
    const limits = [];
    for (let round = 0; round < rounds; round += 1) {
      limits.push(await passwordLimit());
      for (const [request, runs] of results)
        for (const [index, server] of measured.entries())
          runs[index].push(await load(request, server, postmaster));
    }
    const table = [...results].flatMap(([request, runs]) =>
      measured.map((server, index) =>
        row(request, server, runs[index], runs[0], request === 'sign-in' ? limits : null),
      ),
    );
    servers.print(
      ['request', 'server', 'req/s', `of ${measured[0].name}`, 'of bcrypt alone', 'p50 ms', 'p99 ms'].concat([
        'own CPU ms',
        'Postgres CPU ms',
        'MB',
      ]),
      table,
    );
    await keep(
      'auth',
      [...results].flatMap(([request, runs]) => conclusions(request, runs, limits)),
    );
    const idle = measured.map((server) => `${server.name} ${server.idle.toFixed(0)} MB`).join(', ');
    console.log(`\n${connections} connections, median of ${rounds} × ${seconds} s; idle: ${idle}`);
  } finally {
    await Promise.all(measured.map(({ child }) => servers.end(child)));
    await rm(scratch, { recursive: true });
  }
}

await main();
