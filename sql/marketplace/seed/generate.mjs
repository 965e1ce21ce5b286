// Writes the demo data as SQL. `node generate.mjs` rewrites demo.sql beside this file.
import { writeFileSync } from 'node:fs';
import { coworkingSql } from './coworking.mjs';

const HEADER = `-- Demo data, written by generate.mjs. Change the generator, not this file.
-- May run any number of times: rows that exist are left alone.
`;

writeFileSync(new URL('demo.sql', import.meta.url), [HEADER, coworkingSql()].join('\n'));
