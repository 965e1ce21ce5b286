// What the differential runs share: choosing scenarios, comparing two transcripts, and telling of what differs.

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { inspect } from 'node:util';

import { root } from '../harness.mjs';
import { differences, unorderedDifferences } from './normalise.mjs';

const words = process.argv.slice(2).filter((word) => !word.startsWith('--'));
export const showAll = process.argv.includes('--all');
const transcripts = process.argv.includes('--transcript');
/** Whether some scenarios were asked for by parts of their names. */
export const chosen = words.length > 0;

/** The scenarios that were asked for, those of a profile next to each other. */
export async function scenariosIn(folder, profiles) {
  const found = [];
  for (const file of (await readdir(folder)).sort()) {
    if (!file.endsWith('.mjs')) continue;
    const { default: list } = await import(path.join(folder, file));
    for (const one of list) {
      const name = `${path.basename(file, '.mjs')}: ${one.name}`;
      if (!chosen || words.some((word) => name.includes(word))) found.push({ ...one, name });
    }
  }
  const order = Object.keys(profiles);
  return found.sort((a, b) => order.indexOf(a.profile) - order.indexOf(b.profile));
}

/** Lets one server go through a scenario; `Side` is a scenario's view of a server. */
export async function play(scenario, server, Side) {
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
  if (a?.unordered && b?.unordered)
    return [...new Set([...Object.keys(a.unordered), ...Object.keys(b.unordered)])].flatMap((name) =>
      unorderedDifferences(a.unordered[name], b.unordered[name], name),
    );
  if (a?.status === b?.status) return differences(a, b);
  const brief = (answer) => answer && [answer.status, answer.headers?.location, answer.body].filter(Boolean);
  return [['status', brief(a), brief(b)]];
}

/** What belongs together: the same place, or the same request where answers led one side to send more. */
function pairs(theirs, ours) {
  if (theirs.length === ours.length) return theirs.map((each, index) => [each, ours[index]]);
  const rest = [...ours];
  const found = theirs.map((each) => {
    const index = rest.findIndex(({ what }) => what === each.what);
    return [each, ...(index < 0 ? [] : rest.splice(index, 1))];
  });
  return [...found, ...rest.map((each) => [undefined, each])];
}

/** What differs between two transcripts. */
export function compare(scenario, theirs, ours) {
  const found = [];
  for (const [a, b] of pairs(theirs.transcript, ours.transcript)) {
    const whole = [a?.comparable, b?.comparable];
    for (const [place, their, our] of differencesOf(...whole))
      found.push({
        scenario,
        what: a?.what ?? b.what,
        place,
        their,
        our,
        status: a?.comparable.status,
        whole,
      });
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

/** The first rule that accepts a difference. */
export function reasonFor(difference, accepted) {
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

/** Of two long texts, what is around the place where they part. */
function partingOf(their, our) {
  if (![their, our].every((text) => typeof text === 'string' && text.length > 200) || showAll)
    return [their, our];
  let start = 0;
  while (their[start] === our[start]) start += 1;
  return [their, our].map((text) => `… ${text.slice(Math.max(0, start - 60), start + 200)}`);
}

/** One difference in place of many within one answer, as when a list has an entry more. */
function summed(found) {
  const groups = Map.groupBy(found, ({ whole }) => whole ?? {});
  return [...groups].flatMap(([whole, list]) => {
    const within = list.filter(({ place, rule }) => place.startsWith('body.') && !rule);
    if (within.length <= 4) return list;
    const [their, our] = whole.map(({ body }) => body);
    return [...list.filter((each) => !within.includes(each)), { ...within[0], place: 'body', their, our }];
  });
}

/** Prints differences, those that are alike once. `name` is what the original is called. */
export function print(found, name) {
  const alike = Map.groupBy(found, ({ place, their, our, rule }) =>
    JSON.stringify([place, show(their), show(our), rule?.reason]).replace(/ of request [^>]*>|\.\d+/g, ''),
  );
  for (const [{ scenario, what, place, their, our, rule }, ...more] of alike.values()) {
    const times =
      more.length > 0 ? `  (and ${more.length} more, last ${more.at(-1).scenario}, ${more.at(-1).what})` : '';
    console.log(`\n${scenario} | ${what}${times}${rule ? `\n  accepted: ${rule.reason}` : ''}`);
    const [theirs, ours] = [name, 'ours'].map((who) => who.padEnd(name.length));
    const [a, b] = partingOf(their, our);
    console.log(`  ${place}\n    ${theirs}  ${show(a)}\n    ${ours}  ${show(b)}`);
  }
}

/** Prints what the original answered. */
function printTranscript(scenario, { transcript }) {
  console.log(`\n${scenario}`);
  for (const { what, comparable } of transcript)
    console.log(`  ${what}\n    ${inspect(comparable, { depth: 9, breakLength: Infinity })}`);
}

/** Every accepted difference must stand in the list that users read. */
async function undocumented(accepted) {
  const lines = await readFile(path.join(root, 'docs/differences.md'), 'utf8');
  const text = lines.replace(/\s+/g, ' ').toLowerCase();
  return accepted.filter((rule) => rule.documented && !text.includes(rule.documented.toLowerCase()));
}

/** Goes through scenarios on two servers and tells of the differences; whether there are none that matter. */
export async function run({ scenarios, servers, Side, begin, accepted, name }) {
  const counts = { requests: 0, scenarios: 0, accepted: 0, open: 0 };
  const found = [];
  let profile;
  try {
    for (const scenario of scenarios) {
      if (scenario.profile !== profile) {
        await Promise.all(servers.map((server) => server.stop()));
        profile = scenario.profile;
        await Promise.all(servers.map((server) => begin(server, profile)));
      }
      const [theirs, ours] = await Promise.all(servers.map((server) => play(scenario, server, Side)));
      counts.scenarios += 1;
      if (transcripts) printTranscript(scenario.name, theirs);
      counts.requests += ours.transcript.filter(({ where }) => where.startsWith('request')).length;
      for (const difference of compare(scenario.name, theirs, ours)) {
        const rule = reasonFor(difference, accepted);
        counts[rule ? 'accepted' : 'open'] += 1;
        if (!rule || showAll) found.push({ ...difference, rule });
      }
    }
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
  print(summed(found), name);
  const missing = await undocumented(accepted);
  for (const words of new Set(missing.map(({ documented }) => documented)))
    console.log(`\nnot in docs/differences.md: ${words}`);
  if (!chosen)
    for (const rule of accepted.filter(({ used, documented }) => documented && !used))
      console.log(`\naccepted, but not seen: ${rule.reason}`);
  console.log(
    `\n${counts.requests} requests to each server in ${counts.scenarios} scenarios: ${counts.open} differences, ${counts.accepted} accepted`,
  );
  return counts.open === 0 && missing.length === 0;
}
