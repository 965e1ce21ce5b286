// Signature Version 4: in headers, in queries, chunk by chunk, and how it fails.

import { S3_KEY, TENANT, TOKENS } from './support/profiles.mjs';

const PAYLOADS = [
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD',
  'STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER',
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
];

const change = (name, value) => ({
  mangle: (headers) => {
    if (value === undefined) delete headers[name];
    else headers[name] = typeof value === 'function' ? value(headers[name]) : value;
  },
});

const headerCases = {
  good: {},
  'another secret': { secret: 'x' },
  'an unknown key': { key: 'x' },
  'an empty key': { key: '' },
  'another region': { region: 'eu-west-1' },
  'the region auto': { region: 'auto' },
  'an empty region': { region: '' },
  'another service': { service: 's3vectors' },
  'an unknown service': { service: 'ec2' },
  'an hour ago': { time: Date.now() - 3_600_000 },
  'two days ago': { time: Date.now() - 172_800_000 },
  tomorrow: { time: Date.now() + 86_400_000 },
  'unsigned payload': { payload: 'UNSIGNED-PAYLOAD' },
  'another payload': { payload: '0'.repeat(64) },
  'payload is nonsense': { payload: 'x' },
  'a session': { key: TENANT, secret: TOKENS.anon, token: TOKENS.service },
  'a session of another tenant': { key: 'other', secret: TOKENS.anon, token: TOKENS.service },
  'a session with a wrong secret': { key: TENANT, secret: TOKENS.service, token: TOKENS.service },
  'a session with a wrong token': { key: TENANT, secret: TOKENS.anon, token: 'nonsense' },
  'a session without a token': { key: TENANT, secret: TOKENS.anon },
  'a key with a wrong token': { token: 'nonsense' },
  'a changed header': change('x-amz-date', (value) => value.replace(/.Z$/, '0Z')),
  'no date': change('x-amz-date', undefined),
  'date is nonsense': change('x-amz-date', 'x'),
  'no payload': change('x-amz-content-sha256', undefined),
  'no authorization': change('authorization', undefined),
  'a bearer': change('authorization', `Bearer ${TOKENS.service}`),
  'a cut signature': change('authorization', (value) => value.slice(0, -4)),
  'only the algorithm': change('authorization', 'AWS4-HMAC-SHA256'),
  'no credential': change('authorization', (value) => value.replace(/Credential=[^,]*, /, '')),
  'no signed headers': change('authorization', (value) => value.replace(/SignedHeaders=[^,]*, /, '')),
  'no signature': change('authorization', (value) => value.replace(/, Signature=.*/, '')),
  'a short credential': change('authorization', (value) =>
    value.replace(/Credential=[^,]*/, 'Credential=a/b'),
  ),
  'no blanks': change('authorization', (value) => value.replaceAll(', ', ',')),
  'more blanks': change('authorization', (value) => value.replaceAll(', ', ',   ')),
  'another algorithm': change('authorization', (value) =>
    value.replace('AWS4-HMAC-SHA256', 'AWS4-HMAC-SHA512'),
  ),
  'lower-case algorithm': change('authorization', (value) =>
    value.replace('AWS4-HMAC-SHA256', 'aws4-hmac-sha256'),
  ),
  'host is not signed': { unsigned: ['host'] },
  'a header that is not there': change('authorization', (value) =>
    value.replace('SignedHeaders=', 'SignedHeaders=x-missing;'),
  ),
  'version 2': change('authorization', `AWS ${S3_KEY.id}:x`),
};

const queryCases = {
  good: {},
  'another secret': { secret: 'x' },
  'an unknown key': { key: 'x' },
  'another region': { region: 'eu-west-1' },
  expired: { time: Date.now() - 3_600_000, expires: 60 },
  'long-lived': { expires: 604_800 },
  'longer-lived': { expires: 604_801 },
  'no life': { expires: 0 },
  'life is negative': { expires: -5 },
  'life is nonsense': { expires: 'x' },
  'no expires': { drop: ['X-Amz-Expires'] },
  'no date': { drop: ['X-Amz-Date'] },
  'no credential': { drop: ['X-Amz-Credential'] },
  'no algorithm': { drop: ['X-Amz-Algorithm'] },
  'no signed headers': { drop: ['X-Amz-SignedHeaders'] },
  'another algorithm': { override: { 'X-Amz-Algorithm': 'AWS4-HMAC-SHA512' } },
  'a wrong signature': { signature: '0'.repeat(64) },
  'an empty signature': { signature: '' },
  'a session': { key: TENANT, secret: TOKENS.anon, token: TOKENS.service },
  'a session of nobody': { key: TENANT, secret: TOKENS.anon, token: 'x' },
  tomorrow: { time: Date.now() + 86_400_000 },
};

export default [
  {
    name: 'in headers',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.s3('PUT', '/b/a.txt', { body: 'content' });
      for (const [as, how] of Object.entries(headerCases)) {
        await t.s3('GET', '/b/a.txt', { how, as: `get: ${as}` });
        await t.s3('HEAD', '/b', { how, as: `head: ${as}` });
        await t.s3('PUT', '/b/p.txt', { body: 'put', how, as: `put: ${as}` });
        await t.s3('GET', '', { how, as: `buckets: ${as}` });
      }
      for (const headers of [
        { 'x-forwarded-host': 'h.test' },
        { 'x-forwarded-host': 'h.test', 'x-forwarded-port': '8000' },
        { 'x-forwarded-prefix': '/storage/v1' },
        { 'accept-encoding': 'gzip' },
        { 'x-two': '  two   blanks ' },
        { 'content-type': '' },
      ])
        await t.s3('GET', '/b/a.txt', { headers });
      for (const query of [
        { b: '1', a: '2' },
        { a: ['2', '1'] },
        { 'a b': 'c d' },
        { é: 'ü' },
        { a: '' },
        { a: 'x=y&z' },
        { 'a+b': '+' },
        { a: "~*!()'" },
      ])
        await t.s3('GET', '/b', { query: { 'list-type': '2', ...query } });
      await t.get('/s3/b/a.txt');
      await t.get('/s3/b/a.txt', { token: TOKENS.service });
      await t.get('/s3');
    },
  },
  {
    name: 'in queries',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.s3('PUT', '/b/a.txt', { body: 'content' });
      for (const [as, how] of Object.entries(queryCases)) {
        await t.s3('GET', '/b/a.txt', { how: { presign: true, ...how }, as: `get: ${as}` });
        await t.s3('PUT', '/b/p.txt', { body: 'put', how: { presign: true, ...how }, as: `put: ${as}` });
        await t.s3('HEAD', '/b/a.txt', { how: { presign: true, ...how }, as: `head: ${as}` });
      }
      await t.s3('GET', '/b/a.txt', {
        how: { presign: true },
        headers: { authorization: `Bearer ${TOKENS.anon}` },
        as: 'with a bearer',
      });
      await t.s3('GET', '/b/a.txt', {
        how: { presign: true },
        headers: { authorization: 'AWS4-HMAC-SHA256 x' },
        as: 'with a header of the same kind',
      });
      await t.s3('GET', '/b/a.txt', {
        how: { presign: true },
        query: { 'response-content-type': 'text/x' },
        as: 'with a type',
      });
      await t.s3('PUT', '/b/t.txt', {
        body: 'x',
        how: { presign: true, signHeaders: ['content-type'] },
        headers: { 'content-type': 'text/css' },
        as: 'with a signed type',
      });
      await t.s3('GET', '/b', {
        how: { presign: true },
        query: { 'list-type': '2', prefix: 'a' },
        as: 'a listing',
      });
      await t.s3('DELETE', '/b/t.txt', { how: { presign: true }, as: 'deleting' });
    },
  },
  {
    name: 'chunk by chunk',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      const text = 'x'.repeat(70_000);
      for (const payload of PAYLOADS) {
        const trailer = { 'x-amz-checksum-crc32': 'AAAAAA==' };
        const headers = payload.endsWith('TRAILER') ? { 'x-amz-trailer': 'x-amz-checksum-crc32' } : {};
        const put = (as, how, more = {}) =>
          t.s3('PUT', '/b/chunked', {
            body: text,
            headers: { ...headers, ...more },
            how: { payload, trailer, ...how },
            as: `${payload}: ${as}`,
          });
        await put('one chunk', {});
        await t.s3('GET', '/b/chunked');
        await put('three chunks', { chunks: [30_000, 30_000, 10_000] });
        await put('a wrong chunk', { spoil: 'chunk' });
        await put('no trailer', { trailer: undefined });
        await put('another trailer', { trailer: { 'x-amz-other': 'x' } });
        await put('a wrong secret', { secret: 'x' });
        await put('a length that is too small', {}, { 'x-amz-decoded-content-length': '5' });
        await put('a length that is too large', {}, { 'x-amz-decoded-content-length': '80000' });
        await put('a length that is nonsense', {}, { 'x-amz-decoded-content-length': 'x' });
        await put('not in chunks at all', { mangle: (all) => delete all['content-encoding'] });
        await t.s3('PUT', '/b/empty', {
          body: '',
          headers,
          how: { payload, trailer, chunks: [] },
          as: `${payload}: nothing`,
        });
        await t.s3('PUT', '/b/over', {
          body: 'x'.repeat(300_001),
          headers,
          how: { payload, trailer },
          as: `${payload}: too large`,
        });
        const { text: made } = await t.s3('POST', '/b/multi', { query: { uploads: '' } });
        const uploadId = made.match(/<UploadId>([^<]*)</)?.[1];
        await t.s3('PUT', '/b/multi', {
          query: { uploadId, partNumber: 1 },
          body: text,
          headers,
          how: { payload, trailer, chunks: [60_000, 10_000] },
          as: `${payload}: a part`,
        });
        await t.s3('POST', '/b/multi', { query: { uploadId }, as: `${payload}: complete` });
      }
      await t.s3('PUT', '/b/unknown', { body: 'x', how: { payload: 'STREAMING-NOTHING' } });
    },
  },
  {
    name: 'behind a gateway',
    profile: 'gateway',
    async run(t) {
      await t.bucket('b');
      // What is signed is the path before the gateway took its prefix away, and the public host.
      for (const [prefix, host] of [
        ['/storage/v1', 'api.example.test'],
        ['', 'api.example.test'],
        ['/storage/v1', undefined],
        ['/storage/v1/', 'api.example.test'],
      ])
        await t.s3('GET', '/b', {
          how: { prefix, host },
          headers: { 'x-forwarded-prefix': prefix, 'x-forwarded-host': 'api.example.test' },
          as: `prefix ${prefix}, host ${host}`,
        });
    },
  },
];
