// Do the dashboard and the alerts ask for metrics and labels that docs/monitoring.md lists? And, with addresses, does that list say
// what the services really have?
//
//   node scripts/check-monitoring.mjs [SERVICE=URL[,TOKEN]]…
//   node scripts/check-monitoring.mjs rest=http://127.0.0.1:3001/metrics realtime=http://127.0.0.1:4000/metrics,eyJ…

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const read = (name) => readFile(path.join(root, name), 'utf8');
const problems = [];

/** Words of PromQL that are neither metrics nor labels. */
const KEYWORDS = new Set(
  'and or unless on ignoring group_left group_right by without offset bool inf nan'.split(' '),
);
/** Stands for the services that have all of what they share; the gateway has metrics of its own for the same. */
const EVERY = 'every';
/** What every series has by way of Prometheus, and how dashboards write intervals. */
const ALWAYS = new Set(['job', 'instance', 'le']);

/** The tables of the guide: a heading `### name` and rows `| \`metric\` | type | labels | meaning |`. */
function documented(text) {
  const metrics = new Map();
  let service;
  for (const line of text.split('\n')) {
    const heading = line.match(/^### (?:`(\w+)`|Every service)/);
    if (heading) service = heading[1] ?? EVERY;
    const row = line.match(/^\| `([a-z_]+)` \| (counter|gauge|histogram) \|(.*?)\| /);
    if (!row) continue;
    const labels = [...row[3].matchAll(/`(\w+)`/g)].map(([, label]) => label);
    metrics.set(row[1], { service, type: row[2], labels: new Set(labels) });
  }
  return metrics;
}

/** The family of a series: what the parts of a histogram belong to. */
function family(name, metrics) {
  const base = name.replace(/_(bucket|sum|count)$/, '');
  return metrics.get(name) ?? (metrics.get(base)?.type === 'histogram' ? metrics.get(base) : undefined);
}

/** The metrics of an expression with the labels by which they are chosen, and those that it groups by. */
function parts(expression) {
  const plain = expression.replace(/\[[^\]]*\]/g, ' ');
  const chosen = [];
  const rest = plain
    .replace(/([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}/g, (_, metric, matchers) => {
      const labels = [...matchers.matchAll(/(\w+)\s*(=~|!~|!=|=)/g)].map(([, label]) => label);
      chosen.push({ metric, labels });
      return ' ';
    })
    .replace(/"[^"]*"/g, ' ');
  const grouped = [];
  const bare = rest.replace(
    /\b(by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g,
    (_, __, list) => {
      grouped.push(
        ...list
          .split(',')
          .map((label) => label.trim())
          .filter(Boolean),
      );
      return ' ';
    },
  );
  for (const [, word, call] of bare.matchAll(/\b([a-zA-Z_:][\w:]*)\b(\s*\()?/g))
    if (!call && !KEYWORDS.has(word.toLowerCase())) chosen.push({ metric: word, labels: [] });
  return { chosen, grouped };
}

function check(where, expression, metrics) {
  const { chosen, grouped } = parts(expression);
  if (chosen.length === 0) problems.push(`${where}: no metric in ${expression}`);
  const known = new Set(ALWAYS);
  for (const { metric, labels } of chosen) {
    const found = metric === 'up' ? { labels: new Set() } : family(metric, metrics);
    if (!found) {
      problems.push(`${where}: there is no metric ${metric}`);
      continue;
    }
    for (const label of found.labels) known.add(label);
    for (const label of labels)
      if (!found.labels.has(label) && !ALWAYS.has(label))
        problems.push(`${where}: ${metric} has no label ${label}`);
  }
  for (const label of grouped)
    if (!known.has(label)) problems.push(`${where}: nothing has the label ${label}`);
}

/** What a service says: families with their types and labels. */
async function scrape(url, token) {
  const answer = await fetch(url, token ? { headers: { authorization: `Bearer ${token}` } } : {});
  if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
  const families = new Map();
  for (const line of (await answer.text()).split('\n')) {
    const type = line.match(/^# TYPE (\S+) (\S+)/);
    if (type) families.set(type[1], { type: type[2], labels: new Set(), hasSamples: false });
    const sample = line.match(/^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/);
    if (!sample) continue;
    const owner = families.get(sample[1]) ?? families.get(sample[1].replace(/_(bucket|sum|count)$/, ''));
    if (!owner) problems.push(`${url}: ${sample[1]} has no # TYPE`);
    if (owner) owner.hasSamples = true;
    for (const [, label] of (sample[2] ?? '').matchAll(/(\w+)="/g)) owner?.labels.add(label);
  }
  return families;
}

const isShared = (told, service) => told.service === EVERY && service !== 'gateway';

function compare(service, families, metrics) {
  for (const [name, found] of families) {
    const told = metrics.get(name);
    if (!told || (told.service !== service && !isShared(told, service)))
      problems.push(`${service}: ${name} is not in its part of docs/monitoring.md`);
    else if (told.type !== found.type)
      problems.push(`${service}: ${name} is a ${found.type}, not a ${told.type}`);
    for (const label of found.labels)
      if (told && !told.labels.has(label) && label !== 'le')
        problems.push(`${service}: ${name} has a label ${label}`);
    // What nothing was counted in yet has none.
    for (const label of found.hasSamples ? (told?.labels ?? []) : [])
      if (!found.labels.has(label)) problems.push(`${service}: ${name} has no label ${label}`);
  }
  for (const [name, told] of metrics)
    if ((told.service === service || isShared(told, service)) && !families.has(name))
      problems.push(`${service}: there is no ${name}`);
}

const metrics = documented(await read('docs/monitoring.md'));

const dashboard = JSON.parse(await read('docs/monitoring/grafana-dashboard.json'));
const panels = dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
let expressions = 0;
for (const panel of panels)
  for (const target of panel.targets ?? []) {
    check(`dashboard "${panel.title}"`, target.expr, metrics);
    expressions += 1;
  }

// One expression is one line; promtool reads the file as YAML.
const alerts = (await read('docs/monitoring/alerts.yaml')).split('\n');
let alert;
for (const line of alerts) {
  alert = line.match(/^\s*- alert: (\w+)/)?.[1] ?? alert;
  const expression = line.match(/^\s*expr: (.+)$/)?.[1];
  if (expression) {
    check(`alert ${alert}`, expression, metrics);
    expressions += 1;
  }
}

for (const argument of process.argv.slice(2)) {
  const [service, where] = argument.split(/=(.*)/s);
  const [url, token] = where.split(',');
  compare(service, await scrape(url, token), metrics);
}

for (const problem of problems) console.error(problem);
console.log(`${metrics.size} metrics, ${expressions} expressions, ${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;
