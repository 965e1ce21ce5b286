// auth-svc beside GoTrue: the same requests to both, and what differs.
//
// GOTRUE_BIN and AUTH_SVC_BIN are the two programs; `with-postgres` gives the server. Arguments choose
// scenarios by part of their names; --all prints accepted differences too. Ends with 1 on any other.

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';

import { root } from '../harness.mjs';
import { accepted } from './accepted.mjs';
import { differences, unorderedDifferences } from './normalise.mjs';
import { profiles } from './profiles.mjs';
import { Server } from './servers.mjs';
import { Side } from './side.mjs';

const folder = path.join(import.meta.dirname, 'scenarios');
const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const showAll = process.argv.includes('--all');

/** The scenarios that were asked for, those of a profile next to each other. */
async function scenarios() {
  const found = [];
  for (const file of (await readdir(folder)).sort()) {
    if (!file.endsWith('.mjs')) continue;
    const { default: list } = await import(path.join(folder, file));
    for (const one of list) {
      const name = `${path.basename(file, '.mjs')}: ${one.name}`;
      if (words.length === 0 || words.some((word) => name.includes(word))) found.push({ ...one, name });
    }
  }
  const order = Object.keys(profiles);
  return found.sort((a, b) => order.indexOf(a.profile) - order.indexOf(b.profile));
}

/** Lets one server go through a scenario. */
async function play(scenario, server) {
  await server.reset();
  const side = new Side(server);
  let failure;
  try {
    await scenario.run(side);
  } catch (error) {
    failure = error;
  }
  await side.finish();
  return { transcript: side.transcript, failure };
}

/** Rows and mails come in any order; and when the status differs already, the bodies say why. */
function differencesOf(a, b) {
  if (a?.unordered)
    return [...new Set([...Object.keys(a.unordered), ...Object.keys(b.unordered)])].flatMap((name) =>
      unorderedDifferences(a.unordered[name], b.unordered[name], name),
    );
  if (a?.status === b?.status) return differences(a, b);
  const brief = ({ status, headers, body }) => [status, headers.location, body].filter(Boolean);
  return [['status', brief(a), brief(b)]];
}

/** What differs between two transcripts. */
function compare(scenario, theirs, ours) {
  const found = [];
  const length = Math.max(theirs.transcript.length, ours.transcript.length);
  for (let index = 0; index < length; index += 1) {
    const [a, b] = [theirs, ours].map(({ transcript }) => transcript[index]);
    for (const [place, their, our] of differencesOf(a?.comparable, b?.comparable))
      found.push({ scenario, what: a?.what ?? b.what, place, their, our, status: a?.comparable.status });
  }
  for (const [who, { failure }] of Object.entries({ theirs, ours }))
    if (failure)
      found.push({
        scenario,
        what: 'the scenario itself',
        place: who,
        their: failure.message,
        our: failure.stack,
      });
  return found;
}

function matches(pattern, text) {
  return pattern === undefined || (pattern instanceof RegExp ? pattern.test(text) : pattern === text);
}

function reasonFor(difference) {
  const fits = (rule) =>
    matches(rule.scenario, difference.scenario) &&
    matches(rule.what, difference.what) &&
    matches(rule.place, difference.place) &&
    (rule.if === undefined || rule.if(difference));
  const rule = accepted.find(fits);
  if (rule) rule.used = (rule.used ?? 0) + 1;
  return rule;
}

function show(value) {
  const text = inspect(value, { depth: 9, breakLength: Infinity, maxStringLength: 300 });
  return text.length > 400 && !showAll ? `${text.slice(0, 400)} …` : text;
}

/** Prints differences, those that are alike once. */
function print(found) {
  const alike = Map.groupBy(found, ({ place, their, our, rule }) =>
    JSON.stringify([place, show(their), show(our), rule?.reason]).replace(/ of request [^>]*>|\.\d+/g, ''),
  );
  for (const [{ scenario, what, place, their, our, rule }, ...more] of alike.values()) {
    const times =
      more.length > 0 ? `  (and ${more.length} more, last ${more.at(-1).scenario}, ${more.at(-1).what})` : '';
    console.log(`\n${scenario} | ${what}${times}${rule ? `\n  accepted: ${rule.reason}` : ''}`);
    console.log(`  ${place}\n    GoTrue  ${show(their)}\n    ours    ${show(our)}`);
  }
}

/** Every accepted difference must stand in the list that users read. */
async function undocumented() {
  const lines = await readFile(path.join(root, 'docs/differences.md'), 'utf8');
  const text = lines.replace(/\s+/g, ' ');
  return accepted.filter((rule) => !text.includes(rule.documented));
}

async function main() {
  const binaries = {
    theirs: process.env.GOTRUE_BIN,
    ours: process.env.AUTH_SVC_BIN ?? 'target/debug/auth-svc',
  };
  if (!binaries.theirs) throw new Error('GOTRUE_BIN is not set; CONTRIBUTING.md says how to build it');
  const servers = Object.entries(binaries).map(([name, program]) => new Server(name, path.resolve(program)));
  for (const server of servers) await server.prepare(profiles.plain.settings);
  const counts = { requests: 0, scenarios: 0, accepted: 0, open: 0 };
  const found = [];
  let profile;
  try {
    for (const scenario of await scenarios()) {
      if (scenario.profile !== profile) {
        await Promise.all(servers.map((server) => server.stop()));
        profile = scenario.profile;
        const { settings, sql } = profiles[profile];
        await Promise.all(servers.map((server) => server.start(profile, settings, sql)));
      }
      const [theirs, ours] = await Promise.all(servers.map((server) => play(scenario, server)));
      counts.scenarios += 1;
      counts.requests += ours.transcript.filter(({ where }) => where.startsWith('request')).length;
      for (const difference of compare(scenario.name, theirs, ours)) {
        const rule = reasonFor(difference);
        counts[rule ? 'accepted' : 'open'] += 1;
        if (!rule || showAll) found.push({ ...difference, rule });
      }
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  print(found);
  const missing = await undocumented();
  for (const rule of missing) console.log(`\nnot in docs/differences.md: ${rule.documented}`);
  if (words.length === 0)
    for (const rule of accepted.filter(({ used }) => !used))
      console.log(`\naccepted, but not seen: ${rule.reason}`);
  const { requests, open } = counts;
  console.log(
    `\n${requests} requests to each server in ${counts.scenarios} scenarios: ${open} differences, ${counts.accepted} accepted`,
  );
  process.exitCode = open > 0 || missing.length > 0 ? 1 : 0;
}

await main();
