// Starting what is measured, and putting load on it.
import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

import { cpuSeconds, residentMb } from './processes.mjs';

export { freePort } from '../tests/harness.mjs';

export const run = promisify(execFile);

/** How often, how long and over how many connections everything is measured. */
export const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
export const seconds = Number(process.env.BENCH_SECONDS ?? 4);
export const connections = Number(process.env.BENCH_CONNECTIONS ?? 16);

/** A JWT with these claims. */
export function jwt(secret, claims) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`;
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** What psql prints, unaligned. */
export async function psql(...args) {
  const options = { maxBuffer: 1 << 28 };
  const { stdout } = await run('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1', ...args], options);
  return stdout.trim();
}

/** The process id of the Postgres behind a database. */
export async function postmasterOf(database) {
  const dataDirectory = await psql('-d', database, '-c', 'show data_directory');
  return Number((await readFile(`${dataDirectory}/postmaster.pid`, 'utf8')).split('\n')[0]);
}

/** Starts a server and waits until `answers` is true of it. */
export async function start(name, program, args, options, answers) {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
  for (let attempt = 0; attempt < 100; attempt += 1) {
    if (await answers().catch(() => false)) return { name, child };
    await setTimeout(200);
  }
  child.kill();
  throw new Error(`${name} does not answer`);
}

/** Ends a server, one that does not listen too. */
export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  const patience = setTimeout(3000, undefined, { ref: false }).then(() => child.kill('SIGKILL'));
  await Promise.race([ended, patience]);
  await ended;
}

/** One run of wrk against a server, with what the server and Postgres spent on it. */
export async function load(script, url, env, server, postmaster) {
  const before = [cpuSeconds(server.child.pid), cpuSeconds(postmaster)];
  const { stdout } = await run(
    'wrk',
    ['-t2', `-c${connections}`, `-d${seconds}s`, '-s', script, new URL(url).origin],
    { env: { ...process.env, ...env } },
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

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

/** Prints a table for people. */
export function print(head, rows) {
  for (const line of [head, head.map(() => '---'), ...rows]) console.log(`| ${line.join(' | ')} |`);
}
