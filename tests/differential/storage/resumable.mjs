// Resumable uploads over TUS: the protocol, and what is said of an upload.

import { LIMITS, TOKENS } from './support/profiles.mjs';
import { DATA, V, base, create, head, notes, patch, pathOf, prepared, seen } from './support/resumable.mjs';

const wrongNotes = {
  none: undefined,
  empty: '',
  'no bucket': notes({ objectName: 'x' }),
  'no object': notes({ bucketName: 'b' }),
  'an empty object': notes({ bucketName: 'b', objectName: '' }),
  'an empty bucket': notes({ bucketName: '', objectName: 'x' }),
  'a missing bucket': notes({ bucketName: 'none', objectName: 'x' }),
  'keys without values': 'bucketName,objectName',
  'no base64': 'bucketName b,objectName x',
  'a key twice': `bucketName ${base('b')},bucketName ${base('c')},objectName ${base('x')}`,
  'blanks around': ` bucketName ${base('b')} , objectName ${base('y')} `,
  'a wrong key': notes({ bucketName: 'b', objectName: 'é' }),
  'a percent': notes({ bucketName: 'b', objectName: 'a%b' }),
  'two dots': notes({ bucketName: 'b', objectName: '../x' }),
  'a slash in front': notes({ bucketName: 'b', objectName: '/x' }),
  'a slash behind': notes({ bucketName: 'b', objectName: 'x/' }),
  'a bucket with a slash': notes({ bucketName: 'b/c', objectName: 'x' }),
  'a folder': notes({ bucketName: 'b', objectName: 'f/o/l.txt' }),
  'blanks inside': notes({ bucketName: 'b', objectName: 'my file.txt' }),
  'a name of 256': notes({ bucketName: 'b', objectName: 'k'.repeat(256) }),
  nonsense: '===',
  'a comma': ',',
};

const caches = ['3600', '0', '-1', 'no-store', '1.5', '', ' 60', '99999999999999999999', '1e3'];
const userNotes = ['{"a":1}', '[1]', '"x"', '5', 'null', '{broken', '', '{"name":"é"}'];
const lengths = [
  '0',
  '-1',
  '1.5',
  'x',
  '',
  ' 5',
  '5 ',
  '+5',
  '0x5',
  '1e2',
  String(LIMITS.any),
  String(LIMITS.any + 1),
  '99999999999999999999',
  '05',
];

export default [
  {
    name: 'asking what it can do',
    profile: 'plain',
    async run(t) {
      for (const path of [
        '/upload/resumable',
        '/upload/resumable/',
        '/upload/resumable/x',
        '/upload/resumable/sign',
        '/upload/resumable/sign/x',
      ])
        for (const headers of [
          {},
          V,
          {
            origin: 'https://site.test',
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'authorization,x-upsert',
          },
          { 'tus-resumable': '0.2.2' },
        ])
          await t.send('OPTIONS', path, { headers });
    },
  },
  {
    name: 'in one piece and in parts',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const one = await create(t, 'one.txt', 5, {
        more: { contentType: 'text/css', cacheControl: '60', metadata: '{"k":"v"}' },
      });
      await head(t, pathOf(one));
      await seen(t, 'one.txt');
      await patch(t, pathOf(one), 0, 'he');
      await head(t, pathOf(one));
      await patch(t, pathOf(one), 0, 'he');
      await patch(t, pathOf(one), 5, 'llo');
      await patch(t, pathOf(one), 2, 'llo!');
      await patch(t, pathOf(one), 2, 'll');
      await patch(t, pathOf(one), 4, 'o');
      await head(t, pathOf(one));
      await patch(t, pathOf(one), 5, '');
      await seen(t, 'one.txt');
      const two = await create(t, 'two.txt', 5, { body: 'hello' });
      await head(t, pathOf(two));
      await seen(t, 'two.txt');
      const three = await create(t, 'three.txt', 5, { body: 'hel' });
      await head(t, pathOf(three));
      await patch(t, pathOf(three), 3, 'lo');
      await seen(t, 'three.txt');
      const four = await create(t, 'four.txt', 0);
      await head(t, pathOf(four));
      await patch(t, pathOf(four), 0, '');
      await seen(t, 'four.txt');
      const five = await create(t, 'five.txt', 3);
      await t.send('PUT', pathOf(five), {
        token: TOKENS.service,
        body: 'put',
        headers: { ...V, ...DATA, 'upload-offset': '0' },
      });
      await t.send('POST', pathOf(five), {
        token: TOKENS.service,
        body: 'put',
        headers: { ...V, ...DATA, 'upload-offset': '0' },
      });
      await t.send('POST', pathOf(five), {
        token: TOKENS.service,
        body: 'put',
        headers: { ...V, ...DATA, 'upload-offset': '0', 'x-http-method-override': 'PATCH' },
      });
      await create(t, 'six.txt', 3, { body: 'toolong' });
      await seen(t, 'six.txt');
      await create(t, 'seven.txt', 3, { body: 'abc', headers: { 'content-type': 'text/plain' } });
      const eight = await create(t, 'eight.txt', 6);
      await patch(t, pathOf(eight), 0, 'chunks', { chunked: true });
      await seen(t, 'eight.txt');
    },
  },
  {
    name: 'what is said of an upload',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const [as, value] of Object.entries(wrongNotes)) {
        const answer = await t.send('POST', '/upload/resumable', {
          token: TOKENS.service,
          headers: { ...V, 'upload-length': '3', 'upload-metadata': value },
          as: `notes: ${as}`,
        });
        await patch(t, pathOf(answer), 0, 'abc', { as: `data: ${as}` });
      }
      for (const [index, cacheControl] of caches.entries()) {
        await create(t, `c${index}`, 1, { more: { cacheControl }, body: 'x' });
        await t.get(`/object/info/b/c${index}`, { token: TOKENS.service });
      }
      for (const [index, metadata] of userNotes.entries()) {
        await create(t, `m${index}`, 1, { more: { metadata }, body: 'x' });
        await t.get(`/object/info/b/m${index}`, { token: TOKENS.service });
      }
      for (const [index, contentType] of ['text/html', 'nonsense', '', 'a/b; c=d', null].entries()) {
        await create(t, `t${index}`, 1, { more: { contentType }, body: 'x' });
        await seen(t, `t${index}`);
      }
      await create(t, 'more', 1, { more: { filename: 'x.txt', custom: 'y' }, body: 'x' });
      await create(t, 'robots', 1, {
        headers: { 'x-robots-tag': 'noindex', 'cache-control': 'max-age=5', 'x-metadata': base('{"h":1}') },
        body: 'x',
      });
      await seen(t, 'robots');
    },
  },
  {
    name: 'lengths and limits',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const length of lengths) await create(t, `l${length}`.replaceAll(/\W/g, '_'), length);
      await create(t, 'nolength', undefined);
      const deferred = await create(t, 'deferred.txt', undefined, {
        headers: { 'upload-defer-length': '1' },
      });
      await head(t, pathOf(deferred));
      await patch(t, pathOf(deferred), 0, 'abc');
      await head(t, pathOf(deferred));
      await patch(t, pathOf(deferred), 3, 'def', { headers: { 'upload-length': '6' } });
      await head(t, pathOf(deferred));
      await seen(t, 'deferred.txt');
      for (const value of ['0', '2', 'x', ''])
        await create(t, 'd', undefined, { headers: { 'upload-defer-length': value } });
      await create(t, 'both', 5, { headers: { 'upload-defer-length': '1' } });
      const late = await create(t, 'late', undefined, { headers: { 'upload-defer-length': '1' } });
      await patch(t, pathOf(late), 0, '', { headers: { 'upload-length': String(LIMITS.any + 1) } });
      await patch(t, pathOf(late), 0, 'abc', { headers: { 'upload-length': '2' } });
      await patch(t, pathOf(late), 0, 'x'.repeat(LIMITS.any + 5), { as: 'more than any may have' });
      for (const [bucketName, length] of [
        ['small', 10],
        ['small', 11],
        ['zero', 1],
        ['b', LIMITS.standard + 1],
        ['none', 1],
      ])
        await create(t, `limited${length}`, length, { more: { bucketName } });
      await create(t, 'f/.emptyFolderPlaceholder', 5, { body: 'abcde' });
      await create(t, 'x', 1, { more: { bucketName: 'png', contentType: 'text/plain' } });
      await create(t, 'x', 1, { more: { bucketName: 'png', contentType: 'image/png' }, body: 'x' });
      await create(t, 'y', 1, { more: { bucketName: 'png' }, body: 'x' });
    },
  },
  {
    name: 'protocol',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const made = await create(t, 'p.txt', 5);
      const path = pathOf(made);
      for (const version of [undefined, '0.2.2', '1.0.1', '', 'x']) {
        const headers = { 'tus-resumable': version };
        await create(t, 'v', 5, { headers });
        await head(t, path, { headers });
        await patch(t, path, 0, '', { headers });
        await t.delete(path, { token: TOKENS.service, headers });
      }
      for (const type of [
        undefined,
        'text/plain',
        'application/octet-stream',
        'application/offset+octet-stream; x=1',
        'application/json',
        'Application/Offset+Octet-Stream',
      ])
        await patch(t, path, 0, '', { headers: { 'content-type': type } });
      for (const offset of [undefined, '', 'x', '-1', '1', '1.5', ' 0', '00', '99999999999999999999'])
        await patch(t, path, 0, '', { headers: { 'upload-offset': offset } });
      for (const more of [
        { 'upload-concat': 'partial' },
        { 'upload-concat': 'final;/a /b' },
        { 'upload-checksum': 'sha1 x' },
        { 'upload-checksum': 'md5 eA==' },
      ]) {
        await create(t, 'concat', 5, { headers: more });
        await patch(t, path, 0, 'a', { headers: more });
      }
      await t.get(path, { token: TOKENS.service, headers: V });
      await t.get('/upload/resumable', { token: TOKENS.service, headers: V });
      await t.head('/upload/resumable', { token: TOKENS.service, headers: V });
      await t.head('/upload/resumable/', { token: TOKENS.service, headers: V });
      for (const id of [
        'x',
        'YQ',
        Buffer.from('b/p.txt').toString('base64url'),
        Buffer.from('b/p.txt/00000000-0000-4000-8000-000000000001').toString('base64url'),
        Buffer.from('none/p.txt/v').toString('base64url'),
        Buffer.from('b/../../x/v').toString('base64url'),
        `${path.split('/').at(-1)}/more`,
        '%00',
        'a'.repeat(3000),
      ]) {
        await head(t, `/upload/resumable/${id}`);
        await patch(t, `/upload/resumable/${id}`, 0, 'x');
        await t.delete(`/upload/resumable/${id}`, { token: TOKENS.service, headers: V });
      }
      await patch(t, '/upload/resumable', 0, 'x');
      await t.delete('/upload/resumable', { token: TOKENS.service, headers: V });
    },
  },
];
