// Signed addresses for reading and for uploading.

import { jwt } from '../side.mjs';
import { SECRET } from './support/profiles.mjs';

const service = (t) => t.tokens.service;
const now = () => Math.floor(Date.now() / 1000);
const sign = (claims, options) => jwt(claims, { secret: SECRET, ...options });
const tokenOf = (answer) =>
  new URLSearchParams(String(answer.body.signedURL ?? answer.body.url ?? '').split('?')[1]).get('token');

async function prepared(t) {
  await t.bucket('b');
  await t.bucket('open', { public: true });
  await t.upload('b/a.txt', '0123456789', { headers: { 'cache-control': 'max-age=60' } });
  await t.upload('b/f/page.html', '<p>', { type: 'text/html' });
  await t.upload('b/s%20p.txt', 'space');
  await t.upload('open/a.txt', 'open');
}

const lives = [
  {},
  { expiresIn: 60 },
  { expiresIn: 1 },
  { expiresIn: 0 },
  { expiresIn: -1 },
  { expiresIn: 1.5 },
  { expiresIn: '60' },
  { expiresIn: 'x' },
  { expiresIn: null },
  { expiresIn: 1e9 },
  { expiresIn: 1e18 },
  { expiresIn: true },
  [],
  null,
  'x',
  { expiresIn: 60, transform: {} },
  { expiresIn: 60, transform: { width: 100 } },
  { expiresIn: 60, transform: { width: 'x' } },
  { expiresIn: 60, transform: null },
  { expiresIn: 60, transform: 5 },
  { expiresIn: 60, transform: { format: 'avif', quality: 5 } },
  { expiresIn: 60, unknown: 1 },
];

/** Claims that a token for reading b/a.txt might have. */
const claims = () => ({
  good: { url: 'b/a.txt', scope: 'download', iat: now(), exp: now() + 60 },
  'no scope': { url: 'b/a.txt', iat: now(), exp: now() + 60 },
  'no scope but upsert': { url: 'b/a.txt', upsert: false, iat: now(), exp: now() + 60 },
  'scope upload': { url: 'b/a.txt', scope: 'upload', upsert: true, iat: now(), exp: now() + 60 },
  'unknown scope': { url: 'b/a.txt', scope: 'x', iat: now(), exp: now() + 60 },
  'null scope': { url: 'b/a.txt', scope: null, iat: now(), exp: now() + 60 },
  'another path': { url: 'b/f/page.html', scope: 'download', iat: now(), exp: now() + 60 },
  'another bucket': { url: 'open/a.txt', scope: 'download', iat: now(), exp: now() + 60 },
  'a slash in front': { url: '/b/a.txt', scope: 'download', iat: now(), exp: now() + 60 },
  encoded: { url: 'b/a%2Etxt', scope: 'download', iat: now(), exp: now() + 60 },
  'no url': { scope: 'download', iat: now(), exp: now() + 60 },
  'url is a number': { url: 5, scope: 'download', exp: now() + 60 },
  expired: { url: 'b/a.txt', scope: 'download', iat: now() - 60, exp: now() - 30 },
  'no end': { url: 'b/a.txt', scope: 'download', iat: now() },
  'not yet': { url: 'b/a.txt', scope: 'download', nbf: now() + 600, exp: now() + 900 },
  'of a user': { role: 'authenticated', sub: '00000000-0000-4000-8000-000000000001', exp: now() + 60 },
  'of a user, with a url': { role: 'service_role', url: 'b/a.txt', exp: now() + 60 },
  'end is text': { url: 'b/a.txt', scope: 'download', exp: 'tomorrow' },
  'with transformations': { url: 'b/a.txt', scope: 'download', transformations: 'width:10', exp: now() + 60 },
});

const forms = {
  'another secret': [{ secret: 'another secret' }],
  HS512: [{ alg: 'HS512' }],
  HS384: [{ alg: 'HS384' }],
  'no signature': [{ alg: 'none' }],
  'with a kid': [{ header: { kid: 'x' } }],
};

export default [
  {
    name: 'reading: making one',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const body of lives) await t.post('/object/sign/b/a.txt', body, { token: service(t) });
      for (const path of [
        'b/missing',
        'none/a.txt',
        'b/f/page.html',
        'b/s%20p.txt',
        'b/s+p.txt',
        'open/a.txt',
        'b/',
        'b//',
        'b/%C3%A9',
        'b/f%2Fpage.html',
        'b/f',
        'b/%',
      ])
        await t.post(`/object/sign/${path}`, { expiresIn: 60 }, { token: service(t) });
      for (const who of ['anon', 'asha', undefined])
        await t.post('/object/sign/b/a.txt', { expiresIn: 60 }, { token: t.tokens[who] });
      for (const who of ['anon', 'asha'])
        await t.post('/object/sign/open/a.txt', { expiresIn: 60 }, { token: t.tokens[who] });
      await t.sql('create policy s on storage.objects for select to authenticated using (true)');
      await t.post('/object/sign/b/a.txt', { expiresIn: 60 }, { token: t.tokens.asha });
      await t.send('PUT', '/object/sign/b/a.txt', { json: { expiresIn: 60 }, token: service(t) });
    },
  },
  {
    name: 'reading: using one',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const made = await t.post('/object/sign/b/a.txt', { expiresIn: 600 }, { token: service(t) });
      const url = made.body.signedURL;
      const etag = (await t.get(url)).headers.etag;
      for (const headers of [
        { range: 'bytes=0-3' },
        { range: 'bytes=50-' },
        { 'if-none-match': etag },
        { 'if-none-match': '"other"' },
        { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
        { authorization: 'Bearer nonsense' },
      ])
        await t.get(url, { headers });
      await t.head(url);
      for (const query of ['&download', '&download=x.txt', '&width=5', '&token=second'])
        await t.get(url + query);
      const page = await t.post('/object/sign/b/f/page.html', { expiresIn: 600 }, { token: service(t) });
      await t.get(page.body.signedURL);
      await t.get(page.body.signedURL.replace('f/page', 'f%2Fpage'));
      const spaced = await t.post('/object/sign/b/s%20p.txt', { expiresIn: 600 }, { token: service(t) });
      await t.get(spaced.body.signedURL.replace(' ', '%20'));
      await t.get(spaced.body.signedURL.replace(' ', '+'));
      await t.get(url.replace('/b/a.txt', '/b/f/page.html'));
      await t.get(url.replace('/b/a.txt', '/open/a.txt'));
      await t.get(url.replace('/object/sign', '/render/image/sign'));
      await t.get(url.replace(/\?.*/, ''));
      await t.get(url.replace(/token=.*/, 'token='));
      await t.get(url.slice(0, -3), { as: 'a cut signature' });
      await t.post('/object/list/b', { prefix: '' }, { token: tokenOf(made), as: 'the token as a bearer' });
      await t.delete('/object/b/a.txt', { token: service(t) });
      await t.get(url);
      await t.upload('b/a.txt', 'again');
      await t.get(url);
    },
  },
  {
    name: 'reading: tokens of others',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const [as, each] of Object.entries(claims())) {
        await t.get(`/object/sign/b/a.txt?token=${sign(each)}`, { as: `read: ${as}` });
        await t.get(`/render/image/sign/b/a.txt?token=${sign(each)}`, { as: `render: ${as}` });
        await t.send('PUT', `/object/upload/sign/b/a.txt?token=${sign(each)}`, {
          body: 'x',
          as: `upload: ${as}`,
        });
      }
      for (const [as, [options]] of Object.entries(forms))
        await t.get(`/object/sign/b/a.txt?token=${sign(claims().good, options)}`, { as: `read: ${as}` });
      for (const token of [
        'x',
        'a.b.c',
        'eyJ.eyJ.x',
        t.tokens.service,
        t.tokens.anon,
        '%00',
        'é'.replace('é', '%C3%A9'),
      ]) {
        await t.get(`/object/sign/b/a.txt?token=${token}`, { as: `read: ${token.slice(0, 8)}` });
        await t.send('PUT', `/object/upload/sign/b/a.txt?token=${token}`, {
          body: 'x',
          as: `upload: ${token.slice(0, 8)}`,
        });
      }
    },
  },
  {
    name: 'reading: many at once',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const many = (body, token = service(t)) => t.post('/object/sign/b', body, { token });
      for (const body of [
        undefined,
        {},
        [],
        { expiresIn: 60 },
        { paths: ['a.txt'] },
        { expiresIn: 60, paths: [] },
        { expiresIn: 60, paths: 'a.txt' },
        { expiresIn: 60, paths: [5] },
        { expiresIn: 60, paths: [null] },
        { expiresIn: 0, paths: ['a.txt'] },
        { expiresIn: 'x', paths: ['a.txt'] },
        { expiresIn: 60, paths: [''] },
        {
          expiresIn: 60,
          paths: ['a.txt', 'missing', 'f/page.html', 'a.txt', 's p.txt', '/a.txt', 'é', 'a%2etxt'],
        },
        {
          expiresIn: 60,
          paths: Array(1000)
            .fill('a.txt')
            .map((name, index) => (index ? `m${index}` : name)),
        },
        { expiresIn: 60, paths: Array(1001).fill('x') },
      ])
        await many(body);
      await many({ expiresIn: 60, paths: ['a.txt'] }, t.tokens.asha);
      await many({ expiresIn: 60, paths: ['a.txt'] }, t.tokens.anon);
      await t.post('/object/sign/none', { expiresIn: 60, paths: ['a.txt'] }, { token: service(t) });
      await t.post('/object/sign/b/', { expiresIn: 60, paths: ['a.txt'] }, { token: service(t) });
      const { body } = await many({ expiresIn: 600, paths: ['a.txt', 'f/page.html'] });
      for (const { signedURL } of body) await t.get(signedURL);
    },
  },
  {
    name: 'uploading: making one',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const make = (path, more) =>
        t.post(`/object/upload/sign/${path}`, undefined, { token: service(t), ...more });
      await make('b/new.txt');
      await make('b/a.txt');
      for (const upsert of ['true', 'TRUE', 'false'])
        await make('b/a.txt', { headers: { 'x-upsert': upsert } });
      for (const path of ['none/x', 'b/', 'b/%C3%A9', 'b/a//b', 'b/..%2Fx', 'b', 'b/s%20q', 'b/f%2Fg'])
        await make(path);
      for (const body of [{}, { expiresIn: 60 }, { expiresIn: 'x' }, [], null])
        await t.post('/object/upload/sign/b/new.txt', body, { token: service(t) });
      for (const who of ['anon', 'asha', undefined]) await make('b/new.txt', { token: t.tokens[who] });
      await t.sql(
        `create policy i on storage.objects for insert to authenticated with check (metadata ->> 'mimetype' = 'text/css')`,
      );
      await make('b/new.txt', { token: t.tokens.asha });
      await make('b/new.txt', { token: t.tokens.asha, headers: { 'content-type': 'text/css' } });
      await make('b/new.txt', {
        token: t.tokens.asha,
        headers: { 'content-type': 'text/css', 'x-upsert': 'true' },
      });
      await make('b/new.txt', { headers: { 'x-metadata': Buffer.from('{"a":1}').toString('base64') } });
    },
  },
  {
    name: 'uploading: using one',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await t.sql('create policy i on storage.objects for insert to authenticated with check (true)');
      await t.bucket('png', { allowed_mime_types: ['image/png'], file_size_limit: 5 });
      const make = async (path, more) =>
        (await t.post(`/object/upload/sign/${path}`, undefined, { token: service(t), ...more })).body.url;
      const use = (url, more = {}) =>
        t.send('PUT', url, { body: 'signed', headers: { 'content-type': 'text/css' }, ...more });
      const url = await make('b/new.txt');
      await use(url);
      await t.get('/object/info/b/new.txt', { token: service(t) });
      await use(url);
      await use(url, { headers: { 'x-upsert': 'true' } });
      const over = await make('b/new.txt', { headers: { 'x-upsert': 'true' } });
      await use(over, { body: 'once' });
      await use(over, { body: 'twice' });
      await t.get('/object/b/new.txt', { token: service(t) });
      const ashas = await make('b/ashas.txt', { token: t.tokens.asha });
      await use(ashas, {
        headers: { 'cache-control': 'max-age=3', 'x-metadata': Buffer.from('{"a":1}').toString('base64') },
      });
      await t.get('/object/info/b/ashas.txt', { token: service(t) });
      const typed = await make('png/x');
      await use(typed);
      await use(typed, { headers: { 'content-type': 'image/png' } });
      await use(typed, { headers: { 'content-type': 'image/png' }, body: 'short' });
      const form = await make('b/form.txt');
      await t.form('PUT', form, [
        ['cacheControl', '9'],
        ['metadata', '{"f":1}'],
        ['', { name: 'x', type: 'text/x', body: 'form' }],
      ]);
      await t.get('/object/info/b/form.txt', { token: service(t) });
      const other = await make('b/other.txt');
      await use(other.replace('other.txt', 'else.txt'));
      await use(other.replace('/b/', '/open/'));
      await use(other.replace(/\?.*/, ''));
      await use(other.replace(/token=.*/, 'token='));
      await use(other.replace('/upload/sign', '/sign'));
      await t.get(other.replace('/upload/sign', '/sign'));
      await t.get(other);
      await t.post(other);
      await use(other, { body: undefined });
      await t.delete('/bucket/png', { token: service(t) });
      await use(
        (await make('none/x').catch(() => '/object/upload/sign/none/x?token=y')) ??
          '/object/upload/sign/none/x?token=y',
      );
    },
  },
  {
    name: 'with a key of their own',
    profile: 'gateway',
    async run(t) {
      await prepared(t);
      const made = await t.post('/object/sign/b/a.txt', { expiresIn: 600 }, { token: service(t) });
      await t.get(made.body.signedURL);
      const up = await t.post('/object/upload/sign/b/n.txt', undefined, { token: service(t) });
      await t.send('PUT', up.body.url, { body: 'x' });
      for (const [as, each] of Object.entries(claims()))
        await t.get(`/object/sign/b/a.txt?token=${sign(each)}`, { as: `old secret, read: ${as}` });
      await t.get(
        `/object/sign/b/a.txt?token=${jwt(claims().good, { secret: 'another secret of the differential run', header: { kid: 'second' } })}`,
        { as: 'a key for users' },
      );
      await t.get('/object/public/open/a.txt');
      await t.get('/object/public/open/a.txt', { headers: { 'if-none-match': '"other"' } });
      await t.head('/object/public/open/a.txt', { headers: { 'if-none-match': '"other"' } });
    },
  },
];
