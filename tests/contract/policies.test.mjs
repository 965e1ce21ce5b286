// Postgres decides: a policy that changes while the platform runs changes what each service answers.

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import pg from 'pg';
import { platform } from '../harness.mjs';

let stack;
let database;

before(async () => {
  stack = await platform();
  database = new pg.Client(stack.DB_URL.replace('postgres:postgres@', 'supabase_admin:postgres@'));
  await database.connect();
  await database.query("insert into storage.buckets (id, name) values ('plans', 'plans')");
});
after(async () => {
  await database?.end();
  await stack?.close();
});

it('changes what rest and storage answer', async () => {
  const anon = createClient(stack.url, stack.ANON_KEY, {
    auth: { persistSession: false },
  });
  const count = async () =>
    (await anon.from('coworking_space').select('*', { count: 'exact', head: true })).count;
  const buckets = async () => (await anon.storage.listBuckets()).data.map((bucket) => bucket.id);
  assert.equal(await count(), 56);
  assert.equal((await buckets()).includes('plans'), false);
  await database.query(`
    create policy nobody on public.coworking_space as restrictive for select to anon using (false);
    create policy plans on storage.buckets for select to anon using (id = 'plans')`);
  assert.equal(await count(), 0);
  assert.equal((await buckets()).includes('plans'), true);
  await database.query('drop policy nobody on public.coworking_space; drop policy plans on storage.buckets');
  assert.equal(await count(), 56);
  assert.equal((await buckets()).includes('plans'), false);
});

it('serves a table that was made a moment ago', async () => {
  const anon = createClient(stack.url, stack.ANON_KEY, {
    auth: { persistSession: false },
  });
  assert.equal((await anon.from('fresh').select()).error.code, 'PGRST205');
  await database.query(
    'set role postgres; create table public.fresh (id int primary key); insert into public.fresh values (1); reset role',
  );
  const { until } = await import('../harness.mjs');
  const rows = await until('the new table', async () => (await anon.from('fresh').select()).data);
  assert.deepEqual(rows, [{ id: 1 }]);
});
