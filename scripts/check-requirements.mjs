// Holds docs/requirements.md to what is there: every item has a row, every file and test it names exists. What is not
// done or not tested yet is counted, and listed with --open; it fails nothing.

import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const map = 'docs/requirements.md';
const text = readFileSync(path.join(root, map), 'utf8');

const range = (letter, from, to) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${letter}${from + index}`);
/** The numbers that the specification uses; those between them are free. */
const ITEMS = [
  ...range('R', 1, 187),
  ...range('D', 1, 5),
  ...range('D', 10, 27),
  ...range('D', 30, 35),
  ...range('D', 40, 62),
];
/** How a cell begins that says that something is missing. */
const OPEN = ['open', 'not yet', 'partly', 'no test'];

const problems = [];
const files = new Map(
  [...text.matchAll(/^- \[([A-Z]+)\] `([^`]+)`/gm)].map(([, code, file]) => [code, file]),
);
for (const [code, file] of files)
  if (!existsSync(path.join(root, file))) problems.push(`[${code}] is ${file}, which does not exist`);

const NAMES = [
  /\b(?:it|test|describe)\s*\(\s*(['"`])((?:\\.|(?!\1).)*)\1/gs,
  // The name of a table of cases comes after the cases.
  /\)\(\s*(['"`])((?:\\.|(?!\1).)*)\1\s*,/gs,
];
const plain = (name) => name.replaceAll('${', '{').replace(/\\(.)/g, '$1').replace(/\s+/g, ' ').trim();
const names = new Map();
function namesIn(file) {
  if (!names.has(file)) {
    const source = readFileSync(path.join(root, file), 'utf8');
    names.set(
      file,
      NAMES.flatMap((pattern) => [...source.matchAll(pattern)].map(([, , name]) => plain(name))),
    );
  }
  return names.get(file);
}

const rows = [...text.matchAll(/^\| ([RD]\d+) \| (.*?) \| (.*) \|$/gm)];
const open = [];
const seen = new Set();
for (const [, item, , cell] of rows) {
  if (seen.has(item)) problems.push(`${item} has two rows`);
  seen.add(item);
  const status = OPEN.find((word) => cell.startsWith(word));
  if (status) open.push([item, status, cell]);
  for (const [, code, rest] of cell.matchAll(/\[([A-Z]+)\] ((?:(?!; \[).)*)/g)) {
    const file = files.get(code);
    if (!file) {
      problems.push(`${item} names [${code}], which is no file of the list`);
      continue;
    }
    // A remark in brackets may follow the name, and a name may end in brackets that are left out here.
    const wanted = plain(rest.replace(/\s*\(.*$/s, ''));
    if (existsSync(path.join(root, file)) && !namesIn(file).some((name) => name.startsWith(wanted)))
      problems.push(`${item}: no test of ${file} is called “${wanted}”`);
  }
  for (const [, file] of cell.matchAll(/`((?:frontend|sql|tests|functions|docs)\/[^`]+)`/g))
    if (!existsSync(path.join(root, file))) problems.push(`${item} names ${file}, which does not exist`);
}
for (const item of ITEMS) if (!seen.has(item)) problems.push(`${item} has no row`);
for (const item of seen) if (!ITEMS.includes(item)) problems.push(`${item} is no item of the specification`);

if (process.argv.includes('--open')) for (const [item, , cell] of open) console.log(`${item}\t${cell}`);
const counts = OPEN.map((word) => `${open.filter(([, status]) => status === word).length} ${word}`);
console.log(`${map}: ${seen.size} items, ${counts.join(', ')}`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length ? 1 : 0;
