// Making buckets: names, limits, types, and bodies of every kind.

const names = {
  plain: 'plain',
  'with a space': 'with a space',
  punctuation: `a!-.*'()&$@=;:+,?_b`,
  'one character': 'x',
  'a hundred characters': 'n'.repeat(100),
  'more than a hundred': 'n'.repeat(101),
  'a blank at the start': ' lead',
  'a blank at the end': 'trail ',
  'a slash': 'a/b',
  empty: '',
  'not ASCII': 'résumé',
  percent: 'a%b',
  hash: 'a#b',
  'a suffix of tables': 'lake--table-s3',
  'a dot': '.',
  'two dots': '..',
  'upper case': 'Upper',
  'a backslash': 'a\\b',
  'a line break': 'a\nb',
  'a null character': 'a\u0000b',
  'a quote': `a"b`,
};

const bodies = {
  'no body at all': undefined,
  'an empty object': {},
  'an array': [],
  'a number': 5,
  null: null,
  'name is a number': { name: 5 },
  'name is null': { name: null },
  'name is an object': { name: {} },
  'name is an array': { name: ['x'] },
  'name is a boolean': { name: true },
  'id is a number': { name: 'b', id: 7 },
  'id is null': { name: 'b', id: null },
  'id is empty': { name: 'b', id: '' },
  'id is unlike the name': { name: 'b', id: 'other' },
  'id is wrong': { name: 'b', id: 'a/b' },
  'public as text': { name: 'b', public: 'true' },
  'public as a number': { name: 'b', public: 1 },
  'public as another text': { name: 'b', public: 'yes' },
  'public is null': { name: 'b', public: null },
  'an unknown field': { name: 'b', colour: 'red' },
  'type STANDARD': { name: 'b', type: 'STANDARD' },
  'type ANALYTICS': { name: 'b', type: 'ANALYTICS' },
  'type VECTOR': { name: 'b', type: 'VECTOR' },
  'type in lower case': { name: 'b', type: 'standard' },
  'type is null': { name: 'b', type: null },
  'owner is given': { name: 'b', owner: '00000000-0000-4000-8000-000000000001' },
  'avif is given': { name: 'b', avif_autodetection: true },
};

const limits = [
  0,
  1,
  1000,
  299_999,
  300_000,
  300_001,
  -1,
  1.5,
  1e300,
  null,
  '0',
  '1000',
  '20kb',
  '20KB',
  '20Kb',
  '1mb',
  '0.1mb',
  '.5mb',
  '1.5kb',
  '1.234567kb',
  '20 kb',
  'kb',
  '20tb',
  '20b',
  '20.5b',
  '',
  '-1kb',
  '1e3',
  'abc',
  true,
  [],
  ['20kb'],
  {},
  '0.3mb',
  '300kb',
  '0.0001kb',
  '99999999999gb',
  9_007_199_254_740_993,
];

const types = [
  null,
  [],
  ['image/png'],
  ['image/*'],
  ['*'],
  ['*/*'],
  ['image'],
  ['image/'],
  ['/png'],
  ['image/png', 'text/plain'],
  ['text/plain;charset=utf-8'],
  ['text/plain; charset=utf-8'],
  ['text/plain;charset=utf-8;x=1'],
  ['IMAGE/PNG'],
  ['application/vnd.ms-excel+xml'],
  ['a b/c'],
  [''],
  ['image/png', 5],
  [null],
  'image/png',
  { a: 'image/png' },
  5,
  ['image/png', 'image/png'],
  [`image/${'x'.repeat(995)}`],
  [`image/${'x'.repeat(994)}`],
  ['image/*/x'],
  ['im*ge/png'],
  ['text/plain;q=0.5'],
  ['application/x.foo-bar_baz'],
  ['image/svg+xml;charset=UTF-8'],
];

export default [
  {
    name: 'names when making one',
    profile: 'plain',
    async run(t) {
      for (const [as, name] of Object.entries(names)) {
        await t.bucket(name);
        await t.get(`/bucket/${encodeURIComponent(name)}`, { token: t.tokens.service, as: `get: ${as}` });
      }
      await t.bucket('plain');
      await t.post('/bucket', { name: 'plain', id: 'another' }, { token: t.tokens.service });
      await t.post('/bucket', { name: 'another', id: 'plain' }, { token: t.tokens.service });
    },
  },
  {
    name: 'bodies when making one',
    profile: 'plain',
    async run(t) {
      for (const [as, json] of Object.entries(bodies)) {
        await t.post('/bucket', json, { token: t.tokens.service, as: `make: ${as}` });
        await t.get('/bucket', { token: t.tokens.service, as: `list after: ${as}` });
        await t.sql('truncate storage.buckets cascade');
      }
    },
  },
  {
    name: 'limits when making one',
    profile: 'plain',
    async run(t) {
      for (const [index, limit] of limits.entries()) {
        await t.bucket(`b${index}`, { file_size_limit: limit });
        await t.get(`/bucket/b${index}`, { token: t.tokens.service, as: `limit ${JSON.stringify(limit)}` });
      }
    },
  },
  {
    name: 'types when making one',
    profile: 'plain',
    async run(t) {
      for (const [index, allowed] of types.entries()) {
        await t.bucket(`b${index}`, { allowed_mime_types: allowed });
        await t.get(`/bucket/b${index}`, {
          token: t.tokens.service,
          as: `types ${JSON.stringify(allowed)?.slice(0, 60)}`,
        });
      }
    },
  },
  {
    name: 'owners',
    profile: 'plain',
    async run(t) {
      await t.sql(
        'create policy all_buckets on storage.buckets for all to authenticated using (true) with check (true)',
      );
      await t.post('/bucket', { name: 'ashas', public: true }, { token: t.tokens.asha });
      await t.get('/bucket/ashas', { token: t.tokens.asha });
      await t.get('/bucket', { token: t.tokens.ravi });
      await t.post('/bucket', { name: 'anons' }, { token: t.tokens.anon });
      await t.bucket('services');
      await t.get('/bucket/services', { token: t.tokens.asha });
    },
  },
];
