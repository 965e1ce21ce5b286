// A Supabase project folder from its first start to its end: what the official CLI does with containers.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { createClient } from '@supabase/supabase-js';
import { binary, dataFolder, freePorts, mailTo, root, standalone, stop } from '../harness.mjs';

const migrations = () => path.join(project, 'supabase/migrations');
let project;
let ports;
let running;

/** Another command about the project; gives its output, or throws with its exit code. */
const command = async (...args) => {
  const { stdout, stderr } = await promisify(execFile)(binary('standalone'), args, {
    cwd: project,
    env: { ...process.env, RUST_BACKTRACE: '0' },
  });
  return { stdout, stderr };
};

const begin = async () => {
  running = await standalone(undefined, ports, ['--project', project]);
  return running.endpoints;
};

const end = async () => {
  assert.equal(await stop(running.child), 0, running.child.transcript());
};

const client = () =>
  createClient(running.endpoints.API_URL, running.endpoints.PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
  });

/** The rows of a query as the role that migrations run under. */
const query = async (text, values) => {
  const database = new pg.Client({ connectionString: running.endpoints.DB_URL });
  await database.connect();
  try {
    return (await database.query(text, values)).rows;
  } finally {
    await database.end();
  }
};

const versions = async () => {
  const rows = await query('select version from supabase_migrations.schema_migrations order by 1');
  return rows.map((row) => row.version);
};

/** Somebody with a session who needs no mail. */
const visitor = async () => {
  const supabase = client();
  const { error } = await supabase.auth.signInAnonymously();
  assert.equal(error, null);
  return supabase;
};

before(async () => {
  const folder = await dataFolder();
  project = path.join(folder, 'project');
  await cp(path.join(root, 'tests/fixtures/project'), project, { recursive: true });
  ports = await freePorts('api', 'db', 'mailbox');
  await begin();
});

after(async () => {
  if (running) await stop(running.child);
  await rm(path.dirname(project), { recursive: true, force: true });
});

it('applies migrations and seeds, noted as the official CLI notes them', async () => {
  assert.deepEqual(await versions(), ['20240101000000', '20240102000000']);
  const [row] = await query(
    "select name, statements from supabase_migrations.schema_migrations where version = '20240102000000'",
  );
  assert.equal(row.name, 'functions');
  assert.equal(row.statements.length, 3);
  assert.match(row.statements[0], /^create function public\.entry_count[^]*end$/);
  assert.match(row.statements[1], /^do \$body\$[^]*\$body\$$/);
  const seeds = await query('select path, hash from supabase_migrations.seed_files order by path');
  assert.deepEqual(
    seeds.map((seed) => seed.path),
    ['supabase/seeds/1_books.sql', 'supabase/seeds/2_more_books.sql'],
  );
  for (const seed of seeds) assert.match(seed.hash, /^[0-9a-f]{64}$/);
});

it('has nothing of the marketplace, and warns of keys that it does not know', async () => {
  const tables = await query(
    "select table_name from information_schema.tables where table_schema = 'public'",
  );
  assert.deepEqual(
    tables.map((table) => table.table_name),
    ['entries'],
  );
  const transcript = running.child.transcript();
  assert.match(transcript, /WARN: api\.shelf in supabase\/config\.toml is not known here/);
  assert.doesNotMatch(transcript, /remotes/);
});

it('leaves nothing of the platform to those who drop all schemas of postgres', async () => {
  // The official CLI's `migration down` does.
  const owners = await query(
    `select nspname from pg_namespace where not pg_has_role('postgres', nspowner, 'usage') and nspname = any($1) order by 1`,
    [['auth', 'storage', 'realtime', 'graphql_public']],
  );
  assert.deepEqual(
    owners.map((owner) => owner.nspname),
    ['auth', 'graphql_public', 'realtime', 'storage'],
  );
});

it('serves what the project configures: schemas, policies, sign-in, buckets and mail', async () => {
  const supabase = await visitor();
  const { data: books } = await supabase.schema('library').from('books').select('title').order('id');
  assert.deepEqual(
    books.map((book) => book.title),
    ['Malgudi Days', 'Ponniyin Selvan; a novel', 'Train to Pakistan'],
  );
  const added = await supabase.from('entries').insert({ book: 2 }).select('note').single();
  assert.deepEqual(added.data, { note: 'none; yet' });
  const other = await (await visitor()).from('entries').select();
  assert.deepEqual(other.data, []);
  const count = await supabase.rpc('entry_count');
  assert.equal(count.data, 1);

  const { data: file } = await supabase.storage.from('covers').download('old/two.txt');
  assert.equal(await file.text(), 'no picture\n');
  const refused = await supabase.storage.from('covers').upload('x.html', 'x', { contentType: 'text/html' });
  assert.equal(refused.error.statusCode, '415');

  const short = await client().auth.signUp({ email: 'reader@example.com', password: 'too short' });
  assert.equal(short.error.code, 'weak_password');
  const { error } = await client().auth.signUp({
    email: 'reader@example.com',
    password: 'long enough, this one',
  });
  assert.equal(error, null);
  const mail = await mailTo(running.endpoints.MAILPIT_URL, 'reader@example.com');
  assert.equal(mail.Subject, 'Open your reading list');
  assert.match(mail.HTML, /Your shelf is ready/);
  assert.match(mail.HTML, /redirect_to=http:\/\/127\.0\.0\.1:4321/);
});

it('serves the functions of the project, with what the configuration says of each', async () => {
  // `verify_jwt = false`: no token, no key.
  const answer = await fetch(`${running.endpoints.FUNCTIONS_URL}/hello`);
  assert.equal(await answer.text(), 'hello from the reading list to a reader');
  assert.equal(answer.status, 200);
  const missing = await (await visitor()).functions.invoke('none');
  assert.equal(missing.error.context.status, 404);
});

it('signs sessions with a key whose public half it publishes', async () => {
  const supabase = await visitor();
  const { data } = await supabase.auth.getClaims();
  assert.equal(data.header.alg, 'ES256');
  assert.equal(data.claims.role, 'authenticated');
  assert.equal(data.claims.iss, `${running.endpoints.API_URL}/auth/v1`);
});

it('answers GraphQL as a project without the extension does', async () => {
  const answer = await fetch(running.endpoints.GRAPHQL_URL, {
    method: 'POST',
    headers: { apikey: running.endpoints.PUBLISHABLE_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), {
    errors: [{ message: 'pg_graphql extension is not enabled.' }],
  });
});

it('says what to install where postgres-meta is missing', async () => {
  const answer = await fetch(`${running.endpoints.API_URL}/pg/tables`, {
    headers: { apikey: running.endpoints.SECRET_KEY },
  });
  assert.equal(answer.status, 503);
  assert.match((await answer.json()).message, /npm install .*@supabase\/postgres-meta/);
});

it('tells where it is in the shapes of the official CLI', async () => {
  const json = JSON.parse((await command('status', '-o', 'json')).stdout);
  assert.equal(json.API_URL, `http://127.0.0.1:${ports.api}`);
  assert.equal(json.DB_URL, `postgresql://postgres:postgres@127.0.0.1:${ports.db}/postgres`);
  const renamed = await command('status', '-o', 'env', '--override-name', 'api.url=PUBLIC_URL');
  assert.match(renamed.stdout, new RegExp(`^PUBLIC_URL="${json.API_URL}"$`, 'm'));
  assert.match((await command('status')).stdout, /Project URL +http/);
  // A second start says where the first is.
  assert.match((await command('start')).stderr, /already running/);
});

it('keeps its data out of the repository', async () => {
  const ignored = await readFile(path.join(project, 'supabase/.nilam/.gitignore'), 'utf8');
  assert.equal(ignored, '*\n');
  await assert.rejects(stat(path.join(project, 'data')));
});

it('applies a new migration at the next start, and no seed twice', async () => {
  await end();
  await writeFile(
    path.join(migrations(), '20240103000000_ratings.sql'),
    `alter table public.entries add column rating smallint check (rating between 1 and 5);
     -- No transaction takes this one.
     create index concurrently entries_rating on public.entries (rating);`,
  );
  await begin();
  assert.equal((await versions()).length, 3);
  const [{ count }] = await query('select count(*)::int from library.books');
  assert.equal(count, 3);
});

it('refuses a migration that fails, shows the place, and applies nothing of it', async () => {
  const file = path.join(migrations(), '20240104000000_wrong.sql');
  await writeFile(
    file,
    'create table public.half (id int);\n\ncreate table public.wrong (\n  id nothing\n);\n',
  );
  await end();
  const refused = await command(
    ...['start', '--api-port', ports.api, '--db-port', ports.db, '--mailbox-port', ports.mailbox].map(String),
  ).catch((error) => error);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /20240104000000_wrong\.sql:4: ERROR: type "nothing" does not exist/);
  assert.match(refused.stderr, /At statement: 1\n/);
  await rm(file);
  await begin();
  assert.equal((await versions()).length, 3);
  const [{ half }] = await query("select to_regclass('public.half') as half");
  assert.equal(half, null);
});

it('makes the database anew while it runs', async () => {
  const supabase = await visitor();
  await supabase.from('entries').insert({ book: 1, rating: 5 });
  await query('create role left_over');
  await query("insert into library.books (id, title, author) values (9, 'gone', 'soon')");
  const { stderr } = await command('db', 'reset');
  assert.match(stderr, /Applying migration 20240103000000_ratings\.sql/);
  const [{ books, entries, users }] = await query(
    `select (select count(*)::int from library.books) as books, (select count(*)::int from entries) as entries,
            (select count(*)::int from auth.users) as users`,
  );
  assert.deepEqual({ books, entries, users }, { books: 3, entries: 0, users: 0 });
  assert.deepEqual(await query("select from pg_roles where rolname = 'left_over'"), []);
  // All services have found the new database.
  const again = await visitor();
  assert.equal((await again.from('entries').insert({ book: 3 })).error, null);
  const { data: file } = await again.storage.from('covers').download('one.svg');
  assert.match(await file.text(), /svg/);
});

it('goes on with what could be applied when a reset fails', async () => {
  const file = path.join(migrations(), '20240104000000_wrong.sql');
  await writeFile(file, 'select 1;\nselect nothing;');
  const refused = await command('db', 'reset').catch((error) => error);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /20240104000000_wrong\.sql:2: ERROR: column "nothing" does not exist/);
  await rm(file);
  assert.equal((await versions()).length, 3);
  assert.equal((await (await visitor()).from('entries').select()).error, null);
});

it('makes the database anew while nothing runs, up to a version and without seeds', async () => {
  await end();
  await assert.rejects(command('status'), /not running/);
  await command(
    ...['db', 'reset', '--version', '20240102000000', '--no-seed'],
    ...['--api-port', ports.api, '--db-port', ports.db, '--mailbox-port', ports.mailbox].map(String),
  );
  await assert.rejects(command('status'), /not running/);
  await begin();
  // The start goes on from there.
  assert.equal((await versions()).length, 3);
  await command('stop');
  await end();
});
