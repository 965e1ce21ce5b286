// rest-svc beside Supabase Lite and beside Postgres's own limit: the same database, the same machine, in turns.
// Prints a table; `with-postgres` gives the server. BENCH_ROUNDS (3), BENCH_SECONDS (4), BENCH_CONNECTIONS (16).
import { mkdir, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';

import { residentMb } from './processes.mjs';
import { limit } from './rest/limit.mjs';
import * as servers from './servers.mjs';
import { keep } from './summary.mjs';
import { connections, freePort, jwt, median, postmasterOf, psql, rounds, seconds } from './servers.mjs';

const here = import.meta.dirname;
const lite = resolve('target/lite/node_modules/@supabase/lite/dist/cli/index.js');
const secret = 'a secret for the bench alone, 32 bytes or more';
const claims = { role: 'anon', iss: 'supabase', exp: 4102444800 };
const REQUESTS = ['row', 'list', 'ilike', 'insert', 'rpc'];

/** Shares of Postgres's own limit, and how many times Supabase Lite. */
const TARGETS = { row: [0.5, 20], list: [0.85], insert: [0.7], rpc: [0.3, 20] };

const superuser = new URL(process.env.NILAM_TEST_DATABASE_URL);
superuser.pathname = '/bench';
const database = superuser.href;

/** Starts a server and waits until it answers. */
async function start(name, program, args, options, server) {
  const headers = {
    apikey: server.apiKey ?? '',
    ...(server.token && { authorization: `Bearer ${server.token}` }),
  };
  const probe = `${server.base}/places?slug=in.(place-1,place-2,place-3)`;
  const answers = async () => {
    const response = await fetch(probe, { headers });
    return response.ok && (await response.json()).length > 0;
  };
  return { ...(await servers.start(name, program, args, options, answers)), ...server };
}

async function startOurs() {
  const port = await freePort();
  const url = new URL(database);
  [url.username, url.password] = ['authenticator', 'bench'];
  const env = {
    PATH: process.env.PATH,
    PGRST_DB_URI: url.href,
    PGRST_DB_ANON_ROLE: 'anon',
    PGRST_DB_SCHEMAS: 'public',
    PGRST_JWT_SECRET: secret,
    PGRST_SERVER_HOST: '127.0.0.1',
    PGRST_SERVER_PORT: String(port),
    PGRST_LOG_LEVEL: 'crit',
    RUST_LOG: 'error',
  };
  const server = { base: `http://127.0.0.1:${port}`, token: jwt(secret, claims) };
  return start('rest-svc', 'target/release/rest-svc', [], { env }, server);
}

async function startLite() {
  const port = await freePort();
  const cwd = resolve('target/lite/project');
  await mkdir(`${cwd}/supabase`, { recursive: true });
  await writeFile(
    `${cwd}/supabase/config.toml`,
    `[api]
port = ${port}
[db]
driver = "postgres"
url = "${database}"
[auth]
enabled = true
jwt_secret = "${secret}"
publishable_key = "sb_publishable_bench"
secret_key = "sb_secret_bench"
`,
  );
  const server = { base: `http://127.0.0.1:${port}/rest/v1`, apiKey: 'sb_publishable_bench' };
  const args = [lite, '--no-telemetry', 'start', '--no-admin'];
  return start('Supabase Lite', process.execPath, args, { cwd }, server);
}

/** One run of wrk against a server. */
async function load(request, server, postmaster) {
  const base = new URL(server.base).pathname.replace(/\/$/, '');
  const env = { REQUEST: request, BASE: base };
  if (server.token) env.TOKEN = server.token;
  if (server.apiKey) env.API_KEY = server.apiKey;
  return servers.load(`${here}/rest/requests.lua`, server.base, env, server, postmaster);
}

function row(request, name, runs, limits) {
  const of = (key) => median(runs.map((each) => each[key]));
  const share = median(runs.map((each, index) => each.perSecond / limits[index].perSecond));
  const cells = [request, name, of('perSecond').toFixed(0), `${(share * 100).toFixed(0)} %`];
  if (runs[0].p50 === undefined) return [...cells, '', '', '', '', ''];
  return cells.concat([
    of('p50').toFixed(1),
    of('p99').toFixed(1),
    of('ownMicros').toFixed(0),
    of('postgresMicros').toFixed(0),
    of('memory').toFixed(0),
  ]);
}

/** What rest-svc comes to for a request, beside the limit and beside Supabase Lite. */
function conclusions(request, limits, [ours, theirs]) {
  const of = (runs, key) => median(runs.map((each) => each[key]));
  const times = (runs, key) => median(ours.map((each, index) => each[key] / runs[index][key]));
  const line = (unit, key, beside, runs, least) => ({
    what: `${request}, ${unit}`,
    unit,
    ours: of(ours, key),
    beside,
    theirs: of(runs, key),
    ratio: times(runs, key),
    target: least && { of: 'ratio', least },
  });
  return [
    line('req/s', 'perSecond', 'pgbench, pipelined', limits, TARGETS[request]?.[0]),
    line('req/s', 'perSecond', 'Supabase Lite', theirs, TARGETS[request]?.[1]),
    line('ms p99', 'p99', 'Supabase Lite', theirs),
    line('µs own CPU', 'ownMicros', 'Supabase Lite', theirs),
    line('MB', 'memory', 'Supabase Lite', theirs),
  ];
}

async function main() {
  await psql('-d', process.env.NILAM_TEST_DATABASE_URL, '-c', 'create database bench');
  await psql('-d', database, '-f', `${here}/rest/schema.sql`);
  const postmaster = await postmasterOf(database);
  const measured = [];
  try {
    measured.push(await startOurs());
    const idle = residentMb(measured[0].child.pid);
    measured.push(await startLite());
    const results = new Map(
      REQUESTS.map((request) => [request, { limits: [], runs: measured.map(() => []) }]),
    );
    for (let round = 0; round < rounds; round += 1)
      for (const request of REQUESTS) {
        const { limits, runs } = results.get(request);
        limits.push(await limit(request, { connections, seconds, port: superuser.port }));
        for (const [index, server] of measured.entries()) {
          const figures = await load(request, server, postmaster);
          if (figures.failed > 0)
            throw new Error(`${server.name}, ${request}: ${figures.failed} requests failed`);
          runs[index].push(figures);
        }
      }
    const table = [...results].flatMap(([request, { limits, runs }]) => [
      row(request, 'pgbench, pipelined', limits, limits),
      ...measured.map((server, index) => row(request, server.name, runs[index], limits)),
    ]);
    const head = [
      'request',
      'server',
      'req/s',
      'of limit',
      'p50 ms',
      'p99 ms',
      'own CPU µs',
      'Postgres CPU µs',
      'MB',
    ];
    servers.print(head, table);
    await keep(
      'rest',
      [...results].flatMap(([request, { limits, runs }]) => conclusions(request, limits, runs)),
    );
    console.log(
      `\n${connections} connections, median of ${rounds} × ${seconds} s; rest-svc idle ${idle.toFixed(0)} MB`,
    );
  } finally {
    await Promise.all(measured.map(({ child }) => servers.end(child)));
  }
}

await main();
