// Many clients that come, talk and go for a long time, and what realtime-svc keeps of them. Not a part of `make bench`: it says whether
// something grows, not how fast something is. `with-postgres` gives the server of the database.
//
//   target/debug/with-postgres node benches/realtime-soak.mjs
//
// SOAK_SECONDS (1800), SOAK_CLIENTS (2000), SOAK_PAUSE (6: seconds between two acts of a client, on average). Clients are spread over
// processes of which one is killed every so often: those clients end without a word.
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { residentMb } from './processes.mjs';
import { realtimeSettings, secret } from './realtime-settings.mjs';
import * as servers from './servers.mjs';
import { freePort, jwt, psql, run } from './servers.mjs';

const seconds = Number(process.env.SOAK_SECONDS ?? 1800);
const clients = Number(process.env.SOAK_CLIENTS ?? 2000);
const HERDS = 10;
const KILL_EVERY = 30;

async function start() {
  const url = new URL(process.env.NILAM_TEST_DATABASE_URL);
  await psql('-d', url.href, '-c', 'create database soak');
  url.pathname = '/soak';
  const programs = resolve(process.env.NILAM_BINARIES ?? 'target/release');
  await run(`${programs}/standalone`, ['migrate', '--database-url', url.href, '--seed', 'none']);
  const port = await freePort();
  const env = realtimeSettings(url.href, port);
  const answers = async () => (await fetch(`http://127.0.0.1:${port}/healthcheck`)).ok;
  const args = ['-c', 'ulimit -n "$(ulimit -Hn)"; exec "$0"', `${programs}/realtime-svc`];
  const server = await servers.start('realtime-svc', 'bash', args, { env, stdio: 'ignore' }, answers);
  return { ...server, port };
}

const token = (role) => jwt(secret, { role, iss: 'supabase', exp: 4102444800 });

/** What the service says of itself. */
async function gauges(port) {
  const headers = { authorization: `Bearer ${token('service_role')}` };
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
  const value = (name) => Number(new RegExp(`^${name}(?:\\{[^}]*\\})? ([\\d.e+]+)`, 'm').exec(text)?.[1]);
  return Object.fromEntries(
    ['connections_connected', 'users', 'channels', 'rooms'].map((name) => [name, value(`realtime_${name}`)]),
  );
}

const total = { joins: 0, leaves: 0, closes: 0, killed: 0, sent: 0, received: 0, late: 0, refused: 0 };

/** A process with its share of the clients. */
function herd(port) {
  const child = fork(resolve(import.meta.dirname, 'realtime-soak-clients.mjs'), {
    execArgv: ['--max-old-space-size=256'],
    env: {
      ...process.env,
      SOAK_URL: `ws://127.0.0.1:${port}/socket/websocket?vsn=2.0.0&apikey=${token('anon')}`,
      SOAK_SHARE: String(clients / HERDS),
    },
  });
  child.on('message', (counts) => {
    for (const [name, count] of Object.entries(counts)) total[name] += count;
  });
  return child;
}

const ended = async (child) => {
  if (child.exitCode === null && child.signalCode === null)
    await new Promise((yes) => child.once('exit', yes));
  if (child.exitCode) throw new Error('clients failed');
};

const server = await start();
const herds = [];
const samples = [];
const sample = async (minute) => {
  const { pid } = server.child;
  const files = readdirSync(`/proc/${pid}/fd`).length;
  const found = { minute, mb: Math.round(residentMb(pid)), files, ...(await gauges(server.port)), ...total };
  samples.push(found);
  console.log(JSON.stringify(found));
};
try {
  await sample(0);
  for (let index = 0; index < HERDS; index += 1) herds.push(herd(server.port));
  const began = Date.now();
  const elapsed = () => (Date.now() - began) / 1000;
  for (let step = 1; elapsed() < seconds; step += 1) {
    await setTimeout(Math.max(0, step * KILL_EVERY - elapsed()) * 1000);
    if (step % 2 === 0) await sample((step * KILL_EVERY) / 60);
    const index = step % HERDS;
    const gone = ended(herds[index]);
    herds[index].kill('SIGKILL');
    await gone;
    total.killed += clients / HERDS;
    herds[index] = herd(server.port);
  }
  await Promise.all(
    herds.map((child) => {
      const gone = ended(child);
      child.send('end');
      return gone;
    }),
  );
  // Whoever was killed last is missed by the silence of its socket alone.
  await setTimeout(5000);
  await sample('after');
  const last = samples.at(-1);
  const left = ['connections_connected', 'users', 'channels', 'rooms'].filter((name) => last[name] > 0);
  console.log(left.length > 0 ? `left over: ${left.join(', ')}` : 'nothing is left over');
  console.log(`${last.late} calls without an answer in time, ${last.refused} refused`);
} finally {
  for (const child of herds) child.kill('SIGKILL');
  await servers.end(server.child);
}
