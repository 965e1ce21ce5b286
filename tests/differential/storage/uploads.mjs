// Uploads of bodies as they are: keys, headers, once and again.

import { seen, service } from './support/uploads.mjs';

const keys = {
  plain: 'a.txt',
  folders: 'a/b/c/d.txt',
  'two slashes': 'a//b.txt',
  'a slash at the end': 'folder/',
  'a slash at the start': '/a.txt',
  'only slashes': '//',
  'without an extension': 'noext',
  'a space': 'my file.txt',
  'a blank at the end': 'blank ',
  'all punctuation': `!-_.*'()&$@=;:+,?`,
  é: 'é.txt',
  'not ASCII': '漢字.txt',
  emoji: '😀.png',
  percent: 'a%b.txt',
  hash: 'a#b.txt',
  brackets: 'a[1].txt',
  tilde: 'a~b.txt',
  backslash: 'a\\b.txt',
  braces: 'a{b}.txt',
  quote: 'a"b.txt',
  angle: 'a<b>.txt',
  pipe: 'a|b.txt',
  caret: 'a^b.txt',
  backtick: 'a`b.txt',
  tab: 'a\tb.txt',
  newline: 'a\nb.txt',
  null: 'a\u0000b.txt',
  dot: '.',
  'a dot as a part': 'a/./b',
  'two dots as a part': 'a/../b',
  'two dots at the start': '../x',
  'two dots at the end': 'a/..',
  'three dots': '...',
  'a hidden file': '.hidden',
  'an empty folder': 'f/.emptyFolderPlaceholder',
  long: `${'k'.repeat(200)}.txt`,
  'longer than a name of a file': 'k'.repeat(256),
  'longer than a path': `${'k/'.repeat(600)}x`,
  'prefix of another': 'a',
};

const metadata = {
  none: undefined,
  object: Buffer.from('{"a":1,"b":"zwei"}').toString('base64'),
  nested: Buffer.from('{"a":{"b":[1,2,{"c":null}]}}').toString('base64'),
  array: Buffer.from('[1,2]').toString('base64'),
  text: Buffer.from('"text"').toString('base64'),
  number: Buffer.from('5').toString('base64'),
  null: Buffer.from('null').toString('base64'),
  broken: Buffer.from('{"a":').toString('base64'),
  'no base64': '{"a":1}',
  empty: '',
  'url-safe base64': Buffer.from('{"a":"???>>>"}').toString('base64url'),
  'not ASCII': Buffer.from('{"name":"é漢"}').toString('base64'),
};

const robots = [
  'none',
  'noindex',
  'noindex, nofollow',
  'all',
  'index',
  'NOINDEX',
  'max-snippet:5',
  'max-snippet: -1',
  'max-snippet:x',
  'max-image-preview:large',
  'max-image-preview:huge',
  'max-video-preview:10',
  'unavailable_after: 2030-01-01',
  'unavailable_after: never',
  'googlebot: noindex',
  'googlebot: none, noarchive',
  'wrong',
  'noindex,',
  '',
  'nosnippet noindex',
  'notranslate',
  'otherbot: nothing',
  'unavailable_after: 25 Jun 2030 15:00:00 PST',
  'noimageindex',
  'indexifembedded',
  'max-snippet',
];

const caches = [
  'max-age=60',
  'no-store',
  '3600',
  'public, max-age=31536000, immutable',
  '',
  'x'.repeat(300),
  'a=é',
];

const contentTypes = [
  undefined,
  '',
  'text/plain',
  'text/plain; charset=utf-8',
  'TEXT/PLAIN',
  'text/html',
  'text/html; charset=utf-8',
  'application/json',
  'application/json; charset=utf-8',
  'application/xml',
  'application/x-www-form-urlencoded',
  'image/svg+xml',
  'nothing',
  'a/b/c',
  'text/',
  '/plain',
  'multipart/mixed; boundary=x',
  'multipart/form-data',
];

export default [
  {
    name: 'keys',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      for (const [as, key] of Object.entries(keys)) {
        const encoded = key.split('/').map(encodeURIComponent).join('/');
        await t.upload(`b/${encoded}`, 'x', { as: `upload: ${as}` });
        await t.get(`/object/info/b/${encoded}`, { token: service(t), as: `info: ${as}` });
      }
      for (const path of [
        'b',
        'b/',
        'b//',
        '',
        'b/%',
        'b/%zz',
        'b/%ff',
        'b/a%2Fb',
        'b/a+b',
        'b/%2e%2e/x',
        'b/a%00',
        'b/a?b',
        'none/a',
        'a%2Fb/c',
        'é/x'.replace('é', '%C3%A9'),
      ])
        await t.upload(path, 'x');
    },
  },
  {
    name: 'bodies as they are',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      for (const [index, type] of contentTypes.entries()) {
        await t.upload(`b/${index}`, '{"a": "body"}', { type });
        await seen(t, `b/${index}`);
      }
      await t.upload('b/empty', '');
      await seen(t, 'b/empty');
      await t.upload('b/nobody', undefined);
      await t.upload('b/nothing', undefined, { type: null });
      await t.upload('b/chunked', 'in chunks', { chunked: true });
      await seen(t, 'b/chunked');
      await t.upload('b/binary', Buffer.from([0, 1, 2, 255, 254, 13, 10]), {
        type: 'application/octet-stream',
      });
      await seen(t, 'b/binary');
    },
  },
  {
    name: 'once, again and over',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      await t.upload('b/a.txt', 'first');
      await t.upload('b/a.txt', 'second');
      for (const upsert of ['false', 'TRUE', '1', '', 'yes', 'true'])
        await t.upload('b/a.txt', `third ${upsert}`, { headers: { 'x-upsert': upsert } });
      await seen(t, 'b/a.txt');
      await t.send('PUT', '/object/b/a.txt', {
        body: 'fourth',
        token: service(t),
        headers: { 'content-type': 'text/css' },
      });
      await seen(t, 'b/a.txt');
      await t.send('PUT', '/object/b/new.txt', {
        body: 'new',
        token: service(t),
        headers: { 'content-type': 'text/css' },
      });
      await t.send('PUT', '/object/b/new.txt', {
        body: 'newer',
        token: service(t),
        headers: { 'x-upsert': 'false' },
      });
      await seen(t, 'b/new.txt');
      await t.send('PATCH', '/object/b/a.txt', { body: 'x', token: service(t) });
      await t.upload('b/a.txt/below', 'below a file');
      await seen(t, 'b/a.txt/below');
      await t.upload('none/a.txt', 'x');
      await t.send('PUT', '/object/none/a.txt', { body: 'x', token: service(t) });
      await t.upload('b/mine.txt', 'of asha', { token: t.tokens.asha });
      await t.sql('create policy i on storage.objects for insert to authenticated with check (true)');
      await t.upload('b/mine.txt', 'of asha', { token: t.tokens.asha });
      await t.upload('b/mine.txt', 'over it', { headers: { 'x-upsert': 'true' } });
    },
  },
  {
    name: 'metadata of bodies',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      for (const [as, value] of Object.entries(metadata)) {
        const name = as.replaceAll(/\W/g, '-');
        await t.upload(`b/${name}`, 'x', { headers: { 'x-metadata': value }, as: `metadata: ${as}` });
        await t.get(`/object/info/b/${name}`, { token: service(t) });
      }
      await t.upload('b/over', 'x', { headers: { 'x-metadata': metadata.object } });
      await t.upload('b/over', 'y', { headers: { 'x-upsert': 'true' } });
      await t.get('/object/info/b/over', { token: service(t) });
    },
  },
  {
    name: 'robots and caches',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      for (const [index, value] of robots.entries()) {
        await t.upload(`b/r${index}`, 'x', { headers: { 'x-robots-tag': value } });
        await t.head(`/object/b/r${index}`, { token: service(t) });
      }
      for (const [index, value] of caches.entries()) {
        const headers = { 'cache-control': Buffer.from(value).toString('latin1') };
        await t.upload(`b/c${index}`, 'x', { headers });
        await t.get(`/object/b/c${index}`, { token: service(t) });
      }
    },
  },
  {
    name: 'at the same time',
    profile: 'plain',
    async run(t) {
      await t.bucket('b');
      const sent = Array.from({ length: 4 }, (_, index) =>
        t.upload('b/a.txt', `content ${index}`, { quiet: true }),
      );
      const answers = await Promise.all(sent);
      t.note('answers to four', { stored: answers.filter(({ status }) => status === 200).length });
      await t.delete('/object/b/a.txt', { token: service(t) });
    },
  },
];
