// What pg_dump says of a schema, and whether two databases have the same one.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';

/** Statement by statement, without what is no schema: bodies of functions and their language, and rights that the platform gives. */
export function statementsOf(url, schema) {
  const text = execFileSync('pg_dump', ['-s', '-n', schema, '-d', url], { encoding: 'utf8' });
  const statements = text
    .replace(/LANGUAGE (sql|plpgsql)\b/g, 'LANGUAGE')
    .replace(/AS \$(_?)\$.*?\$\1\$/gs, 'AS BODY')
    .replace(/^(--.*|\\.*|)\n/gm, '')
    .split(/;\n/)
    .map((statement) => statement.trim().replace(/\s+/g, ' '))
    .filter((statement) => statement && !statement.startsWith('GRANT '));
  return new Set(statements);
}

/** Fails, and says where, when the statements differ in more than what we have beside. */
export function assertSame(theirs, ours, { name, extra }) {
  const lacking = [...theirs].filter((statement) => !ours.has(statement));
  const more = [...ours].filter((statement) => !theirs.has(statement) && !extra?.test(statement));
  for (const statement of lacking) console.log(`only ${name}'s: ${statement}`);
  for (const statement of more) console.log(`only ours: ${statement}`);
  assert.equal(lacking.length + more.length, 0, 'the schemas differ');
  console.log(`${theirs.size} statements of the schema are the same`);
}
