// Resumable uploads over TUS: whose they are, what they write over, and where they are.

import { TOKENS } from './support/profiles.mjs';
import { DATA, V, create, head, patch, pathOf, prepared, seen } from './support/resumable.mjs';

export default [
  {
    name: 'ending one',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const made = await create(t, 'gone.txt', 5, { body: 'ab' });
      await t.delete(pathOf(made), { token: TOKENS.asha, headers: V });
      await t.delete(pathOf(made), { token: TOKENS.service, headers: V });
      await head(t, pathOf(made));
      await patch(t, pathOf(made), 2, 'cde');
      await t.delete(pathOf(made), { token: TOKENS.service, headers: V });
      const done = await create(t, 'done.txt', 2, { body: 'ab' });
      await t.delete(pathOf(done), { token: TOKENS.service, headers: V });
      await seen(t, 'done.txt');
    },
  },
  {
    name: 'over an object',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await t.upload('b/old.txt', 'old');
      await create(t, 'old.txt', 3);
      await create(t, 'old.txt', 3, { headers: { 'x-upsert': 'false' } });
      await create(t, 'old.txt', 3, { headers: { 'x-upsert': 'TRUE' } });
      const over = await create(t, 'old.txt', 3, { headers: { 'x-upsert': 'true' } });
      await patch(t, pathOf(over), 0, 'n');
      await patch(t, pathOf(over), 0, 'n', { headers: { 'x-upsert': 'true' } });
      await head(t, pathOf(over));
      await patch(t, pathOf(over), 1, 'ew', { headers: { 'x-upsert': 'true' } });
      await seen(t, 'old.txt');
      const early = await create(t, 'race.txt', 4);
      await patch(t, pathOf(early), 0, 'ab');
      await t.upload('b/race.txt', 'first');
      await patch(t, pathOf(early), 2, 'cd');
      await head(t, pathOf(early));
      await seen(t, 'race.txt');
      const left = await create(t, 'left.txt', 4);
      await t.put('/bucket/b', { file_size_limit: 2 }, { token: TOKENS.service });
      await patch(t, pathOf(left), 0, 'abcd');
      await t.put('/bucket/b', { allowed_mime_types: ['image/png'] }, { token: TOKENS.service });
      await patch(t, pathOf(left), 0, 'abcd');
    },
  },
  {
    name: 'by users',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await create(t, 'a.txt', 3, { token: TOKENS.asha });
      await create(t, 'a.txt', 3, { token: TOKENS.anon });
      await create(t, 'a.txt', 3, { token: null, headers: { authorization: undefined } });
      await create(t, 'a.txt', 3, { token: 'nonsense' });
      await head(t, '/upload/resumable/x', { token: undefined });
      await t.sql('create policy i on storage.objects for insert to authenticated with check (true)');
      const made = await create(t, 'a.txt', 3, { token: TOKENS.asha, more: { metadata: '{"u":1}' } });
      await head(t, pathOf(made), { token: TOKENS.asha });
      await head(t, pathOf(made), { token: TOKENS.ravi });
      await patch(t, pathOf(made), 0, 'a', { token: TOKENS.anon });
      await patch(t, pathOf(made), 0, 'a', { token: TOKENS.ravi });
      await patch(t, pathOf(made), 1, 'bc', { token: TOKENS.asha });
      await t.get('/object/info/b/a.txt', { token: TOKENS.service });
      await create(t, 'a.txt', 3, { token: TOKENS.asha, headers: { 'x-upsert': 'true' } });
      await t.sql(
        'create policy u on storage.objects for update to authenticated using (true) with check (true); create policy s on storage.objects for select to authenticated using (true)',
      );
      await create(t, 'a.txt', 3, { token: TOKENS.asha, headers: { 'x-upsert': 'true' }, body: 'xyz' });
    },
  },
  {
    name: 'with a signed address',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await t.sql('create policy i on storage.objects for insert to authenticated with check (true)');
      const token = async (name, more) =>
        (await t.post(`/object/upload/sign/b/${name}`, undefined, { token: TOKENS.asha, ...more })).body
          .token;
      const signature = await token('s.txt');
      const options = {
        token: undefined,
        path: '/upload/resumable/sign',
        headers: { 'x-signature': signature },
      };
      const made = await create(t, 's.txt', 4, {
        ...options,
        token: null,
        headers: { ...options.headers, authorization: undefined },
      });
      const send = (path, offset, body, headers = options.headers) =>
        t.send('PATCH', path, {
          body,
          headers: { ...V, ...DATA, 'upload-offset': String(offset), ...headers },
        });
      await t.head(pathOf(made), { headers: { ...V, ...options.headers } });
      await t.head(pathOf(made), { headers: V });
      await t.head(pathOf(made).replace('/sign', ''), { token: TOKENS.asha, headers: V });
      await send(pathOf(made), 0, 'ab');
      await send(pathOf(made), 2, 'cd', {});
      await send(pathOf(made), 2, 'cd', { 'x-signature': 'nonsense' });
      await send(pathOf(made), 2, 'cd', { 'x-signature': TOKENS.service });
      await send(pathOf(made), 2, 'cd', { 'x-signature': await token('other.txt') });
      await send(pathOf(made), 2, 'cd');
      await t.get('/object/info/b/s.txt', { token: TOKENS.service });
      for (const [name, headers] of Object.entries({
        'other.txt': { 'x-signature': signature },
        'none.txt': {},
        'bad.txt': { 'x-signature': 'x' },
        's.txt': { 'x-signature': signature },
        'up.txt': { 'x-signature': signature, 'x-upsert': 'true' },
      }))
        await create(t, name, 2, {
          token: null,
          path: '/upload/resumable/sign',
          headers: { ...headers, authorization: undefined },
        });
      const download = await t.post('/object/sign/b/s.txt', { expiresIn: 60 }, { token: TOKENS.service });
      await create(t, 's.txt', 2, {
        token: null,
        path: '/upload/resumable/sign',
        headers: { 'x-signature': download.body.signedURL.split('token=')[1], authorization: undefined },
        as: 'a token for reading',
      });
      const over = (
        await t.post('/object/upload/sign/b/s.txt', undefined, {
          token: TOKENS.service,
          headers: { 'x-upsert': 'true' },
        })
      ).body.token;
      await create(t, 's.txt', 2, {
        token: null,
        body: 'up',
        path: '/upload/resumable/sign',
        headers: { 'x-signature': over, authorization: undefined },
      });
      await t.get('/object/info/b/s.txt', { token: TOKENS.service });
    },
  },
  {
    name: 'addresses behind a gateway',
    profile: 'gateway',
    async run(t) {
      await prepared(t);
      for (const headers of [
        {},
        { 'x-forwarded-prefix': '/storage/v1' },
        { 'x-forwarded-prefix': '/storage/v1/' },
        {
          'x-forwarded-proto': 'http',
          'x-forwarded-host': 'h.test',
          'x-forwarded-port': '8000',
          'x-forwarded-prefix': '/storage/v1',
        },
      ])
        await create(t, 'g.txt', 2, { headers });
      const made = await create(t, 'g.txt', 2, { headers: { 'x-forwarded-prefix': '/storage/v1' } });
      await patch(t, pathOf(made), 0, 'ab', { headers: { 'x-forwarded-prefix': '/storage/v1' } });
    },
  },
  {
    name: 'addresses without a public one',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const headers of [
        { 'x-forwarded-prefix': '/storage/v1' },
        { 'x-forwarded-proto': 'https' },
        { 'x-forwarded-host': 'h.test' },
        { 'x-forwarded-host': 'h.test:9000' },
        { 'x-forwarded-host': 'h.test', 'x-forwarded-port': '8000' },
        { 'x-forwarded-host': 'h.test:1', 'x-forwarded-port': '8000' },
        { 'x-forwarded-host': 'h.test', 'x-forwarded-port': '443', 'x-forwarded-proto': 'https' },
        { forwarded: 'for=1.2.3.4;proto=https;host=f.test' },
        { 'x-forwarded-proto': 'https, http', 'x-forwarded-host': 'a.test, b.test' },
        { host: 'hosted.test' },
        { 'x-forwarded-proto': 'javascript' },
      ])
        await create(t, 'g.txt', 2, { headers });
    },
  },
];
