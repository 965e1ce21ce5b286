// Row-level security: each operation as each role, under one policy after the other.

import { jwt } from '../side.mjs';
import { SECRET, USERS } from './support/profiles.mjs';

const odd = (claims) => jwt({ exp: 4_000_000_000, ...claims }, { secret: SECRET });
const others = {
  'an unknown role': odd({ role: 'nobody_has_this' }),
  'no role': odd({ sub: USERS.asha }),
  'a role that may not be taken': odd({ role: 'supabase_admin' }),
  'a subject that is no UUID': odd({ role: 'authenticated', sub: 'user-5' }),
  'an empty role': odd({ role: '' }),
  'a role with quotes': odd({ role: `a"; drop table x; --'` }),
  'a role that is a number': odd({ role: 5 }),
  'a subject that is a number': odd({ role: 'authenticated', sub: 5 }),
  'the role none': odd({ role: 'none' }),
};

const policies = {
  none: [],
  insert: ['insert'],
  select: ['select'],
  update: ['update'],
  delete: ['delete'],
  'insert and select': ['insert', 'select'],
  'select and update': ['select', 'update'],
  'select and delete': ['select', 'delete'],
  'insert, select, update': ['insert', 'select', 'update'],
  all: ['insert', 'select', 'update', 'delete'],
};

const clause = { insert: 'with check', select: 'using', delete: 'using' };

async function allow(t, actions, condition = 'true', role = 'authenticated') {
  for (const action of actions)
    await t.sql(
      action === 'update'
        ? `create policy p_update on storage.objects for update to ${role} using (${condition}) with check (${condition})`
        : `create policy p_${action} on storage.objects for ${action} to ${role} ${clause[action]} (${condition})`,
    );
}

async function prepared(t) {
  await t.bucket('b');
  for (const name of ['a.txt', 'c.txt', 'd.txt', 'e.txt', 'g.txt', 'h.txt'])
    await t.upload(`b/${name}`, `content of ${name}`);
}

/** Every operation once. */
async function everything(t, token) {
  const base = (text) => Buffer.from(text).toString('base64');
  await t.upload('b/new.txt', 'new', { token });
  await t.upload('b/a.txt', 'again', { token });
  await t.upload('b/a.txt', 'over', { token, headers: { 'x-upsert': 'true' } });
  await t.upload('b/fresh.txt', 'over nothing', { token, headers: { 'x-upsert': 'true' } });
  await t.send('PUT', '/object/b/c.txt', { token, body: 'put' });
  await t.get('/object/b/a.txt', { token });
  await t.get('/object/authenticated/b/a.txt', { token });
  await t.head('/object/authenticated/b/a.txt', { token });
  await t.get('/object/info/b/a.txt', { token });
  await t.post('/object/list/b', { prefix: '' }, { token });
  await t.post('/object/list-v2/b', {}, { token });
  await t.post('/object/sign/b/a.txt', { expiresIn: 60 }, { token });
  await t.post('/object/sign/b', { expiresIn: 60, paths: ['a.txt', 'none'] }, { token });
  await t.post('/object/upload/sign/b/signed.txt', undefined, { token });
  await t.post('/object/upload/sign/b/c.txt', undefined, { token, headers: { 'x-upsert': 'true' } });
  await t.post(
    '/object/copy',
    { bucketId: 'b', sourceKey: 'c.txt', destinationKey: 'copied.txt' },
    { token },
  );
  await t.post(
    '/object/copy',
    { bucketId: 'b', sourceKey: 'c.txt', destinationKey: 'd.txt' },
    { token, headers: { 'x-upsert': 'true' } },
  );
  await t.post('/object/copy', { bucketId: 'b', sourceKey: 'c.txt', destinationKey: 'd.txt' }, { token });
  await t.post('/object/move', { bucketId: 'b', sourceKey: 'd.txt', destinationKey: 'moved.txt' }, { token });
  await t.post('/object/move', { bucketId: 'b', sourceKey: 'e.txt', destinationKey: 'a.txt' }, { token });
  await t.send('POST', '/upload/resumable', {
    token,
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': '5',
      'upload-metadata': `bucketName ${base('b')},objectName ${base('tus.txt')}`,
    },
  });
  await t.send('POST', '/upload/resumable', {
    ...{ token, body: 'all' },
    headers: {
      'tus-resumable': '1.0.0',
      'upload-length': '3',
      'content-type': 'application/offset+octet-stream',
      'x-upsert': 'true',
      'upload-metadata': `bucketName ${base('b')},objectName ${base('h.txt')}`,
    },
  });
  await t.delete('/object/b/a.txt', { token });
  await t.delete('/object/b/missing.txt', { token });
  await t.delete('/object/b', { token, json: { prefixes: ['c.txt', 'g.txt', 'missing'] } });
}

export default [
  ...Object.entries(policies).map(([name, actions]) => ({
    name: `authenticated with ${name}`,
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await allow(t, actions);
      await everything(t, t.tokens.asha);
    },
  })),
  ...['anon', 'service'].map((who) => ({
    name: `${who} where authenticated may`,
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await allow(t, policies.all);
      await everything(t, t.tokens[who]);
    },
  })),
  {
    name: 'anon where everybody may',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await allow(t, policies.all, 'true', 'public');
      await everything(t, t.tokens.anon);
    },
  },
  ...Object.entries(others).map(([name, token]) => ({
    name: `as ${name}`,
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await allow(t, policies.all, 'true', 'public');
      await everything(t, token);
      await t.get('/bucket', { token });
      await t.post('/bucket', { name: 'x' }, { token });
    },
  })),
  {
    name: 'of owners and folders',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await allow(
        t,
        policies.all,
        `owner_id = (auth.uid())::text and (storage.foldername(name))[1] = auth.uid()::text`,
      );
      const mine = `b/${USERS.asha}`;
      await t.upload(`${mine}/one.txt`, 'one', { token: t.tokens.asha });
      await t.upload(`b/${USERS.ravi}/one.txt`, 'one', { token: t.tokens.asha });
      await t.upload('b/top.txt', 'one', { token: t.tokens.asha });
      for (const who of ['asha', 'ravi', 'anon', 'service']) {
        const token = t.tokens[who];
        await t.get(`/object/${mine}/one.txt`, { token });
        await t.upload(`${mine}/one.txt`, who, { token, headers: { 'x-upsert': 'true' } });
        await t.post('/object/list/b', { prefix: USERS.asha }, { token });
        await t.post(
          '/object/move',
          { bucketId: 'b', sourceKey: `${USERS.asha}/one.txt`, destinationKey: `${USERS.ravi}/stolen.txt` },
          { token },
        );
        await t.delete(`/object/${mine}/one.txt`, { token });
      }
    },
  },
  {
    name: 'of what policies may look at',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.sql('create table if not exists public.seen (what text)');
      await t.sql('truncate public.seen; grant all on public.seen to public');
      await t.sql(`create or replace function public.look(name text, metadata jsonb, user_metadata jsonb) returns boolean volatile security definer language plpgsql as $$
        begin
          if current_setting('request.method', true) = 'POST' and name like 'refuse%' then
            raise exception 'refused: % % % % % % %', storage.operation(), current_setting('request.path', true), current_setting('role', true),
              current_setting('request.jwt.claim.role', true), current_setting('request.jwt.claim.sub', true), metadata, user_metadata using errcode = '42501';
          end if;
          return true;
        end $$`);
      await allow(t, ['insert', 'select', 'update'], 'public.look(name, metadata, user_metadata)');
      const token = t.tokens.asha;
      await t.upload('b/refuse.txt', 'body', {
        token,
        headers: { 'x-metadata': Buffer.from('{"a":1}').toString('base64') },
      });
      await t.upload('b/refuse.txt', 'body', { token, headers: { 'x-upsert': 'true' } });
      await t.form(
        'POST',
        '/object/b/refuse-form',
        [
          ['metadata', '{"b":2}'],
          ['', { name: 'x', type: 'text/css', body: 'form' }],
        ],
        { token },
      );
      await t.upload('b/refuse.txt', 'chunks', { token, chunked: true });
      await t.upload('b/fine.txt', 'body', { token });
      await t.post('/object/upload/sign/b/refuse', undefined, {
        token,
        headers: { 'x-metadata': Buffer.from('{"a":1}').toString('base64') },
      });
      await t.post(
        '/object/copy',
        { bucketId: 'b', sourceKey: 'fine.txt', destinationKey: 'refuse' },
        { token },
      );
      await t.post(
        '/object/move',
        { bucketId: 'b', sourceKey: 'fine.txt', destinationKey: 'refuse' },
        { token },
      );
      const base = (text) => Buffer.from(text).toString('base64');
      await t.send('POST', '/upload/resumable', {
        token,
        headers: {
          'tus-resumable': '1.0.0',
          'upload-length': '5',
          'upload-metadata': `bucketName ${base('b')},objectName ${base('refuse')},contentType ${base('text/x')},metadata ${base('{"c":3}')}`,
        },
      });
      await t.s3('PUT', '/b/refuse', {
        body: 'x',
        headers: { 'content-type': 'text/y', 'x-amz-meta-k': 'v' },
        how: { key: 'differential', secret: t.tokens.anon, token },
      });
      await t.s3('POST', '/b/refuse', {
        query: { uploads: '' },
        headers: { 'content-type': 'text/y' },
        how: { key: 'differential', secret: t.tokens.anon, token },
      });
    },
  },
  {
    name: 'of errors in policies and triggers',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const token = t.tokens.asha;
      for (const [code, text] of Object.entries({
        '22P02': 'no number',
        P0001: 'raised',
        57014: 'cancelled',
        25006: 'read only',
        42703: 'no column',
        '42P01': 'no table',
        '42P17': 'recursion',
        '55P03': 'locked',
        23505: 'twice',
        23503: 'no parent',
        23502: 'null',
        42501: 'no right',
        PT200: 'fine',
        53300: 'full',
        40001: 'again',
      })) {
        await t.sql(
          `create or replace function public.fail() returns boolean volatile language plpgsql as $$ begin raise exception '${text}' using errcode = '${code}'; end $$`,
        );
        await t.sql(
          'drop policy if exists p_insert on storage.objects; drop policy if exists p_select on storage.objects',
        );
        await allow(t, ['insert', 'select'], 'public.fail()');
        await t.upload('b/x.txt', 'x', { token, as: `upload: ${code}` });
        await t.get('/object/b/a.txt', { token, as: `read: ${code}` });
        await t.get('/object/info/b/a.txt', { token, as: `info: ${code}` });
        await t.post('/object/list/b', { prefix: '' }, { token, as: `list: ${code}` });
        await t.delete('/object/b', { token, json: { prefixes: ['a.txt'] }, as: `delete: ${code}` });
        await t.s3('GET', '/b', {
          how: { key: 'differential', secret: t.tokens.anon, token },
          as: `S3 list: ${code}`,
        });
      }
    },
  },
  {
    name: 'of operations',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await allow(
        t,
        ['select'],
        `storage.allow_any_operation(array['storage.object.list', 'object.get_authenticated_info'])`,
      );
      await allow(t, ['insert'], `storage.allow_only_operation('object.upload')`);
      await everything(t, t.tokens.asha);
    },
  },
];
