// The S3 protocol: uploads in parts.

import { TOKENS } from './support/profiles.mjs';
import { session, xml } from './support/s3.mjs';

const complete = (parts) =>
  xml(
    `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.map(([number, etag]) => `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`).join('')}</CompleteMultipartUpload>`,
  );

async function begin(t, key, options) {
  const { text } = await t.s3('POST', `/b/${key}`, { query: { uploads: '' }, ...options });
  return text.match(/<UploadId>([^<]*)</)?.[1] ?? 'none';
}

const part = async (t, key, uploadId, partNumber, body, options = {}) =>
  (
    await t.s3('PUT', `/b/${key}`, {
      query: { uploadId, partNumber },
      body,
      as: `part ${partNumber} of ${key}`,
      ...options,
    })
  ).headers.etag;
const finish = (t, key, uploadId, parts, options = {}) =>
  t.s3('POST', `/b/${key}`, { query: { uploadId }, ...complete(parts), as: `complete ${key}`, ...options });

export default [
  {
    name: 'in parts',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      const id = await begin(t, 'm.txt', {
        headers: { 'content-type': 'text/css', 'cache-control': 'max-age=9', 'x-amz-meta-a': 'b' },
      });
      const as = (text) => ({ as: text });
      const first = await part(t, 'm.txt', id, 1, 'first ');
      const second = await part(t, 'm.txt', id, 2, 'second ');
      const third = await part(t, 'm.txt', id, 7, 'seventh');
      await t.s3('GET', '/b/m.txt', { query: { uploadId: id }, ...as('parts') });
      for (const query of [
        { 'max-parts': 1 },
        { 'max-parts': 1, 'part-number-marker': 1 },
        { 'part-number-marker': 2 },
        { 'part-number-marker': 'x' },
        { 'max-parts': 0 },
        { 'max-parts': 1001 },
        { 'max-parts': 'x' },
      ])
        await t.s3('GET', '/b/m.txt', {
          query: { uploadId: id, ...query },
          ...as(`parts ${JSON.stringify(query)}`),
        });
      await t.s3('GET', '/b', { query: { uploads: '' } });
      await t.s3('GET', '/b/m.txt');
      await finish(t, 'm.txt', id, [
        [1, first],
        [2, '"wrong"'],
        [7, third],
      ]);
      await finish(t, 'm.txt', id, [
        [1, first],
        [3, second],
      ]);
      await finish(t, 'm.txt', id, [
        [1, first],
        [7, third],
      ]);
      await t.s3('GET', '/b/m.txt');
      await t.get('/object/info/b/m.txt', { token: TOKENS.service });
      await finish(t, 'm.txt', id, [
        [1, first],
        [7, third],
      ]);
      await part(t, 'm.txt', id, 8, 'late');
      await t.s3('GET', '/b/m.txt', { query: { uploadId: id }, ...as('parts afterwards') });
    },
  },
  {
    name: 'odd parts',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      const id = await begin(t, 'o.txt');
      for (const number of [0, -1, 10000, 10001, 'x', '', 1.5]) await part(t, 'o.txt', id, number, 'x');
      await t.s3('PUT', '/b/o.txt', { query: { uploadId: id }, body: 'x', as: 'no number' });
      await t.s3('PUT', '/b/o.txt', { query: { partNumber: 1 }, body: 'x', as: 'no id' });
      await part(t, 'o.txt', 'nothing', 1, 'x');
      await part(t, 'o.txt', '00000000-0000-4000-8000-000000000001', 1, 'x');
      await part(t, 'other.txt', id, 1, 'x');
      await t.s3('PUT', '/none/o.txt', {
        query: { uploadId: id, partNumber: 1 },
        body: 'x',
        as: 'another bucket',
      });
      await part(t, 'o.txt', id, 2, '');
      await part(t, 'o.txt', id, 3, 'x'.repeat(200_000));
      await part(t, 'o.txt', id, 4, 'x'.repeat(200_000));
      await part(t, 'o.txt', id, 5, 'x'.repeat(400_000));
      await t.s3('GET', '/b/o.txt', { query: { uploadId: id }, as: 'parts' });
      for (const body of [
        '',
        '<CompleteMultipartUpload/>',
        '<broken',
        '<Other/>',
        '<CompleteMultipartUpload><Part><ETag>x</ETag></Part></CompleteMultipartUpload>',
        '<CompleteMultipartUpload><Part><PartNumber>x</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>',
        '<CompleteMultipartUpload><Part><PartNumber>0</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>',
      ])
        await t.s3('POST', '/b/o.txt', {
          query: { uploadId: id },
          ...xml(body),
          as: `complete with ${body}`,
        });
      await t.s3('POST', '/b/o.txt', {
        query: { uploadId: id },
        body: '{}',
        headers: { 'content-type': 'application/json' },
        as: 'complete with JSON',
      });
      const all = await begin(t, 'all.txt');
      await part(t, 'all.txt', all, 2, 'two');
      await part(t, 'all.txt', all, 1, 'one');
      await t.s3('POST', '/b/all.txt', { query: { uploadId: all }, as: 'complete without a list' });
      await t.s3('GET', '/b/all.txt');
      for (const key of ['%C3%A9', 'a%25b', 'f/', `${'k'.repeat(256)}`]) await begin(t, key);
      await t.s3('POST', '/none/x', { query: { uploads: '' } });
      await t.bucket('png', { allowed_mime_types: ['image/png'] });
      for (const type of ['text/plain', 'image/png', undefined])
        await t.s3('POST', '/png/x', { query: { uploads: '' }, headers: { 'content-type': type } });
      await begin(t, 'none.txt', { body: '{}', headers: { 'content-type': 'application/json' } });
    },
  },
  {
    name: 'as S3 has it',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await begin(t, '..%2Fx');
      const id = await begin(t, 'm.txt');
      const first = await part(t, 'm.txt', id, 1, 'first');
      await part(t, 'm.txt', id, 2, 'second');
      const second = await part(t, 'm.txt', id, 2, 'second again');
      await t.s3('GET', '/b/m.txt', { query: { uploadId: id }, as: 'parts' });
      await t.s3('DELETE', '/b/other.txt', { query: { uploadId: id }, as: 'another key' });
      await finish(t, 'm.txt', id, [
        [2, second],
        [1, first],
      ]);
      await t.s3('GET', '/b/m.txt');
    },
  },
  {
    name: 'giving up',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      const id = await begin(t, 'a.txt');
      await part(t, 'a.txt', id, 1, 'x');
      await t.s3('DELETE', '/b/a.txt', { query: { uploadId: 'none' } });
      await t.s3('DELETE', '/b/a.txt', { query: { uploadId: id }, as: 'abort' });
      await t.s3('DELETE', '/b/a.txt', { query: { uploadId: id }, as: 'abort again' });
      await part(t, 'a.txt', id, 2, 'x');
      await t.s3('GET', '/b', { query: { uploads: '' } });
    },
  },
  {
    name: 'listing what is under way',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      for (const key of ['a', 'f/a', 'f/b', 'g/x/y', 'z']) await begin(t, key);
      for (const query of [
        {},
        { prefix: 'f/' },
        { delimiter: '/' },
        { delimiter: '/', prefix: 'f/' },
        { 'max-uploads': 2 },
        { 'max-uploads': 0 },
        { 'max-uploads': 1001 },
        { 'max-uploads': 'x' },
        { 'key-marker': 'f/a' },
        { 'key-marker': 'f/a', 'upload-id-marker': 'x' },
        { 'encoding-type': 'url' },
        { 'encoding-type': 'x' },
        { prefix: 'F' },
        { delimiter: 'x' },
        { delimiter: '/', 'max-uploads': 1 },
      ])
        await t.s3('GET', '/b', { query: { uploads: '', ...query } });
      await t.s3('GET', '/none', { query: { uploads: '' } });
    },
  },
  {
    name: 'parts that are copies',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.s3('PUT', '/b/source', { body: '0123456789' });
      const id = await begin(t, 'c.txt');
      const copy = (number, headers) =>
        t.s3('PUT', '/b/c.txt', {
          query: { uploadId: id, partNumber: number },
          headers,
          as: `copy part ${number} ${JSON.stringify(headers)}`,
        });
      let number = 0;
      for (const headers of [
        { 'x-amz-copy-source': 'b/source' },
        { 'x-amz-copy-source': '/b/source', 'x-amz-copy-source-range': 'bytes=0-3' },
        { 'x-amz-copy-source': 'b/source', 'x-amz-copy-source-range': 'bytes=5-' },
        { 'x-amz-copy-source': 'b/source', 'x-amz-copy-source-range': 'bytes=50-60' },
        { 'x-amz-copy-source': 'b/source', 'x-amz-copy-source-range': 'bytes=0-50' },
        { 'x-amz-copy-source': 'b/source', 'x-amz-copy-source-range': 'x' },
        { 'x-amz-copy-source': 'b/source', 'x-amz-copy-source-range': 'bytes=3-1' },
        { 'x-amz-copy-source': 'b/missing' },
        { 'x-amz-copy-source': 'none/source' },
        { 'x-amz-copy-source': '' },
        { 'x-amz-copy-source': 'source' },
      ]) {
        number += 1;
        await copy(number, headers);
      }
      await t.s3('GET', '/b/c.txt', { query: { uploadId: id }, as: 'parts' });
      await t.s3('POST', '/b/c.txt', { query: { uploadId: id }, as: 'complete without a list' });
      await t.s3('GET', '/b/c.txt');
    },
  },
  {
    name: 'of users',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.sql(
        `create policy i on storage.objects for insert to authenticated with check (name like 'mine/%')`,
      );
      const how = session(TOKENS.asha);
      await begin(t, 'yours/m', { how });
      await begin(t, 'mine/m', { how });
      await t.sql(
        'create policy u on storage.objects for update to authenticated using (true) with check (true); create policy s on storage.objects for select to authenticated using (true)',
      );
      const id = await begin(t, 'mine/m', { how });
      const etag = await part(t, 'mine/m', id, 1, 'mine', { how });
      await part(t, 'mine/m', id, 2, 'not', { how: session(TOKENS.anon) });
      await t.s3('GET', '/b/mine/m', {
        query: { uploadId: id },
        how: session(TOKENS.anon),
        as: 'parts, anon',
      });
      await t.s3('GET', '/b', { query: { uploads: '' }, how });
      await finish(t, 'mine/m', id, [[1, etag]], { how: session(TOKENS.anon) });
      await t.s3('DELETE', '/b/mine/m', {
        query: { uploadId: id },
        how: session(TOKENS.anon),
        as: 'abort, anon',
      });
      await finish(t, 'mine/m', id, [[1, etag]], { how: session(TOKENS.ravi) });
      await t.get('/object/info/b/mine/m', { token: TOKENS.service });
    },
  },
];
