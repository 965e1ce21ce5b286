// Runs every suite, or those that BENCH_SUITES names (`rest,gateway`), and writes one table of what they come to, with peers,
// limits and targets: target/bench/results.md and results.json. A suite that fails does not keep the others from running.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join, resolve } from 'node:path';

import { markdown } from './summary.mjs';
import { rounds, seconds } from './servers.mjs';

/** By name: true if the suite takes its database server from `with-postgres`. */
const SUITES = {
  start: false,
  rest: true,
  auth: true,
  storage: true,
  gateway: false,
  realtime: true,
  functions: false,
};
const folder = resolve('target/bench');
const names = process.env.BENCH_SUITES?.split(',') ?? Object.keys(SUITES);
const unknown = names.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length > 0) throw new Error(`there is no suite ${unknown.join(', ')}`);

await mkdir(folder, { recursive: true });
const began = { at: new Date().toISOString(), load: loadavg()[0] };
const lines = [];
const failed = [];
for (const suite of names) {
  console.log(`\n== ${suite}\n`);
  const result = join(folder, `${suite}.json`);
  await rm(result, { force: true });
  const command = [process.execPath, join(import.meta.dirname, `${suite}.mjs`)];
  if (SUITES[suite]) command.unshift('target/release/with-postgres', '--durable');
  const env = { ...process.env, BENCH_RESULTS: folder };
  const child = spawn(command[0], command.slice(1), { env, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code === 0) lines.push(...JSON.parse(await readFile(result, 'utf8')));
  else failed.push(suite);
}

const machine = {
  ...began,
  cores: cpus().length,
  cpu: cpus()[0].model,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  rounds,
  seconds,
};
const about = [
  `${machine.at.slice(0, 16)}Z, ${machine.cores} cores (${machine.cpu}), on which ${machine.load.toFixed(1)} others ran before;`,
  `median of ${rounds} × ${seconds} s. Client, server and database share the cores: read the ratios.`,
].join(' ');
const flaws = failed.length > 0 ? `\n\nDid not come to an end: ${failed.join(', ')}.` : '';
const text = `# Benches\n\n${about}${flaws}\n\n${markdown(lines)}\n`;
await writeFile(join(folder, 'results.md'), text);
await writeFile(join(folder, 'results.json'), JSON.stringify({ machine, failed, lines }, null, 2));
console.log(`\n${text}\nWritten to target/bench/results.md and results.json.`);
process.exitCode = failed.length > 0 ? 1 : 0;
