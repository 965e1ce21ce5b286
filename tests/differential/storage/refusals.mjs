// Who may not come in, and what is not a route.

import { jwt } from '../side.mjs';
import { SECRET } from './support/profiles.mjs';

const now = () => Math.floor(Date.now() / 1000);
const part = (value) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

const headers = () => {
  const good = jwt({ role: 'service_role', exp: now() + 600 }, { secret: SECRET });
  const bearer = (token) => `Bearer ${token}`;
  const signed = (claims, options) => bearer(jwt(claims, { secret: SECRET, ...options }));
  return {
    missing: undefined,
    empty: '',
    'only the scheme': 'Bearer',
    'the scheme and a blank': 'Bearer ',
    'lower case': `bearer ${good}`,
    'upper case': `BEARER ${good}`,
    'two blanks': `Bearer  ${good}`,
    'no scheme': good,
    basic: 'Basic eDp5',
    'another scheme': `Token ${good}`,
    'something behind': `Bearer ${good} x`,
    nonsense: bearer('nonsense'),
    'two parts': bearer('a.b'),
    'three parts': bearer('a.b.c'),
    'five parts': bearer('a.b.c.d.e'),
    'claims are no JSON': bearer(`${part({ alg: 'HS256' })}.${part('x')}.c`),
    'another secret': signed({ role: 'service_role', exp: now() + 600 }, { secret: 'another' }),
    'no signature': signed({ role: 'service_role', exp: now() + 600 }, { alg: 'none' }),
    HS512: signed({ role: 'service_role', exp: now() + 600 }, { alg: 'HS512' }),
    HS384: signed({ role: 'service_role', exp: now() + 600 }, { alg: 'HS384' }),
    expired: signed({ role: 'service_role', exp: now() - 60 }),
    'just expired': signed({ role: 'service_role', exp: now() - 1 }),
    'no end': signed({ role: 'service_role' }),
    'not yet': signed({ role: 'service_role', nbf: now() + 600, exp: now() + 900 }),
    'issued later': signed({ role: 'service_role', iat: now() + 600, exp: now() + 900 }),
    'end is text': signed({ role: 'service_role', exp: 'tomorrow' }),
    'end is a fraction': signed({ role: 'service_role', exp: now() + 600.5 }),
    'issued is text': signed({ role: 'service_role', iat: 'x', exp: now() + 600 }),
    'claims are an array': signed([1]),
    'a kid': signed({ role: 'service_role', exp: now() + 600 }, { header: { kid: 'unknown' } }),
    'a kid that is known': bearer(
      jwt(
        { role: 'service_role', exp: now() + 600 },
        { secret: 'another secret of the differential run', header: { kid: 'second' } },
      ),
    ),
    'a known key without a kid': bearer(
      jwt({ role: 'service_role', exp: now() + 600 }, { secret: 'another secret of the differential run' }),
    ),
    'a critical header': signed(
      { role: 'service_role', exp: now() + 600 },
      { header: { crit: ['x'], x: 1 } },
    ),
    'another type': signed({ role: 'service_role', exp: now() + 600 }, { header: { typ: 'x' } }),
    'RS256 without a key': bearer(`${part({ alg: 'RS256' })}.${part({ role: 'service_role' })}.${part('x')}`),
    'a changed signature': bearer(`${good.slice(0, -2)}xx`),
    padding: bearer(`${good}=`),
  };
};

const routes = [
  ['GET', '/bucket'],
  ['POST', '/object/list/b', { prefix: '' }],
  ['GET', '/object/authenticated/b/a.txt'],
  ['GET', '/object/b/a.txt'],
  ['HEAD', '/object/b/a.txt'],
  ['GET', '/object/info/b/a.txt'],
  ['DELETE', '/object/b/none'],
  ['DELETE', '/cdn'],
  ['GET', '/health'],
  ['GET', '/render/image/authenticated/b/a.txt'],
  ['HEAD', '/upload/resumable/YjEvdC50eHQvMjM4MmMxYTYtN2VjYi00ZjZkLWE1YjktNDNhMmRmZTg2ZGIz'],
];

const families = [
  '',
  'bucket',
  'object',
  'object/list',
  'object/list/b',
  'object/sign',
  'object/sign/b',
  'object/info',
  'object/public',
  'object/authenticated',
  'object/move',
  'object/copy',
  'object/upload',
  'object/upload/sign',
  'upload',
  'upload/resumable',
  'upload/resumable/sign',
  'upload/other',
  'render',
  'render/image',
  'render/image/public',
  'render/image/public/b',
  'render/other',
  's3x',
  'cdn',
  'cdn/b',
  'cdn/b/a',
  'health',
  'healthcheck',
  'status',
  'version',
  'metrics',
  'iceberg',
  'iceberg/bucket',
  'iceberg/v1/config',
  'vector',
  'vector/ListVectorBuckets',
  'nothing',
  'tenants',
  'documentation/json',
  'favicon.ico',
  'object/list-v2',
  'object/list-v2/b',
  'object/purge/b/a',
];

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Bodies that no route can read, as the routes that read JSON see them. */
const unreadable = {
  'no JSON': ['application/json', '{"a":'],
  nothing: ['application/json', ''],
  'two values': ['application/json', '{} {}'],
  'a byte order mark': ['application/json', '\ufeff{"name":"x","prefix":""}'],
  'a prototype': ['application/json', '{"__proto__":{"a":1},"name":"p","prefix":""}'],
  'a constructor': ['application/json', '{"constructor":{"prototype":{"a":1}},"name":"q","prefix":""}'],
  'a key twice': ['application/json', '{"name":"r","name":"s","prefix":"x","prefix":""}'],
  text: ['text/plain', '{"name":"t","prefix":""}'],
  'no type': [undefined, '{"name":"u","prefix":""}'],
  xml: ['application/xml', '<a/>'],
  'a form': ['application/x-www-form-urlencoded', 'name=v&prefix='],
  parts: [
    'multipart/form-data; boundary=x',
    '--x\r\ncontent-disposition: form-data; name="name"\r\n\r\nw\r\n--x--\r\n',
  ],
  'json with a charset': ['application/json; charset=utf-8', '{"name":"y","prefix":""}'],
  'json in upper case': ['Application/JSON', '{"name":"z","prefix":""}'],
  'a json dialect': ['application/vnd.api+json', '{"name":"aa","prefix":""}'],
  'not UTF-8': [
    'application/json',
    Buffer.from([0x7b, 0x22, 0x6e, 0x61, 0x6d, 0x65, 0x22, 0x3a, 0x22, 0xff, 0x22, 0x7d]),
  ],
  'very deep': ['application/json', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  'a wrong type': ['nonsense', '{}'],
};

export default [
  ...['plain', 'gateway'].map((profile) => ({
    name: `tokens, ${profile}`,
    profile,
    async run(t) {
      await t.bucket('b');
      await t.upload('b/a.txt', 'content');
      for (const [as, authorization] of Object.entries(headers()))
        for (const [method, path, json] of routes)
          await t.send(method, path, { json, headers: { authorization }, as: `${method} ${path}: ${as}` });
    },
  })),
  {
    name: 'methods and paths',
    profile: 'plain',
    async run(t) {
      for (const family of families)
        for (const method of methods) {
          if (method === 'GET' && /^(version|documentation|metrics)/.test(family)) continue;
          await t.send(method, `/${family}`, { token: t.tokens.service });
          await t.send(method, `/${family}/?a=b`, {});
        }
      for (const path of [
        '//bucket',
        '/bucket//',
        '/BUCKET',
        '/bucket?',
        '/%62ucket',
        '/bucket;a=b',
        '/object/public/%zz/a',
        '/%',
        '/bucket/%00',
        '/./bucket',
        '/bucket/..',
        '/bucket/a/b',
        '/object/list/a/b/c',
        `/bucket/${'x'.repeat(2600)}`,
        `/object/b/${'x'.repeat(2600)}`,
        `/nothing/${'x'.repeat(2600)}`,
      ])
        for (const method of ['GET', 'POST'])
          await t.send(method, path, {
            token: t.tokens.service,
            json: method === 'POST' ? { prefix: '' } : undefined,
          });
      for (const method of ['TRACE', 'PROPFIND', 'PURGE', 'SEARCH'])
        await t.send(method, '/bucket', { token: t.tokens.service });
    },
  },
  {
    name: 'bodies that cannot be read',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      for (const [as, [type, body]] of Object.entries(unreadable))
        for (const [method, path] of [
          ['POST', '/bucket'],
          ['PUT', '/bucket/b'],
          ['POST', '/object/list/b'],
          ['POST', '/object/move'],
          ['DELETE', '/object/b'],
          ['POST', '/object/sign/b/x'],
          ['POST', '/object/upload/sign/b/x'],
          ['POST', '/bucket/b/empty'],
        ])
          await t.send(method, path, {
            token: t.tokens.service,
            body,
            headers: { 'content-type': type },
            as: `${method} ${path}: ${as}`,
          });
      const large = (size) => JSON.stringify({ name: 'large', prefix: 'x'.repeat(size) });
      for (const size of [1_048_000, 1_048_576, 2_000_000])
        for (const path of ['/bucket', '/object/list/b', '/object/sign/b/x'])
          await t.send('POST', path, {
            token: t.tokens.service,
            body: large(size),
            headers: { 'content-type': 'application/json' },
            as: `POST ${path}: ${size} bytes`,
          });
      await t.send('POST', '/bucket', {
        body: large(2_000_000),
        headers: { 'content-type': 'application/json' },
        as: 'large, and no token',
      });
      await t.send('POST', '/bucket', {
        body: '{',
        headers: { 'content-type': 'application/json' },
        as: 'broken, and no token',
      });
      await t.send('POST', '/bucket', { json: {}, as: 'wrong, and no token' });
      await t.send('POST', '/bucket', {
        json: {},
        headers: { authorization: 'Bearer x' },
        as: 'wrong, and a wrong token',
      });
    },
  },
  {
    name: 'headers',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.upload('b/a.txt', 'content');
      for (const more of [
        { 'accept-encoding': 'gzip' },
        { accept: 'image/webp' },
        { origin: 'https://site.test' },
        { 'x-forwarded-host': 'other.test' },
        { 'x-forwarded-prefix': '/storage/v1' },
        { apikey: t.tokens.service },
        { 'x-client-info': 'x' },
        { 'x-tenant-id': 'other' },
        { 'if-none-match': '*' },
        { expect: '100-continue' },
        { connection: 'close' },
        { host: 'other.test' },
      ]) {
        await t.get('/object/b/a.txt', { token: t.tokens.service, headers: more });
        await t.get('/bucket/b', { token: t.tokens.service, headers: more });
      }
      await t.get('/bucket', { headers: { apikey: t.tokens.service } });
      await t.get(`/bucket?apikey=${t.tokens.service}`, { as: 'a key in the query' });
      await t.get('/status');
      await t.get('/health', { token: t.tokens.anon });
      await t.get('/version');
    },
  },
];
