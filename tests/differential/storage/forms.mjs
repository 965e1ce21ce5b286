// Uploads of forms, and the limits of sizes and types for bodies and forms.

import { LIMITS } from './support/profiles.mjs';
import { file, seen, service } from './support/uploads.mjs';

const METADATA = Buffer.from('{"a":1,"b":"zwei"}').toString('base64');

export default [
  {
    name: 'limits of sizes',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.bucket('small', { file_size_limit: 10 });
      await t.bucket('zero', { file_size_limit: 0 });
      await t.bucket('large', { file_size_limit: LIMITS.any });
      for (const [bucket, size] of [
        ['b', LIMITS.standard],
        ['b', LIMITS.standard + 1],
        ['b', LIMITS.any + 1],
        ['large', LIMITS.standard + 1],
        ['small', 10],
        ['small', 11],
        ['zero', 0],
        ['zero', 1],
      ]) {
        const body = 'x'.repeat(size);
        await t.upload(`${bucket}/${size}`, body, { as: `${size} bytes into ${bucket}` });
        await t.form('POST', `/object/${bucket}/form${size}`, [file(body)], {
          token: service(t),
          as: `a form of ${size} bytes into ${bucket}`,
        });
      }
      await t.upload('b/f/.emptyFolderPlaceholder', '');
      await t.upload('b/g/.emptyFolderPlaceholder', 'x');
      await t.form('POST', '/object/b/h/.emptyFolderPlaceholder', [file('x')], { token: service(t) });
      await t.form('POST', '/object/b/i/.emptyFolderPlaceholder', [file('')], { token: service(t) });
      await t.post('/object/list/b', { prefix: '' }, { token: service(t) });
    },
  },
  {
    name: 'sizes that are not declared',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.bucket('small', { file_size_limit: 10 });
      for (const [bucket, size] of [
        ['b', LIMITS.standard],
        ['b', LIMITS.standard + 1],
        ['b', LIMITS.any + 1],
        ['small', 10],
        ['small', 11],
      ]) {
        const as = `${size} bytes in chunks into ${bucket}`;
        await t.upload(`${bucket}/${size}`, 'x'.repeat(size), { chunked: true, as });
      }
    },
  },
  {
    name: 'limits of types',
    profile: 'plain',
    async run(t) {
      await t.bucket('png', { allowed_mime_types: ['image/png'] });
      await t.bucket('any', { allowed_mime_types: ['image/*', 'text/plain'] });
      await t.bucket('none', { allowed_mime_types: [] });
      await t.bucket('star', { allowed_mime_types: ['*'] });
      const given = [
        'image/png',
        'image/jpeg',
        'IMAGE/PNG',
        'image/png;q=1',
        'text/plain',
        'text/plain;charset=utf-8',
        'image',
        '',
        undefined,
        'image/*',
        'text/plain/x',
      ];
      for (const bucket of ['png', 'any', 'none', 'star'])
        for (const [index, type] of given.entries()) {
          await t.upload(`${bucket}/${index}`, 'x', { type });
          await t.form('POST', `/object/${bucket}/f${index}`, [file('x', { type })], { token: service(t) });
        }
      await t.upload('png/.emptyFolderPlaceholder', '', { type: 'text/plain' });
    },
  },
  {
    name: 'forms',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      const forms = {
        'a file': [file()],
        'a named field': [['file', { name: 'x.txt', type: 'text/plain', body: 'named' }]],
        'no type': [['', { name: 'x.txt', body: 'untyped' }]],
        'cacheControl first': [['cacheControl', '3600'], file()],
        'cacheControl is text': [['cacheControl', 'no-store'], file()],
        'cacheControl is empty': [['cacheControl', ''], file()],
        metadata: [['metadata', '{"a":1}'], file()],
        userMetadata: [['userMetadata', '{"b":2}'], file()],
        'metadata and userMetadata': [['metadata', '{"a":1}'], ['userMetadata', '{"b":2}'], file()],
        'metadata is broken': [['metadata', '{"a":'], file()],
        'metadata is an array': [['metadata', '[1]'], file()],
        'metadata is null': [['metadata', 'null'], file()],
        'metadata is text': [['metadata', '"x"'], file()],
        'metadata is empty': [['metadata', ''], file()],
        contentType: [['contentType', 'image/webp'], file()],
        'contentType is empty': [['contentType', ''], file()],
        'fields after the file': [file(), ['cacheControl', '60'], ['metadata', '{"late":true}']],
        'no file': [['cacheControl', '60']],
        'no parts': [],
        'two files': [file('one'), file('two')],
        'an empty file': [file('')],
        'ten fields': [...Array(10).keys()].map((index) => [`f${index}`, 'x']).concat([file()]),
        'eleven fields': [...Array(11).keys()].map((index) => [`f${index}`, 'x']).concat([file()]),
        'the same field twice': [['cacheControl', '1'], ['cacheControl', '2'], file()],
        html: [file('<p>', { type: 'text/html' })],
        'a field named __proto__': [['__proto__', 'x'], file()],
        'metadata with a special name': [['metadata', '{"__proto__":{"x":1}}'], file()],
      };
      for (const [as, parts] of Object.entries(forms)) {
        const name = as.replaceAll(/\W/g, '-');
        await t.form('POST', `/object/b/${name}`, parts, { token: service(t), as: `form: ${as}` });
        await seen(t, `b/${name}`);
      }
      await t.form('PUT', '/object/b/a-file', [file('put')], { token: service(t) });
      await t.form('POST', '/object/b/a-file', [file('upsert')], {
        token: service(t),
        headers: { 'x-upsert': 'true' },
      });
      await seen(t, 'b/a-file');
      await t.form('POST', '/object/b/headers', [file()], {
        token: service(t),
        headers: { 'cache-control': 'max-age=5', 'x-metadata': METADATA, 'x-robots-tag': 'noindex' },
      });
      await seen(t, 'b/headers');
    },
  },
  {
    name: 'broken forms',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      const type = 'multipart/form-data; boundary=x';
      const head =
        '--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\ncontent-type: text/plain\r\n\r\n';
      const broken = {
        'no boundary': ['multipart/form-data', `${head}data\r\n--x--\r\n`],
        'another boundary': ['multipart/form-data; boundary=y', `${head}data\r\n--x--\r\n`],
        'no end': [type, `${head}data`],
        nothing: [type, ''],
        'not a form': [type, 'hello'],
        'only the end': [type, '--x--\r\n'],
        'bare line feeds': [type, `${head}data\r\n--x--\r\n`.replaceAll('\r', '')],
        'no disposition': [type, '--x\r\ncontent-type: text/plain\r\n\r\ndata\r\n--x--\r\n'],
        'a file without a name': [
          type,
          '--x\r\ncontent-disposition: form-data; name="f"\r\ncontent-type: application/octet-stream\r\n\r\ndata\r\n--x--\r\n',
        ],
        'upper case': ['Multipart/Form-Data; boundary=x', `${head}data\r\n--x--\r\n`],
        'quoted boundary': ['multipart/form-data; boundary="x"', `${head}data\r\n--x--\r\n`],
      };
      for (const [as, [contentType, body]] of Object.entries(broken)) {
        const name = as.replaceAll(/\W/g, '-');
        await t.upload(`b/${name}`, body, { type: contentType, as: `broken form: ${as}` });
        await t.get(`/object/info/b/${name}`, { token: service(t), as: `info after: ${as}` });
      }
    },
  },
];
