// Moving, copying and deleting objects.

const service = (t) => t.tokens.service;
const metadata = (value) => Buffer.from(JSON.stringify(value)).toString('base64');

async function prepared(t) {
  await t.bucket('b');
  await t.bucket('c', { public: true });
  await t.bucket('png', { allowed_mime_types: ['image/png'] });
  await t.bucket('tiny', { file_size_limit: 2 });
  for (const name of ['b/a.txt', 'b/b.txt', 'b/f/c.txt', 'c/a.txt'])
    await t.upload(name, `content of ${name}`, {
      headers: { 'cache-control': 'max-age=7', 'x-metadata': metadata({ from: name }) },
    });
}

const wrong = [
  undefined,
  null,
  {},
  [],
  'text',
  { bucketId: 'b' },
  { bucketId: 'b', sourceKey: 'a.txt' },
  { bucketId: 'b', destinationKey: 'x' },
  { sourceKey: 'a.txt', destinationKey: 'x' },
  { bucketId: 5, sourceKey: 'a.txt', destinationKey: 'x' },
  { bucketId: 'b', sourceKey: 5, destinationKey: 'x' },
  { bucketId: 'b', sourceKey: 'a.txt', destinationKey: null },
  { bucketId: 'b', sourceKey: ['a.txt'], destinationKey: 'x' },
  { bucketId: 'b', sourceKey: 'a.txt', destinationKey: {} },
  { bucketId: '', sourceKey: 'a.txt', destinationKey: 'x' },
  { bucketId: 'b', sourceKey: '', destinationKey: 'x' },
  { bucketId: 'b', sourceKey: 'a.txt', destinationKey: '' },
  { bucketId: 'b', sourceKey: 'a.txt', destinationKey: 'é' },
  { bucketId: 'b', sourceKey: 'é', destinationKey: 'x' },
  { bucketId: 'b', sourceKey: 'missing', destinationKey: 'x' },
  { bucketId: 'none', sourceKey: 'a.txt', destinationKey: 'x' },
  { bucketId: 'b', sourceKey: 'a.txt', destinationBucket: 'none', destinationKey: 'x' },
  { bucketId: 'b', sourceKey: 'a.txt', destinationBucket: 5, destinationKey: 'x' },
  { bucketId: 'b', sourceKey: 'a.txt', destinationBucket: null, destinationKey: 'x' },
  { bucketId: 'b', sourceKey: 'a.txt', destinationBucket: '', destinationKey: 'x2' },
  { bucketId: 'b', sourceKey: 'b.txt', destinationKey: '../x' },
  { bucketId: 'b', sourceKey: 'b.txt', destinationKey: 'k'.repeat(256) },
  { bucketId: 'b', sourceKey: 'f', destinationKey: 'g' },
];

export default [
  {
    name: 'moving',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const body of wrong) await t.post('/object/move', body, { token: service(t) });
      const move = (body, more) =>
        t.post('/object/move', { bucketId: 'b', ...body }, { token: service(t), ...more });
      await move({ sourceKey: 'f/c.txt', destinationKey: 'f/c.txt' });
      await move({ sourceKey: 'f/c.txt', destinationKey: 'moved.txt' });
      await t.get('/object/b/moved.txt', { token: service(t) });
      await t.get('/object/info/b/moved.txt', { token: service(t) });
      await t.get('/object/b/f/c.txt', { token: service(t) });
      await t.upload('b/d.txt', 'd');
      await move({ sourceKey: 'moved.txt', destinationKey: 'd.txt' });
      await move({ sourceKey: 'moved.txt', destinationKey: 'd.txt' }, { headers: { 'x-upsert': 'true' } });
      await move({ sourceKey: 'moved.txt', destinationBucket: 'c', destinationKey: 'over.txt' });
      await move({ sourceKey: 'd.txt', destinationBucket: 'c', destinationKey: 'a.txt' });
      await move({ sourceKey: 'd.txt', destinationBucket: 'png', destinationKey: 'd.txt' });
      await t.upload('b/long.txt', 'long');
      await move({ sourceKey: 'long.txt', destinationBucket: 'tiny', destinationKey: 'long.txt' });
      await t.get('/object/public/c/over.txt');
      await t.get('/object/move', { token: service(t) });
      await move({ sourceKey: 'missing', destinationKey: 'missing' });
    },
  },
  {
    name: 'copying',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const body of wrong) await t.post('/object/copy', body, { token: service(t) });
      let count = 0;
      const copy = async (body, more) => {
        count += 1;
        const key = body.destinationKey ?? `copy${count}`;
        await t.post(
          '/object/copy',
          { bucketId: 'b', sourceKey: 'b.txt', destinationKey: key, ...body },
          { token: service(t), ...more },
        );
        await t.get(`/object/info/${body.destinationBucket ?? 'b'}/${key}`, { token: service(t) });
      };
      await copy({});
      await copy({ destinationBucket: 'c' });
      await copy({ destinationKey: 'b.txt' });
      await copy({ destinationKey: 'b.txt' }, { headers: { 'x-upsert': 'true' } });
      await copy({ destinationKey: 'f/c.txt' });
      await copy({ destinationKey: 'f/c.txt' }, { headers: { 'x-upsert': 'true' } });
      await copy({ copyMetadata: false });
      await copy({ copyMetadata: false }, { headers: { 'x-metadata': metadata({ new: 1 }) } });
      await copy({ copyMetadata: true }, { headers: { 'x-metadata': metadata({ new: 1 }) } });
      await copy({ copyMetadata: false, metadata: { cacheControl: 'max-age=9', mimetype: 'text/css' } });
      await copy({ copyMetadata: false, metadata: { cacheControl: 'max-age=9' } });
      await copy({ copyMetadata: true, metadata: { cacheControl: 'max-age=9', mimetype: 'text/css' } });
      await copy({ copyMetadata: false, metadata: {} });
      await copy({ copyMetadata: 'no' });
      await copy({ copyMetadata: null });
      await copy({ copyMetadata: 'false' });
      await copy({ metadata: 5 });
      await copy({ copyMetadata: false, metadata: { cacheControl: 5 } });
      await copy({ copyMetadata: false, metadata: { mimetype: null } });
      await copy({ copyMetadata: false, metadata: { other: 'x' } });
      await copy({}, { headers: { 'x-metadata': 'broken' } });
      await copy({ destinationBucket: 'png' });
      await copy({ destinationBucket: 'tiny' });
      await copy({}, { headers: { 'x-upsert': 'false' } });
      await t.get('/object/copy', { token: service(t) });
    },
  },
  {
    name: 'deleting one',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const remove = (path, more) => t.delete(`/object/${path}`, { token: service(t), ...more });
      await remove('b/a.txt');
      await remove('b/a.txt');
      await remove('b/f');
      await remove('b/f/');
      await remove('b/missing');
      await remove('none/a.txt');
      await remove('b/%C3%A9');
      await remove('b/b.txt', { json: {} });
      await remove('b/f%2Fc.txt', { body: '', headers: { 'content-type': 'application/json' } });
      await remove('c/a.txt', { body: '{', headers: { 'content-type': 'application/json' } });
      await remove('c/a.txt', { token: undefined });
      await remove('c/a.txt', { token: t.tokens.asha });
      await remove('c/a.txt', { token: t.tokens.anon });
      await remove('c//a.txt');
      await remove('public/c/a.txt');
      await remove('');
    },
  },
  {
    name: 'deleting many',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const remove = (body, more) => t.delete('/object/b', { token: service(t), json: body, ...more });
      for (const body of [
        undefined,
        null,
        {},
        [],
        { prefixes: [] },
        { prefixes: 'a.txt' },
        { prefixes: null },
        { prefixes: [5] },
        { prefixes: [null] },
        { prefixes: [{}] },
        { prefixes: [['a.txt']] },
        { prefix: ['a.txt'] },
        { prefixes: [''] },
        { prefixes: ['missing'] },
        { prefixes: ['f/'] },
        { prefixes: ['f'] },
        { prefixes: ['é'] },
        { prefixes: ['/a.txt'] },
      ])
        await remove(body);
      await remove({ prefixes: ['a.txt', 'missing', 'a.txt'], more: 1 });
      await remove({ prefixes: ['b.txt', 'f/c.txt'] });
      await remove({ prefixes: ['b.txt'] });
      await t.delete('/object/none', { token: service(t), json: { prefixes: ['x'] } });
      await t.delete('/object/c', { token: t.tokens.asha, json: { prefixes: ['a.txt'] } });
      await t.delete('/object/c', { token: t.tokens.anon, json: { prefixes: ['a.txt'] } });
      await t.delete('/object/c', { json: { prefixes: ['a.txt'] } });
      await t.delete('/object/c/', { token: service(t), json: { prefixes: ['a.txt'] } });
      const names = [...Array(1100).keys()].map((index) => `n${index}`);
      await t.sql(
        `insert into storage.objects (bucket_id, name, metadata) select 'c', 'n' || g, '{}' from generate_series(0, 1099) g`,
      );
      const { body } = await t.delete('/object/c', {
        token: service(t),
        json: { prefixes: names },
        quiet: true,
      });
      t.note('eleven hundred at once', Array.isArray(body) ? body.map(({ name }) => name).sort() : body);
    },
  },
  {
    name: 'many under hard limits',
    profile: 'narrow',
    async run(t) {
      await prepared(t);
      const names = [...Array(1001).keys()].map((index) => `n${index}`);
      await t.delete('/object/c', { token: service(t), json: { prefixes: names }, as: 'a thousand and one' });
      await t.delete('/object/c', {
        token: service(t),
        json: { prefixes: names.slice(1) },
        as: 'a thousand',
      });
      await t.post(
        '/object/sign/c',
        { expiresIn: 60, paths: names },
        { token: service(t), as: 'a thousand and one to sign' },
      );
      await t.s3('GET', '');
      await t.get('/s3', { token: service(t) });
      await t.get('/documentation');
    },
  },
];
