// What Postgres itself answers per second to the statements that a REST server has to send, pipelined by pgbench.
import { execFile } from 'node:child_process';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const claims = '{"role":"anon","iss":"supabase","exp":4102444800}';
const settings = `select set_config('role', 'anon', true), set_config('search_path', '"public"', true),
set_config('request.jwt.claims', '${claims}', true), set_config('request.method', 'GET', true),
set_config('request.path', '/places', true), set_config('request.headers', '{"host":"127.0.0.1"}', true),
set_config('request.cookies', '{}', true);`;

const list = (where) => `select coalesce(json_agg(r), '[]') from (
select p.*, o.rows as offers, i.rows as pictures
from (select * from places where ${where} order by featured desc, created_at desc limit 20) p
left join lateral (select coalesce(json_agg(x), '[]') as rows from
  (select id, kind, price, seats from offers where place_id = p.id) x) o on true
left join lateral (select coalesce(json_agg(x), '[]') as rows from
  (select id, url, position from pictures where place_id = p.id) x) i on true
order by p.featured desc, p.created_at desc) r;`;

const statements = {
  row: `select coalesce(json_agg(r), '[]') from (select * from places where slug = 'place-' || :id::text) r;`,
  list: list(`city = 'Chennai'`),
  ilike: list(`city ilike '%chennai%'`),
  insert: `with r as (insert into enquiries (name, email, message, seats)
values ('Asha', 'asha' || :id::text || '@example.test', 'Six seats from May.', 6) returning *)
select coalesce(json_agg(r), '[]') from r;`,
  rpc: 'select add(:a::integer, :b::integer);',
};

/** Requests per second of `request` over `connections` for `seconds`. */
export async function limit(request, { connections, seconds, port }) {
  const dir = await mkdtemp(join(tmpdir(), 'bench-'));
  const script = join(dir, `${request}.sql`);
  const begin = request === 'insert' ? 'begin;' : 'begin read only;';
  await writeFile(
    script,
    `\\set id random(1, 50000)
\\set a random(1, 1000)
\\set b random(1, 1000)
\\startpipeline
${begin}
${settings.replaceAll('\n', ' ')}
${statements[request].replaceAll('\n', ' ')}
commit;
\\endpipeline
`,
  );
  const { stdout } = await run(
    'pgbench',
    ['-n', '-M', 'prepared', '-c', connections, '-j', 2, '-T', seconds, '-f', script]
      .concat(['-h', '127.0.0.1', '-p', port, '-U', 'authenticator', 'bench'])
      .map(String),
    { env: { ...process.env, PGPASSWORD: 'bench' } },
  );
  const done = Number(/actually processed: (\d+)/.exec(stdout)[1]);
  const failed = Number(/failed transactions: (\d+)/.exec(stdout)?.[1] ?? 0);
  return { requests: done, perSecond: Number(/tps = ([\d.]+)/.exec(stdout)[1]), failed };
}
