// rest-svc beside Supabase Lite and beside Postgres's own limit: the same database, the same machine, in turns.
// Prints a table; `with-postgres` gives the server. BENCH_ROUNDS (3), BENCH_SECONDS (4), BENCH_CONNECTIONS (16).
import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

import { cpuSeconds, residentMb } from './processes.mjs';
import { limit } from './rest/limit.mjs';

const run = promisify(execFile);
const here = import.meta.dirname;
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const connections = Number(process.env.BENCH_CONNECTIONS ?? 16);
const lite = resolve('target/lite/node_modules/@supabase/lite/dist/cli/index.js');
const secret = 'a secret for the bench alone, 32 bytes or more';
const REQUESTS = ['row', 'list', 'ilike', 'insert', 'rpc'];

const superuser = new URL(process.env.NILAM_TEST_DATABASE_URL);
superuser.pathname = '/bench';
const database = superuser.href;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

function token() {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ role: 'anon', iss: 'supabase', exp: 4102444800 })}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

async function psql(...args) {
  const { stdout } = await run('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1', ...args]);
  return stdout.trim();
}

/** Starts a server and waits until it answers. */
async function start(name, program, args, options, server) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  const headers = {
    apikey: server.apiKey ?? '',
    ...(server.token && { authorization: `Bearer ${server.token}` }),
  };
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await fetch(`${server.base}/places?slug=in.(place-1,place-2,place-3)`, {
      headers,
    }).catch(() => null);
    if (response?.ok && (await response.json()).length > 0) return { name, child, ...server };
    await setTimeout(200);
  }
  child.kill();
  throw new Error(`${name} does not answer`);
}

/** Ends a server, one that does not listen too. */
async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  const patience = setTimeout(3000, undefined, { ref: false }).then(() => child.kill('SIGKILL'));
  await Promise.race([ended, patience]);
  await ended;
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
  const server = { base: `http://127.0.0.1:${port}`, token: token() };
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

/** One run of wrk against a server, with what the server and Postgres spent on it. */
async function load(request, server, postmaster) {
  const before = [cpuSeconds(server.child.pid), cpuSeconds(postmaster)];
  const url = new URL(server.base);
  const env = { ...process.env, REQUEST: request, BASE: url.pathname.replace(/\/$/, '') };
  if (server.token) env.TOKEN = server.token;
  if (server.apiKey) env.API_KEY = server.apiKey;
  const { stdout } = await run(
    'wrk',
    ['-t2', `-c${connections}`, `-d${seconds}s`, '-s', `${here}/rest/requests.lua`, url.origin],
    { env },
  );
  const figures = JSON.parse(stdout.trim().split('\n').at(-1));
  const perRequest = (pid, was) => ((cpuSeconds(pid) - was) / figures.requests) * 1e6;
  return {
    ...figures,
    perSecond: figures.requests / figures.seconds,
    ownMicros: perRequest(server.child.pid, before[0]),
    postgresMicros: perRequest(postmaster, before[1]),
    memory: residentMb(server.child.pid),
  };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

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

async function main() {
  await psql('-d', process.env.NILAM_TEST_DATABASE_URL, '-c', 'create database bench');
  await psql('-d', database, '-f', `${here}/rest/schema.sql`);
  const dataDirectory = await psql('-d', database, '-c', 'show data_directory');
  const postmaster = Number((await readFile(`${dataDirectory}/postmaster.pid`, 'utf8')).split('\n')[0]);
  const servers = [];
  try {
    servers.push(await startOurs());
    const idle = residentMb(servers[0].child.pid);
    servers.push(await startLite());
    const results = new Map(
      REQUESTS.map((request) => [request, { limits: [], runs: servers.map(() => []) }]),
    );
    for (let round = 0; round < rounds; round += 1)
      for (const request of REQUESTS) {
        const { limits, runs } = results.get(request);
        limits.push(await limit(request, { connections, seconds, port: superuser.port }));
        for (const [index, server] of servers.entries()) {
          const figures = await load(request, server, postmaster);
          if (figures.failed > 0)
            throw new Error(`${server.name}, ${request}: ${figures.failed} requests failed`);
          runs[index].push(figures);
        }
      }
    const table = [...results].flatMap(([request, { limits, runs }]) => [
      row(request, 'pgbench, pipelined', limits, limits),
      ...servers.map((server, index) => row(request, server.name, runs[index], limits)),
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
    for (const line of [head, head.map(() => '---'), ...table]) console.log(`| ${line.join(' | ')} |`);
    console.log(
      `\n${connections} connections, median of ${rounds} × ${seconds} s; rest-svc idle ${idle.toFixed(0)} MB`,
    );
  } finally {
    await Promise.all(servers.map(({ child }) => end(child)));
  }
}

await main();
