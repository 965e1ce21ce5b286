// Listing objects, both generations, with rows whose times are chosen.

const service = (t) => t.tokens.service;

const NAMES = [
  'a.txt',
  'B.txt',
  'b.txt',
  'folder/one.txt',
  'folder/two.txt',
  'folder/deep/three.txt',
  'Folder/four.txt',
  'folder',
  'folder-2/x',
  'folder2/y',
  'z/.emptyFolderPlaceholder',
  '100%/x',
  'under_score/x',
  'underXscore/x',
  'space in/name.txt',
  'c/d/e/f.txt',
  '_',
  'a//double.txt',
  'a/',
  '/lead.txt',
  'é.txt',
  'a+b.txt',
  'aa',
  'ab',
  'a',
  'Z.txt',
  'folder.txt',
  'folder/one.txt2',
];

/** Rows without blobs, at which a listing does not look; their numbers are chosen, to be the same everywhere. */
async function rows(t, names = NAMES) {
  await t.bucket('b');
  await t.bucket('other');
  for (const [index, name] of names.entries())
    await t.sql(
      `insert into storage.objects (id, bucket_id, name, version, metadata, created_at, updated_at, last_accessed_at)
       values (('6e1a6f2c-0000-4000-8000-' || lpad($4::text, 12, '0'))::uuid, $1, $2, gen_random_uuid()::text, $3, timestamptz '2024-01-01 00:00:00.000400+00' + $4::int * interval '1 s',
               timestamptz '2024-06-01 00:00:00+00' - $4::int * interval '1 s', timestamptz '2024-03-01 00:00:00+00' + ($4::int % 5) * interval '1 s')`,
      [
        index % 9 === 8 ? 'other' : 'b',
        name,
        JSON.stringify({ size: index, mimetype: 'text/plain', eTag: '"x"' }),
        index,
      ],
    );
}

const first = [
  { prefix: '' },
  { prefix: 'folder' },
  { prefix: 'folder/' },
  { prefix: 'FOLDER' },
  { prefix: 'folder/deep' },
  { prefix: '/' },
  { prefix: 'a/' },
  { prefix: 'a//' },
  { prefix: 'none' },
  { prefix: '100%' },
  { prefix: '100%25' },
  { prefix: 'under_score' },
  { prefix: 'c' },
  { prefix: 'c/d' },
  { prefix: '', limit: 3 },
  { prefix: '', limit: 3, offset: 3 },
  { prefix: '', offset: 100 },
  { prefix: '', limit: 0 },
  { prefix: '', limit: 1 },
  { prefix: '', limit: 1500 },
  { prefix: '', limit: 1501 },
  { prefix: '', limit: 100_000 },
  { prefix: '', limit: -1 },
  { prefix: '', limit: 1.5 },
  { prefix: '', limit: '3' },
  { prefix: '', limit: 'x' },
  { prefix: '', limit: null },
  { prefix: '', offset: -1 },
  { prefix: '', offset: '2' },
  { prefix: '', offset: null },
  { prefix: '', limit: 1e20 },
  { prefix: '', offset: 1e20 },
  { prefix: '', search: 'a' },
  { prefix: '', search: 'A' },
  { prefix: '', search: 'fol' },
  { prefix: 'folder', search: 'o' },
  { prefix: '', search: 'folder/o' },
  { prefix: '', search: '%' },
  { prefix: '', search: '_' },
  { prefix: '', search: '\\' },
  { prefix: '', search: '' },
  { prefix: '', search: 5 },
  { prefix: '', search: null },
  { prefix: '', search: 'under_' },
  { prefix: 'folder/', search: 'deep/t' },
  ...['name', 'updated_at', 'created_at', 'last_accessed_at'].flatMap((column) =>
    ['asc', 'desc'].map((order) => ({ prefix: '', sortBy: { column, order } })),
  ),
  { prefix: 'folder', sortBy: { column: 'created_at', order: 'desc' } },
  { prefix: '', sortBy: { column: 'created_at', order: 'desc' }, limit: 4, offset: 2 },
  { prefix: '', sortBy: {} },
  { prefix: '', sortBy: { column: 'name' } },
  { prefix: '', sortBy: { order: 'desc' } },
  { prefix: '', sortBy: { column: 'id', order: 'asc' } },
  { prefix: '', sortBy: { column: 'name', order: 'ASC' } },
  { prefix: '', sortBy: null },
  { prefix: '', sortBy: 'name' },
  { prefix: '', sortBy: { column: 'metadata' } },
  { prefix: '', sortBy: { column: 'name; drop table x' } },
  { prefix: '', unknown: 1 },
  {},
  { prefix: null },
  { prefix: 5 },
  { prefix: ['a'] },
  { prefix: {} },
  [],
  'text',
  null,
  { limit: 5 },
  { prefix: 'é' },
  { prefix: 'a\u0000' },
  { prefix: 'x'.repeat(2000) },
];

const second = [
  {},
  { prefix: '' },
  { prefix: 'folder' },
  { prefix: 'folder/' },
  { prefix: 'FOLDER' },
  { prefix: 'a' },
  { prefix: '100%' },
  { prefix: 'under_' },
  { prefix: 'none' },
  { prefix: '/' },
  { prefix: 'a//' },
  { with_delimiter: true },
  { with_delimiter: true, prefix: 'folder' },
  { with_delimiter: true, prefix: 'folder/' },
  { with_delimiter: true, prefix: 'c/' },
  { with_delimiter: true, prefix: 'a' },
  { with_delimiter: true, prefix: 'a/' },
  { with_delimiter: true, prefix: 'under_' },
  { with_delimiter: false, limit: 3 },
  { with_delimiter: true, limit: 3 },
  { limit: 0 },
  { limit: 1 },
  { limit: 1000 },
  { limit: 1001 },
  { limit: -1 },
  { limit: '3' },
  { limit: 'x' },
  { limit: null },
  { limit: 1.5 },
  ...['name', 'updated_at', 'created_at'].flatMap((column) =>
    ['asc', 'desc'].flatMap((order) =>
      [true, false].map((with_delimiter) => ({ with_delimiter, sortBy: { column, order } })),
    ),
  ),
  { sortBy: { column: 'last_accessed_at', order: 'asc' } },
  { sortBy: { column: 'name' } },
  { sortBy: { order: 'desc' } },
  { sortBy: {} },
  { sortBy: null },
  { sortBy: { column: 'name', order: 'DESC' } },
  { sortBy: 'name' },
  { with_delimiter: 'true' },
  { with_delimiter: 'yes' },
  { with_delimiter: null },
  { prefix: 5 },
  { prefix: null },
  { unknown: 1 },
  [],
  null,
  { cursor: 5 },
  { cursor: null },
  { cursor: '' },
  { cursor: 'nonsense' },
  { cursor: Buffer.from('l:b.txt').toString('base64') },
  { cursor: Buffer.from('l:b.txt\no:desc').toString('base64') },
  { cursor: Buffer.from('l:b.txt\no:asc\nc:name').toString('base64') },
  { cursor: Buffer.from('l:b.txt\no:up').toString('base64') },
  { cursor: Buffer.from('l:b.txt\nc:owner').toString('base64') },
  { cursor: Buffer.from('l:b.txt\nc:created_at\na:never').toString('base64') },
  { cursor: Buffer.from('l:b.txt\nc:created_at\na:2024-01-01T00:00:05.000Z').toString('base64') },
  { cursor: Buffer.from('l:b.txt\nc:created_at').toString('base64') },
  { cursor: Buffer.from('x:1').toString('base64') },
  { cursor: Buffer.from('l:').toString('base64') },
  { cursor: Buffer.from('l:folder/').toString('base64'), with_delimiter: true },
  {
    cursor: Buffer.from('l:b.txt\no:desc').toString('base64'),
    sortBy: { column: 'created_at', order: 'asc' },
  },
];

/** Goes from page to page; the last one says that there is no next. */
async function pages(t, body) {
  let cursor;
  for (let page = 0; page < 20; page += 1) {
    const { body: answer } = await t.post(
      '/object/list-v2/b',
      { ...body, cursor },
      { token: service(t), as: `page ${page} of ${JSON.stringify(body)}` },
    );
    cursor = answer.nextCursor;
    if (!answer.hasNext) return;
  }
}

export default [
  {
    name: 'first generation',
    profile: 'plain',
    async run(t) {
      await rows(t);
      for (const body of first) await t.post('/object/list/b', body, { token: service(t) });
      await t.post('/object/list/none', { prefix: '' }, { token: service(t) });
      await t.post('/object/list/other', { prefix: '' }, { token: service(t) });
      await t.post('/object/list/', { prefix: '' }, { token: service(t) });
      await t.post('/object/list/b/', { prefix: '' }, { token: service(t) });
      await t.post('/object/list/b/folder', { prefix: '' }, { token: service(t) });
      await t.post('/object/list/a%2Fb', { prefix: '' }, { token: service(t) });
      await t.get('/object/list/b', { token: service(t) });
    },
  },
  {
    name: 'second generation',
    profile: 'plain',
    async run(t) {
      await rows(t);
      for (const body of second) await t.post('/object/list-v2/b', body, { token: service(t) });
      await t.post('/object/list-v2/none', {}, { token: service(t) });
      await t.post('/object/list-v2/', {}, { token: service(t) });
      await t.post('/object/list-v2/b', undefined, { token: service(t) });
      await t.get('/object/list-v2/b', { token: service(t) });
    },
  },
  {
    name: 'from page to page',
    profile: 'plain',
    async run(t) {
      await rows(t);
      for (const with_delimiter of [true, false])
        for (const limit of [1, 2, 5])
          for (const sortBy of [
            undefined,
            { column: 'name', order: 'desc' },
            { column: 'created_at', order: 'asc' },
            { column: 'updated_at', order: 'desc' },
          ])
            await pages(t, { with_delimiter, limit, sortBy });
      await pages(t, { with_delimiter: true, limit: 2, prefix: 'folder' });
      await pages(t, { with_delimiter: true, limit: 1, prefix: 'folder/' });
      await pages(t, { limit: 2, prefix: 'folder', sortBy: { column: 'created_at', order: 'desc' } });
    },
  },
  {
    name: 'under policies',
    profile: 'plain',
    async run(t) {
      await rows(t);
      for (const who of ['anon', 'asha', 'ravi']) {
        await t.post('/object/list/b', { prefix: '' }, { token: t.tokens[who] });
        await t.post('/object/list-v2/b', {}, { token: t.tokens[who] });
      }
      await t.sql(
        `create policy s on storage.objects for select to authenticated using (storage.foldername(name) && array['folder', 'c'])`,
      );
      for (const who of ['anon', 'asha', undefined]) {
        await t.post('/object/list/b', { prefix: '' }, { token: t.tokens[who] });
        await t.post('/object/list/b', { prefix: 'folder' }, { token: t.tokens[who] });
        await t.post('/object/list-v2/b', {}, { token: t.tokens[who] });
        await t.post('/object/list-v2/b', { with_delimiter: true, limit: 1 }, { token: t.tokens[who] });
      }
    },
  },
];
