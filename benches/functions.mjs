// functions-svc beside bare Deno: the same modules, called over Deno's own socket by the same client.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import * as servers from './servers.mjs';
import { keep } from './summary.mjs';
import { end, freePort, median, rounds, run, seconds } from './servers.mjs';
import { cpuSeconds, residentMb } from './processes.mjs';

const binary = process.env.NILAM_FUNCTIONS_SVC ?? resolve('target/release/functions-svc');
const deno = readdirSync('node_modules/@deno').map((system) =>
  resolve('node_modules/@deno', system, 'deno'),
)[0];
const connections = Number(process.env.BENCH_CONNECTIONS ?? 32);
/** First calls, and calls one after the other, that a median is taken of. */
const COLD = 8;
const WARM = 3000;

const folder = mkdtempSync(join(tmpdir(), 'nilam-bench-'));
const cache = resolve('target/bench-functions');
const modules = {
  trivial: `Deno.serve(() => new Response('hello'));`,
  'supabase-js': `import { createClient } from 'npm:@supabase/supabase-js@2';
Deno.serve(() => new Response(typeof createClient));`,
  echo: `Deno.serve((request) => new Response(request.body));`,
};
for (const [name, text] of Object.entries(modules))
  for (let copy = 0; copy < COLD; copy += 1) {
    const at = join(folder, 'functions', `${name}-${copy}`);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, 'index.ts'), text);
  }

const trust = ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS', 'DENO_CERT'].filter((name) => process.env[name]);
const machine = Object.fromEntries(['PATH', ...trust].map((name) => [name, process.env[name]]));

async function startOurs(settings = {}) {
  const port = await freePort();
  const env = {
    ...machine,
    EDGE_RUNTIME_HOST: '127.0.0.1',
    EDGE_RUNTIME_PORT: String(port),
    VERIFY_JWT: 'false',
    FUNCTIONS_DIR: join(folder, 'functions'),
    FUNCTIONS_CACHE_DIR: cache,
    DENO_BIN: deno,
    RUST_LOG: 'error',
    ...settings,
  };
  const answers = async () => (await fetch(`http://127.0.0.1:${port}/_internal/health`)).ok;
  const server = await servers.start('functions-svc', binary, [], { env }, answers);
  return { ...server, port, target: { port } };
}

let sockets = 0;

/** Deno with one of the modules and nothing of ours; resolves when it answers. */
async function startBare(name) {
  const socketPath = join(folder, `bare-${(sockets += 1)}`);
  const env = { ...machine, DENO_DIR: join(cache, 'deno'), DENO_NO_UPDATE_CHECK: '1' };
  env.DENO_SERVE_ADDRESS = `unix:${socketPath}`;
  const module = pathToFileURL(join(folder, 'functions', `${name}-0`, 'index.ts')).href;
  const child = spawn(deno, ['run', '--no-lock', '--cached-only', '-A', module], {
    env,
    stdio: 'ignore',
  });
  for (;;) {
    try {
      await call({ socketPath });
      return { child, target: { socketPath } };
    } catch {
      await new Promise((next) => setTimeout(next, 1));
    }
  }
}

async function startBareTcp(name) {
  const port = await freePort();
  const env = { ...machine, DENO_DIR: join(cache, 'deno'), DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}` };
  const module = pathToFileURL(join(folder, 'functions', `${name}-0`, 'index.ts')).href;
  const args = ['run', '--no-lock', '--cached-only', '-A', module];
  const answers = async () => (await fetch(`http://127.0.0.1:${port}`)).ok;
  const server = await servers.start('deno', deno, args, { env, stdio: 'ignore' }, answers);
  return { ...server, port };
}

/** One request; its milliseconds. */
function call(target, path = '/', { agent, body } = {}) {
  return new Promise((yes, no) => {
    const begun = performance.now();
    const options = { host: '127.0.0.1', ...target, path, agent, method: body ? 'POST' : 'GET' };
    const sent = request(options, (response) => {
      response.resume();
      response.on('end', () => {
        const elapsed = performance.now() - begun;
        if (response.statusCode === 200) yes(elapsed);
        else no(new Error(`${path}: ${response.statusCode}`));
      });
      response.on('error', no);
    });
    sent.on('error', no);
    sent.end(body);
  });
}

const pause = (ms) => new Promise((next) => setTimeout(next, ms));

/** Waits until the service has as many processes as it is going to have. */
async function settled(server) {
  let before = -1;
  for (;;) {
    const now = readFileSync(`/proc/${server.child.pid}/task/${server.child.pid}/children`, 'utf8');
    const children = readdirSync(`/proc/${server.child.pid}/task`)
      .map((task) => readFileSync(`/proc/${server.child.pid}/task/${task}/children`, 'utf8'))
      .join('')
      .split(' ').length;
    if (children === before && now !== undefined) return;
    before = children;
    await pause(1500);
  }
}

/** First calls of functions that nobody has called. */
async function cold(name, settings) {
  const server = await startOurs(settings);
  await settled(server);
  const times = [];
  for (let copy = 0; copy < COLD; copy += 1) times.push(await call(server.target, `/${name}-${copy}`));
  await end(server.child);
  return median(times);
}

async function coldBare(name) {
  const times = [];
  for (let copy = 0; copy < COLD; copy += 1) {
    const begun = performance.now();
    const server = await startBare(name);
    times.push(performance.now() - begun);
    await end(server.child);
  }
  return median(times);
}

/** Calls one after the other over one connection. */
async function warm(target, path) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = [];
  for (let each = 0; each < WARM; each += 1) times.push(await call(target, path, { agent }));
  agent.destroy();
  return median(times.slice(WARM / 10));
}

/** As many requests as go through. */
async function throughput(server, path) {
  await run('wrk', ['-t1', `-c${connections}`, '-d1s', `http://127.0.0.1:${server.port}${path}`]);
  const before = cpuSeconds(server.child.pid);
  const { stdout } = await run('wrk', [
    '-t1',
    `-c${connections}`,
    `-d${seconds}s`,
    '--latency',
    `http://127.0.0.1:${server.port}${path}`,
  ]);
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)[1]);
  const failed = /Non-2xx or 3xx responses: (\d+)/.exec(stdout)?.[1] ?? '0';
  const cpu = (cpuSeconds(server.child.pid) - before) / (perSecond * seconds);
  return { perSecond, failed: Number(failed), micros: cpu * 1e6 };
}

async function transfer(target, path) {
  const body = Buffer.alloc(16 << 20, 1);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times = [];
  for (let each = 0; each < 10; each += 1) times.push(await call(target, path, { agent, body }));
  agent.destroy();
  return 16 / (median(times) / 1000);
}

const ms = (value) => `${value.toFixed(2)} ms`;
const count = (value) => Math.round(value).toLocaleString('en');
const loads = loadavg()[0].toFixed(1);
const table = [];
const lines = [];
const beside = (unit, ours, theirs) => ({ unit, ours, beside: 'bare Deno', theirs, ratio: ours / theirs });
try {
  // Fetches packages, and lets Deno compile what it keeps.
  for (const settings of [{ FUNCTIONS_POOL_SIZE: '0' }])
    for (const name of Object.keys(modules)) await cold(name, settings);

  for (const [name, target] of [
    ['trivial', 80],
    ['supabase-js', 150],
  ]) {
    const of = { ready: [], fresh: [], bare: [] };
    for (let round = 0; round < rounds; round += 1) {
      of.bare.push(await coldBare(name));
      of.fresh.push(await cold(name, { FUNCTIONS_POOL_SIZE: '0' }));
      of.ready.push(await cold(name, { FUNCTIONS_POOL_SIZE: String(3 * COLD) }));
    }
    const bare = ms(median(of.bare));
    for (const [when, runs] of [
      ['process ready', of.ready],
      ['no process', of.fresh],
    ])
      lines.push({
        what: `first call, ${name}, ${when}`,
        ...beside('ms', median(runs), median(of.bare)),
        target: { of: 'ours', most: target },
      });
    table.push([`first call, ${name}, process ready`, ms(median(of.ready)), bare, `< ${target} ms`]);
    table.push([`first call, ${name}, no process`, ms(median(of.fresh)), bare, '']);
  }

  const ours = await startOurs();
  const bare = await startBare('trivial');
  const bareTcp = await startBareTcp('trivial');
  const bareEcho = await startBare('echo');
  await call(ours.target, '/trivial-0');
  const of = { ours: [], bare: [] };
  const through = { ours: [], bare: [] };
  const streams = { ours: [], bare: [] };
  for (let round = 0; round < rounds; round += 1) {
    of.bare.push(await warm(bare.target, '/trivial-0'));
    of.ours.push(await warm(ours.target, '/trivial-0'));
    through.bare.push(await throughput(bareTcp, '/'));
    through.ours.push(await throughput(ours, '/trivial-0'));
    streams.bare.push(await transfer(bareEcho.target, '/echo-0'));
    streams.ours.push(await transfer(ours.target, '/echo-0'));
  }
  const overhead = median(of.ours) - median(of.bare);
  table.push([
    'call, p50',
    ms(median(of.ours)),
    ms(median(of.bare)),
    `< 1 ms more: ${overhead.toFixed(2)} ms`,
  ]);
  lines.push({ what: 'call, p50', ...beside('ms', median(of.ours), median(of.bare)) });
  lines.push({
    what: 'call, p50 beyond Deno’s',
    unit: 'ms',
    ours: overhead,
    target: { of: 'ours', most: 1 },
  });
  const rate = (runs) => median(runs.map((each) => each.perSecond));
  const micros = (runs) => median(runs.map((each) => each.micros)).toFixed(0);
  const failed = Math.max(...through.ours.map((each) => each.failed));
  table.push([
    `calls over ${connections} connections${failed ? `, ${failed} FAILED` : ''}`,
    `${count(rate(through.ours))}/s, ${micros(through.ours)} µs CPU`,
    `${count(rate(through.bare))}/s, ${micros(through.bare)} µs CPU`,
    '',
  ]);
  table.push([
    '16 MiB there and back',
    `${count(median(streams.ours))} MiB/s`,
    `${count(median(streams.bare))} MiB/s`,
    '',
  ]);
  table.push([
    'memory of the service itself',
    `${residentMb(ours.child.pid).toFixed(0)} MB`,
    `${residentMb(bare.child.pid).toFixed(0)} MB a process`,
    '',
  ]);
  lines.push({
    what: `calls over ${connections} connections`,
    ...beside('/s', rate(through.ours), rate(through.bare)),
  });
  lines.push({
    what: '16 MiB there and back',
    ...beside('MiB/s', median(streams.ours), median(streams.bare)),
  });
  await keep('functions', lines);
  for (const server of [ours, bare, bareTcp, bareEcho]) await end(server.child);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
servers.print(['what', 'functions-svc', 'bare Deno', 'target'], table);
console.log(`\nmedian of ${rounds} rounds; ${cpus().length} cores, on which ${loads} others ran before.`);
