// How long `standalone` takes from nothing to the first rows of the marketplace, and again on the same data, and what it then
// keeps in memory. Beside it stands Postgres alone: `initdb` and a start up to the first query. BENCH_ROUNDS (3).
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

import { residentMb } from './processes.mjs';
import * as servers from './servers.mjs';
import { keep } from './summary.mjs';
import { freePort, median, rounds, run } from './servers.mjs';

const query = '/rest/v1/coworking_space?select=id,slug&limit=5';
const apikey = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH';
/** Between the readiness and the reading of the memory: what start-up left is freed by then. */
const REST_MS = 8000;

const elapsed = (begun) => (performance.now() - begun) / 1000;

/** Starts it and waits for rows: what a visitor's first page needs. */
async function start(folder) {
  const ports = [await freePort(), await freePort(), await freePort()].map(String);
  const args = ['start', '--data-dir', folder, '--frontend', 'frontend/dist'];
  args.push('--api-port', ports[0], '--db-port', ports[1], '--mailbox-port', ports[2]);
  const begun = performance.now();
  const child = spawn('target/release/standalone', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`standalone ended with ${child.exitCode}`);
    const answer = await fetch(`http://127.0.0.1:${ports[0]}${query}`, { headers: { apikey } }).catch(
      () => null,
    );
    if (answer?.ok && (await answer.json()).length === 5) return { child, seconds: elapsed(begun) };
    await setTimeout(10);
  }
}

async function end(child) {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Postgres alone, with a cluster of its own. */
async function bare() {
  const begun = performance.now();
  await run('target/release/with-postgres', ['--durable', 'true']);
  return elapsed(begun);
}

const of = { first: [], later: [], memory: [], bare: [] };
for (let round = 0; round < rounds; round += 1) {
  of.bare.push(await bare());
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  await chmod(folder, 0o755);
  try {
    const first = await start(folder);
    of.first.push(first.seconds);
    await setTimeout(REST_MS);
    await end(first.child);
    const later = await start(folder);
    of.later.push(later.seconds);
    await setTimeout(REST_MS);
    of.memory.push(residentMb(later.child.pid));
    await end(later.child);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const lines = [
  {
    what: 'first start, to the first rows',
    unit: 's',
    ours: median(of.first),
    beside: 'initdb, start and stop of Postgres alone',
    theirs: median(of.bare),
    ratio: median(of.first.map((each, round) => each / of.bare[round])),
    target: { of: 'ours', most: 12 },
  },
  { what: 'later start', unit: 's', ours: median(of.later), target: { of: 'ours', most: 1.5 } },
  { what: 'memory when idle', unit: 'MB', ours: median(of.memory), target: { of: 'ours', most: 80 } },
];
await keep('start', lines);
servers.print(
  ['what', 'median', 'each'],
  lines.map(({ what, unit, ours }, index) => {
    const each = [of.first, of.later, of.memory][index];
    return [what, `${ours.toFixed(2)} ${unit}`, each.map((value) => value.toFixed(2)).join(', ')];
  }),
);
console.log(`\nPostgres alone, from nothing to its end: ${median(of.bare).toFixed(2)} s`);
