// The S3 protocol: putting, getting, copying and deleting objects.

import { LIMITS, TOKENS } from './support/profiles.mjs';
import { prepared, xml } from './support/s3.mjs';

export default [
  {
    name: 'putting and getting',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await t.s3('PUT', '/b/new.txt', { body: 'new' });
      await t.s3('HEAD', '/b/new.txt');
      await t.s3('GET', '/b/new.txt');
      await t.s3('PUT', '/b/new.txt', {
        body: 'over',
        headers: {
          'content-type': 'text/html',
          'content-disposition': 'inline',
          'content-encoding': 'identity',
          'content-language': 'en',
          expires: 'Fri, 01 Jan 2100 00:00:00 GMT',
        },
      });
      await t.s3('GET', '/b/new.txt');
      await t.s3('HEAD', '/b/new.txt');
      const path = '/b/a.txt';
      const { headers } = await t.s3('GET', path);
      for (const range of [
        'bytes=0-3',
        'bytes=3-',
        'bytes=-3',
        'bytes=100-',
        'bytes=0-1,3-4',
        'nonsense',
        'bytes=5-2',
        'bytes=-0',
      ])
        for (const method of ['GET', 'HEAD']) await t.s3(method, path, { headers: { range } });
      for (const method of ['GET', 'HEAD'])
        for (const more of [
          { 'if-none-match': headers.etag },
          { 'if-none-match': '"x"' },
          { 'if-none-match': '*' },
          { 'if-match': headers.etag },
          { 'if-match': '"x"' },
          { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
          { 'if-modified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' },
          { 'if-modified-since': 'never' },
          { 'if-unmodified-since': 'Mon, 01 Jan 2001 00:00:00 GMT' },
        ])
          await t.s3(method, path, { headers: more });
      for (const query of [
        { 'response-content-type': 'text/x' },
        { 'response-content-type': 'text/html' },
        { 'response-content-disposition': 'attachment; filename="x"' },
        { 'response-cache-control': 'no-store' },
        { 'response-content-encoding': 'x' },
        { 'response-content-language': 'de' },
        { 'response-expires': 'Fri, 01 Jan 2100 00:00:00 GMT' },
        { 'response-expires': 'never' },
        { tagging: '' },
        { 'x-id': 'GetObject' },
      ])
        await t.s3('GET', path, { query });
      for (const name of [
        'b/missing',
        'none/x',
        'b/f',
        'b/f/',
        'b/%C3%A9',
        'b/a%2Etxt',
        'open/a.txt',
        'b/sp%20ace.txt',
        'b/a%2Bb.txt',
        'b/a+b.txt',
        'b/q%27%28x%29%21%2A.txt',
        "b/q'(x)!*.txt",
        'b//a.txt',
        'b/a%00',
      ])
        for (const method of ['GET', 'HEAD']) await t.s3(method, `/${name}`);
      await t.s3('GET', '/b/missing', { query: { tagging: '' } });
      await t.get('/object/info/b/a.txt', { token: TOKENS.service });
    },
  },
  {
    name: 'odd puts',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await t.s3('PUT', '/b/folder/', { body: '' });
      await t.s3('PUT', '/b/folder2/', { body: 'x' });
      await t.s3('PUT', '/b/empty', { body: '' });
      for (const name of [
        'b/%C3%A9',
        'b/a%25b',
        'b/..%2Fx',
        'none/x',
        'b/a%23b',
        `b/${'k'.repeat(256)}`,
        'b/tilde~',
        'b//x',
        'b/%E6%BC%A2',
      ])
        await t.s3('PUT', `/${name}`, { body: 'x' });
      for (const headers of [
        { 'if-none-match': '*' },
        { 'if-match': '"x"' },
        { 'content-md5': 'AAAA' },
        { 'x-amz-acl': 'public-read' },
        { 'x-amz-storage-class': 'GLACIER' },
        { 'x-amz-tagging': 'a=b' },
        { 'x-amz-server-side-encryption': 'AES256' },
        { 'x-amz-checksum-crc32': 'AAAAAA==' },
        { 'content-type': '' },
        { 'content-type': 'application/json' },
        { 'content-type': 'application/x-www-form-urlencoded' },
        { 'content-type': 'multipart/form-data; boundary=x' },
        { 'x-robots-tag': 'noindex' },
        { 'x-robots-tag': 'wrong' },
        { 'x-amz-website-redirect-location': '/x' },
      ]) {
        await t.s3('PUT', '/b/headers', { body: 'x', headers });
        await t.s3('HEAD', '/b/headers');
      }
      for (const headers of [
        { 'x-amz-meta-a': '1', 'x-amz-meta-b-c': 'two words' },
        { 'x-amz-meta-E': 'upper' },
        { 'x-amz-meta-empty': '' },
        { 'x-amz-meta-mime': '=?UTF-8?Q?=C3=A9?=' },
        { 'x-amz-meta-json': '{"a":1}' },
      ]) {
        await t.s3('PUT', '/b/notes', { body: 'x', headers });
        await t.s3('HEAD', '/b/notes');
        await t.s3('GET', '/b/notes');
      }
      await t.sql(
        `update storage.objects set user_metadata = '{"num":5,"nested":{"a":1},"null":null,"é":"x","uni":"é","ok":"yes","list":[1],"line":"a\\nb"}' where name = 'notes'`,
      );
      await t.s3('HEAD', '/b/notes');
      await t.s3('GET', '/b/notes');
      for (const [type, size] of [
        ['image/png', 5],
        ['image/png', 11],
        ['text/plain', 5],
        [undefined, 5],
      ])
        await t.s3('PUT', `/png/${size}`, { body: 'x'.repeat(size), headers: { 'content-type': type } });
      for (const size of [LIMITS.standard + 1, LIMITS.any, LIMITS.any + 1])
        await t.s3('PUT', `/b/size${size}`, { body: 'x'.repeat(size), as: `S3 put of ${size} bytes` });
      await t.s3('PUT', '/b/sub', { query: { 'x-id': 'PutObject' }, body: 'x' });
      await t.s3('POST', '/b/sub', { body: 'x' });
      await t.s3('PATCH', '/b/sub', { body: 'x' });
    },
  },
  {
    name: 'deleting and copying',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const name of ['b/z.txt', 'b/z.txt', 'b/missing', 'none/x', 'b/f', 'b/f/', 'b/%C3%A9'])
        await t.s3('DELETE', `/${name}`);
      const many = (keys, more = '') =>
        `<Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join('')}${more}</Delete>`;
      for (const body of [
        many(['f/g/c.txt', 'missing', 'f/g/c.txt']),
        many(['f/h/d.txt'], '<Quiet>true</Quiet>'),
        many([]),
        '',
        '<Delete/>',
        '<Delete><Object/></Delete>',
        '<broken',
        '<Other/>',
        many(['a&amp;b.txt']),
        many(['5']),
        many(['true']),
        many([' ']),
        many(['&#233;']),
        many(['sp ace.txt'], '<Quiet>false</Quiet>'),
        many(
          Array(1001)
            .fill('x')
            .map((x, index) => `${x}${index}`),
        ),
      ])
        await t.s3('POST', '/b', { query: { delete: '' }, ...xml(body) });
      await t.s3('POST', '/none', { query: { delete: '' }, ...xml(many(['x'])) });
      await t.s3('POST', '/b', { query: { delete: '' }, body: many(['x']) });
      const put = (name, headers) => t.s3('PUT', `/b/${name}`, { headers });
      await t.s3('PUT', '/b/source', {
        body: 'source',
        headers: { 'content-type': 'text/css', 'x-amz-meta-a': 'b' },
      });
      let index = 0;
      for (const headers of [
        { 'x-amz-copy-source': 'b/source' },
        { 'x-amz-copy-source': '/b/source' },
        { 'x-amz-copy-source': 'b/missing' },
        { 'x-amz-copy-source': 'none/source' },
        { 'x-amz-copy-source': 'source' },
        { 'x-amz-copy-source': '' },
        { 'x-amz-copy-source': '/' },
        { 'x-amz-copy-source': 'b/' },
        { 'x-amz-copy-source': 'b/sour%63e' },
        {
          'x-amz-copy-source': 'b/source',
          'x-amz-metadata-directive': 'COPY',
          'x-amz-meta-n': 'new',
          'content-type': 'text/new',
        },
        {
          'x-amz-copy-source': 'b/source',
          'x-amz-metadata-directive': 'REPLACE',
          'x-amz-meta-n': 'new',
          'content-type': 'text/new',
          'cache-control': 'max-age=1',
        },
        { 'x-amz-copy-source': 'b/source', 'x-amz-metadata-directive': 'REPLACE' },
        { 'x-amz-copy-source': 'b/source', 'x-amz-metadata-directive': 'x' },
      ]) {
        index += 1;
        await put(`copy${index}`, headers);
        await t.s3('HEAD', `/b/copy${index}`);
      }
      await put('source', { 'x-amz-copy-source': 'b/source' });
      await put('source', {
        'x-amz-copy-source': 'b/source',
        'x-amz-metadata-directive': 'REPLACE',
        'content-type': 'text/self',
      });
      await t.s3('HEAD', '/b/source');
      await put('%C3%A9', { 'x-amz-copy-source': 'b/source' });
      await t.s3('PUT', '/png/x', { headers: { 'x-amz-copy-source': 'b/source' } });
      await t.s3('PUT', '/none/x', { headers: { 'x-amz-copy-source': 'b/source' } });
    },
  },
];
