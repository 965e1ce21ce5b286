// Listing, changing, emptying and deleting buckets.

const lists = [
  '',
  '?limit=2',
  '?limit=0',
  '?limit=-1',
  '?limit=abc',
  '?limit=1.5',
  '?limit=',
  '?limit=2&offset=1',
  '?offset=2',
  '?offset=-1',
  '?offset=abc',
  '?offset=100',
  '?sortColumn=name&sortOrder=desc',
  '?sortColumn=name&sortOrder=asc',
  '?sortColumn=id&sortOrder=desc',
  '?sortColumn=created_at&sortOrder=asc',
  '?sortColumn=created_at&sortOrder=desc',
  '?sortColumn=updated_at&sortOrder=desc',
  '?sortColumn=owner&sortOrder=asc',
  '?sortColumn=name&sortOrder=DESC',
  '?sortColumn=name',
  '?sortOrder=desc',
  '?sortColumn=',
  '?search=a&sortColumn=id',
  '?search=ALPHA&sortColumn=id',
  '?search=%25&sortColumn=id',
  '?search=_&sortColumn=id',
  '?search=%5C&sortColumn=id',
  '?search=&sortColumn=id',
  '?search=none',
  '?search=a&search=b',
  '?limit=1&limit=2',
  '?unknown=1&sortColumn=id',
  '?limit=99999999999999999999',
  '?limit=1e1&sortColumn=id',
  '?limit=%2B1&sortColumn=id',
];

const updates = {
  nothing: {},
  'an unknown field': { colour: 'red' },
  public: { public: true },
  'not public': { public: false },
  'public is null': { public: null },
  'public as text': { public: 'true' },
  'public is wrong': { public: 'maybe' },
  limit: { file_size_limit: 1000 },
  'limit as text': { file_size_limit: '20kb' },
  'limit is null': { file_size_limit: null },
  'limit is zero': { file_size_limit: 0 },
  'limit is too large': { file_size_limit: 300_001 },
  'limit is wrong': { file_size_limit: 'many' },
  types: { allowed_mime_types: ['image/png'] },
  'no types': { allowed_mime_types: [] },
  'types are null': { allowed_mime_types: null },
  'types are wrong': { allowed_mime_types: ['nothing'] },
  'types are text': { allowed_mime_types: 'image/png' },
  all: { public: true, file_size_limit: 5, allowed_mime_types: ['text/plain'] },
  'name and id': { name: 'other', id: 'other', public: true },
};

async function some(t, list = ['alpha', 'Alpha2', 'be_ta', 'ga%mma', 'del\\ta', 'zeta']) {
  for (const [index, name] of list.entries())
    await t.sql(`insert into storage.buckets (id, name, created_at, updated_at, public)
      values ('${name}', '${name}', timestamptz '2024-01-01 00:00:00.123456+00' + interval '${index} s',
              timestamptz '2024-02-01 00:00:00+00' - interval '${index} s', ${index % 2 === 0})`);
}

export default [
  {
    name: 'getting and listing',
    profile: 'plain',
    async run(t) {
      await some(t);
      for (const query of lists) await t.get(`/bucket${query}`, { token: t.tokens.service });
      await t.get('/bucket/', { token: t.tokens.service });
      await t.get('/bucket/alpha', { token: t.tokens.service });
      await t.get('/bucket/alpha/', { token: t.tokens.service });
      await t.get('/bucket/none', { token: t.tokens.service });
      await t.get('/bucket/ALPHA', { token: t.tokens.service });
      await t.get('/bucket/ga%25mma', { token: t.tokens.service });
      await t.get('/bucket/del%5Cta', { token: t.tokens.service });
      await t.get('/bucket/%E0%A4%A', { token: t.tokens.service });
      await t.head('/bucket/alpha', { token: t.tokens.service });
      await t.head('/bucket', { token: t.tokens.service });
      for (const token of [t.tokens.anon, t.tokens.asha]) {
        await t.get('/bucket', { token });
        await t.get('/bucket/alpha', { token });
      }
      for (const client of [
        'supabase-py/2.17.0',
        'supabase-py/2.18.0',
        'supabase-py/2.9.0',
        'supabase-js/2.1.0',
        'supabase-py/x',
      ])
        await t.get('/bucket?limit=1', { token: t.tokens.service, headers: { 'x-client-info': client } });
      for (const agent of [
        'supabase-py/storage3 v0.11.3',
        'supabase-py/storage3 v0.12.1',
        'supabase-py/storage3 v0.8',
        'python-httpx/0.2',
      ])
        await t.get('/bucket?limit=1', { token: t.tokens.service, headers: { 'user-agent': agent } });
    },
  },
  {
    name: 'changing',
    profile: 'plain',
    async run(t) {
      await t.bucket('b', { file_size_limit: 100, allowed_mime_types: ['text/plain'] });
      for (const [as, json] of Object.entries(updates)) {
        await t.put('/bucket/b', json, { token: t.tokens.service, as: `change: ${as}` });
        await t.get('/bucket/b', { token: t.tokens.service, as: `after: ${as}` });
      }
      await t.put('/bucket/none', { public: true }, { token: t.tokens.service });
      await t.put('/bucket/b', { public: true }, { token: t.tokens.asha });
      await t.put('/bucket/b', { public: true }, { token: t.tokens.anon });
      await t.put('/bucket/b', undefined, { token: t.tokens.service });
      await t.put('/bucket/a%2Fb', { public: true }, { token: t.tokens.service });
      await t.put('/bucket/', { public: true }, { token: t.tokens.service });
      await t.send('PATCH', '/bucket/b', { json: { public: true }, token: t.tokens.service });
      await t.send('PUT', '/bucket/b', {
        body: '{"public":',
        token: t.tokens.service,
        headers: { 'content-type': 'application/json' },
      });
      await t.send('PUT', '/bucket/b', {
        body: 'public=true',
        token: t.tokens.service,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
      await t.send('PUT', '/bucket/b', {
        body: '{"public":true}',
        token: t.tokens.service,
        headers: { 'content-type': 'text/plain' },
      });
      await t.send('PUT', '/bucket/b', { body: '{"public":true}', token: t.tokens.service });
    },
  },
  {
    name: 'policies of changes',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.sql(
        'create policy u on storage.buckets for update to authenticated using (true) with check (true)',
      );
      await t.put('/bucket/b', { public: true }, { token: t.tokens.asha });
      await t.sql('create policy s on storage.buckets for select to authenticated using (true)');
      await t.put('/bucket/b', { public: true }, { token: t.tokens.asha });
      await t.delete('/bucket/b', { token: t.tokens.asha });
      await t.sql('create policy d on storage.buckets for delete to authenticated using (true)');
      await t.delete('/bucket/b', { token: t.tokens.anon });
      await t.delete('/bucket/b', { token: t.tokens.asha });
      await t.delete('/bucket/b', { token: t.tokens.asha });
      await t.sql(
        `create policy i on storage.buckets for insert to authenticated with check (name like 'my%')`,
      );
      await t.post('/bucket', { name: 'mine' }, { token: t.tokens.asha });
      await t.post('/bucket', { name: 'yours' }, { token: t.tokens.asha });
      await t.post('/bucket', { name: 'mine' }, { token: t.tokens.asha });
      await t.sql('drop policy s on storage.buckets');
      await t.post('/bucket', { name: 'my2' }, { token: t.tokens.asha });
      await t.get('/bucket', { token: t.tokens.asha });
    },
  },
  {
    name: 'deleting and emptying',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.bucket('c');
      await t.upload('b/one.txt', 'one');
      await t.upload('b/two/three.txt', 'three');
      await t.upload('c/other.txt', 'other');
      await t.delete('/bucket/b', { token: t.tokens.service });
      await t.delete('/bucket/b', { token: t.tokens.asha });
      for (const token of [t.tokens.anon, t.tokens.asha, undefined])
        await t.post('/bucket/b/empty', undefined, { token });
      await t.post('/bucket/none/empty', undefined, { token: t.tokens.service });
      await t.post('/bucket/b/empty', {}, { token: t.tokens.service });
      await t.post('/bucket/b/empty', undefined, { token: t.tokens.service });
      await t.post('/object/list/b', { prefix: '' }, { token: t.tokens.service });
      await t.send('DELETE', '/bucket/b', {
        token: t.tokens.service,
        body: '',
        headers: { 'content-type': 'application/json' },
      });
      await t.delete('/bucket/b', { token: t.tokens.service });
      await t.delete('/bucket/none', { token: t.tokens.service });
      await t.bucket('d');
      await t.send('DELETE', '/bucket/d', { token: t.tokens.service, json: {} });
      await t.bucket('d');
      await t.send('DELETE', '/bucket/d', {
        token: t.tokens.service,
        body: '{x',
        headers: { 'content-type': 'application/json' },
      });
      await t.send('DELETE', '/bucket/d', {
        token: t.tokens.service,
        body: 'abc',
        headers: { 'content-type': 'text/plain' },
      });
      await t.sql(
        `insert into storage.s3_multipart_uploads (id, upload_signature, bucket_id, key, version) values ('u', 's', 'c', 'k', 'v')`,
      );
      await t.post('/bucket/c/empty', undefined, { token: t.tokens.service });
      await t.delete('/bucket/c', { token: t.tokens.service });
      await t.get('/bucket/c/empty', { token: t.tokens.service });
      await t.delete('/bucket/', { token: t.tokens.service });
    },
  },
];
