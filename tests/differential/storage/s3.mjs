// The S3 protocol: buckets, listings, and the same as users.

import { S3_KEY, TOKENS } from './support/profiles.mjs';
import { prepared, session, xml } from './support/s3.mjs';

const listings = [
  {},
  { 'max-keys': 0 },
  { 'max-keys': 2 },
  { 'max-keys': 1000 },
  { 'max-keys': 1001 },
  { 'max-keys': -1 },
  { 'max-keys': 'x' },
  { 'max-keys': '' },
  { 'max-keys': '1.5' },
  { delimiter: '/' },
  { delimiter: '/', prefix: 'f/' },
  { delimiter: '/', prefix: 'f' },
  { delimiter: '/', 'max-keys': 2 },
  { delimiter: '.' },
  { delimiter: 'xx' },
  { delimiter: '' },
  { delimiter: 't', prefix: 'f/' },
  { prefix: 'f/' },
  { prefix: 'none' },
  { prefix: '' },
  { prefix: 'F' },
  { 'encoding-type': 'url' },
  { 'encoding-type': 'url', prefix: 'sp ' },
  { 'encoding-type': 'x' },
  { prefix: 'sp ' },
  { 'fetch-owner': 'true' },
  { unknown: 'x' },
];

export default [
  {
    name: 'buckets',
    profile: 'plain',
    async run(t) {
      await t.s3('GET', '');
      await t.s3('GET', '/');
      await prepared(t);
      await t.s3('GET', '');
      for (const [name, options] of [
        ['made'],
        ['made'],
        ['public', { headers: { 'x-amz-acl': 'public-read' } }],
        ['private', { headers: { 'x-amz-acl': 'private' } }],
        ['odd', { headers: { 'x-amz-acl': 'nonsense' } }],
        [
          'located',
          xml(
            '<CreateBucketConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><LocationConstraint>eu-west-1</LocationConstraint></CreateBucketConfiguration>',
          ),
        ],
        ['broken', xml('<Create')],
        ['UPPER'],
        ['with%20blank'],
        ['a%2Fb'],
        ['%C3%A9'],
        ['n'.repeat(101)],
        ['slash/'],
        ['lake--table-s3'],
      ])
        await t.s3('PUT', `/${name}`, options);
      for (const name of ['made', 'none', 'made/', 'UPPER', 'with%20blank']) {
        await t.s3('HEAD', `/${name}`);
        for (const query of ['location', 'versioning', 'uploads', 'unknown'])
          await t.s3('GET', `/${name}`, { query: { [query]: '' } });
      }
      for (const name of ['made', 'made', 'none', 'b', 'private/']) await t.s3('DELETE', `/${name}`);
      await t.s3('PATCH', '/b');
      await t.s3('POST', '/b');
      await t.s3('POST', '');
      await t.s3('PUT', '');
      await t.s3('DELETE', '');
      await t.s3('HEAD', '');
      await t.s3('OPTIONS', '/b');
    },
  },
  {
    name: 'listings',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const query of listings) {
        await t.s3('GET', '/b', { query });
        await t.s3('GET', '/b', { query: { 'list-type': 2, ...query } });
      }
      for (const query of [
        { marker: 'f/b.txt' },
        { marker: 'f/', delimiter: '/' },
        { marker: 'f', delimiter: '/' },
        { marker: 'zzz' },
        { marker: '' },
        { marker: 'a.txt', 'max-keys': 1 },
      ])
        await t.s3('GET', '/b', { query });
      for (const query of [
        { 'start-after': 'f/b.txt' },
        { 'start-after': 'f/', delimiter: '/' },
        { 'start-after': 'zzz' },
        { 'continuation-token': 'nonsense' },
        { 'continuation-token': '' },
        { 'continuation-token': Buffer.from('l:f/b.txt').toString('base64') },
        { 'list-type': 1 },
        { 'list-type': 3 },
        { 'list-type': 'x' },
      ])
        await t.s3('GET', '/b', { query: { 'list-type': 2, ...query } });
      for (const name of ['none', 'open', 'b/', 'UPPER'])
        await t.s3('GET', `/${name}`, { query: { 'list-type': 2 } });
      for (const start of [{}, { delimiter: '/' }, { delimiter: '/', prefix: 'f/' }, { delimiter: 'x' }]) {
        let token;
        for (let page = 0; page < 12; page += 1) {
          const query = {
            'list-type': 2,
            'max-keys': 2,
            ...start,
            ...(token ? { 'continuation-token': token } : {}),
          };
          const { text } = await t.s3('GET', '/b', { query, as: `page ${page} of ${JSON.stringify(start)}` });
          token = text.match(/<NextContinuationToken>([^<]*)</)?.[1];
          if (!token) break;
        }
        let marker;
        for (let page = 0; page < 12; page += 1) {
          const query = { 'max-keys': 2, ...start, ...(marker ? { marker } : {}) };
          const { text } = await t.s3('GET', '/b', {
            query,
            as: `marked page ${page} of ${JSON.stringify(start)}`,
          });
          marker = text.match(/<NextMarker>([^<]*)</)?.[1];
          if (!marker) break;
        }
      }
    },
  },
  {
    name: 'as users',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await t.sql(`create policy s on storage.objects for select to authenticated using (name like 'f/%')`);
      await t.sql(
        `create policy i on storage.objects for insert to authenticated with check (name like 'mine/%')`,
      );
      const all = async (how) => {
        await t.s3('GET', '', { how });
        await t.s3('HEAD', '/b', { how });
        await t.s3('GET', '/b', { how, query: { 'list-type': 2 } });
        await t.s3('GET', '/b/f/b.txt', { how });
        await t.s3('HEAD', '/b/a.txt', { how });
        await t.s3('GET', '/b/a.txt', { how });
        await t.s3('GET', '/open/none', { how });
        await t.s3('PUT', '/b/mine/x', { how, body: 'mine' });
        await t.s3('PUT', '/b/yours', { how, body: 'yours' });
        await t.s3('PUT', '/b/mine/copy', { how, headers: { 'x-amz-copy-source': 'b/f/b.txt' } });
        await t.s3('DELETE', '/b/f/b.txt', { how });
        await t.s3('DELETE', '/b/missing', { how });
        await t.s3('POST', '/b', {
          how,
          query: { delete: '' },
          ...xml(
            '<Delete><Object><Key>f/b.txt</Key></Object><Object><Key>a.txt</Key></Object><Object><Key>none</Key></Object></Delete>',
          ),
        });
        await t.s3('POST', '/b/mine/multi', { how, query: { uploads: '' } });
        await t.s3('GET', '/b', { how, query: { uploads: '' } });
        await t.s3('PUT', '/newbucket', { how });
        await t.s3('DELETE', '/open', { how });
      };
      for (const who of ['anon', 'asha', 'service']) await all(session(TOKENS[who]));
      await t.sql(
        'create policy u on storage.objects for update to authenticated using (true) with check (true)',
      );
      await t.sql('create policy d on storage.objects for delete to authenticated using (true)');
      await t.sql(
        'create policy b on storage.buckets for all to authenticated using (true) with check (true)',
      );
      await all(session(TOKENS.asha));
      await all({ key: S3_KEY.id, secret: S3_KEY.secret, token: TOKENS.asha });
    },
  },
];
