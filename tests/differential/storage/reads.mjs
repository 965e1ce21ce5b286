// Reading objects: routes, ranges, conditions, names of downloads, and what is not there.

const service = (t) => t.tokens.service;

const ranges = [
  'bytes=0-4',
  'bytes=0-0',
  'bytes=5-',
  'bytes=-3',
  'bytes=-0',
  'bytes=-100',
  'bytes=0-99',
  'bytes=10-20',
  'bytes=9-9',
  'bytes=10-',
  'bytes=5-2',
  'bytes=a-b',
  'bytes=',
  'bytes=-',
  'bytes=0-1,3-4',
  'bytes=0-1, 3-4',
  'items=0-4',
  '0-4',
  'BYTES=0-4',
  'bytes = 0-4',
  'bytes=0 - 4',
  'bytes= 0-4',
  'bytes=0-4 ',
  'bytes=99999999999999999999-',
  'bytes=1.5-3',
  'bytes=--1',
  'bytes=0-4-5',
  '',
  'bytes=+1-2',
  'bytes=0x1-2',
  'bytes=100-200',
];

const downloads = [
  '?download',
  '?download=',
  '?download=name.txt',
  '?download=a%20b.txt',
  '?download=%C3%A9.txt',
  '?download=a%22b',
  `?download=a'b(c)*`,
  '?download=a%0Ab',
  '?download=a&download=b',
  '?download=true',
  '?download=a/b',
  '?download=a%5Cb',
  '?download=%E6%BC%A2',
  '?Download=x',
  '?download=%',
  '?download=%FF',
];

const dates = {
  'long ago': 'Mon, 01 Jan 2001 00:00:00 GMT',
  later: 'Fri, 01 Jan 2100 00:00:00 GMT',
  nonsense: 'yesterday',
  empty: '',
  iso: '2100-01-01T00:00:00Z',
};

async function prepared(t) {
  await t.bucket('open', { public: true });
  await t.bucket('closed');
  for (const bucket of ['open', 'closed']) {
    await t.upload(`${bucket}/ten.txt`, '0123456789', { headers: { 'cache-control': 'max-age=60' } });
    await t.upload(`${bucket}/folder/page.html`, '<p>page</p>', { type: 'text/html; charset=utf-8' });
    await t.upload(`${bucket}/empty`, '', { type: 'application/octet-stream' });
  }
}

const routes = (bucket, key) => [
  [`/object/public/${bucket}/${key}`],
  [`/object/public/${bucket}/${key}`, 'service'],
  [`/object/authenticated/${bucket}/${key}`],
  [`/object/authenticated/${bucket}/${key}`, 'anon'],
  [`/object/authenticated/${bucket}/${key}`, 'asha'],
  [`/object/authenticated/${bucket}/${key}`, 'service'],
  [`/object/${bucket}/${key}`],
  [`/object/${bucket}/${key}`, 'anon'],
  [`/object/${bucket}/${key}`, 'asha'],
  [`/object/${bucket}/${key}`, 'service'],
  [`/object/info/${bucket}/${key}`],
  [`/object/info/${bucket}/${key}`, 'asha'],
  [`/object/info/${bucket}/${key}`, 'service'],
  [`/object/info/public/${bucket}/${key}`],
  [`/object/info/public/${bucket}/${key}`, 'service'],
  [`/object/info/authenticated/${bucket}/${key}`],
  [`/object/info/authenticated/${bucket}/${key}`, 'asha'],
  [`/object/info/authenticated/${bucket}/${key}`, 'service'],
];

export default [
  {
    name: 'routes',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const bucket of ['open', 'closed', 'none'])
        for (const key of ['ten.txt', 'folder/page.html', 'missing', 'folder'])
          for (const [path, who] of routes(bucket, key))
            for (const method of ['GET', 'HEAD'])
              await t.send(method, path, {
                token: t.tokens[who],
                as: `${method} ${path} by ${who ?? 'nobody'}`,
              });
    },
  },
  {
    name: 'reading under policies',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      await t.sql(`create policy s on storage.objects for select to authenticated using (name = 'ten.txt')`);
      for (const bucket of ['open', 'closed'])
        for (const key of ['ten.txt', 'folder/page.html', 'missing'])
          for (const [path, who] of routes(bucket, key)) {
            if (who !== 'asha') continue;
            await t.get(path, { token: t.tokens[who] });
            await t.head(path, { token: t.tokens[who] });
          }
    },
  },
  {
    name: 'odd paths',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const key of [
        '',
        '/',
        '//ten.txt',
        'ten.txt/',
        'folder%2Fpage.html',
        'folder/',
        '%74en.txt',
        'ten.txt%00',
        '..%2Fopen%2Ften.txt',
        './ten.txt',
        '%',
        '%ff',
        'é'.replace('é', '%C3%A9'),
        'TEN.txt',
        'a#b'.replace('#', '%23'),
      ]) {
        await t.get(`/object/public/open/${key}`);
        await t.get(`/object/open/${key}`, { token: service(t) });
        await t.get(`/object/info/open/${key}`, { token: service(t) });
        await t.head(`/object/authenticated/open/${key}`, { token: service(t) });
      }
      for (const path of [
        '/object/public/open',
        '/object/public',
        '/object/authenticated/open',
        '/object/open',
        '/object/info',
        '/object/info/open',
        '/object',
        '/object/',
        '/object//ten.txt',
        '//object/open/ten.txt',
        '/object/info/public/open',
      ])
        for (const method of ['GET', 'HEAD']) await t.send(method, path, { token: service(t) });
    },
  },
  {
    name: 'ranges',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const range of ranges) {
        await t.get('/object/public/open/ten.txt', { headers: { range } });
        await t.get('/object/public/open/empty', { headers: { range } });
      }
      for (const range of ['bytes=0-4', 'bytes=10-', 'nonsense']) {
        await t.get('/object/authenticated/closed/ten.txt', { token: service(t), headers: { range } });
        await t.get('/object/closed/ten.txt', { token: service(t), headers: { range } });
        await t.head('/object/closed/ten.txt', { token: service(t), headers: { range } });
        await t.get('/object/public/open/ten.txt', { headers: { range, 'if-range': '"x"' } });
        await t.get('/object/public/open/folder/page.html?download=x', { headers: { range } });
      }
    },
  },
  {
    name: 'conditions',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const { headers } = await t.get('/object/public/open/ten.txt');
      const etag = headers.etag;
      const last = headers['last-modified'];
      const tags = [etag, etag.slice(1, -1), `W/${etag}`, `"x", ${etag}`, `${etag}, "x"`, '*', '"other"', ''];
      for (const path of [
        '/object/public/open/ten.txt',
        '/object/open/ten.txt',
        '/object/authenticated/open/ten.txt',
      ])
        for (const method of ['GET', 'HEAD']) {
          const token = path.includes('public') ? undefined : service(t);
          for (const tag of tags) await t.send(method, path, { token, headers: { 'if-none-match': tag } });
          for (const tag of tags) await t.send(method, path, { token, headers: { 'if-match': tag } });
          for (const [as, date] of Object.entries({ ...dates, same: last })) {
            await t.send(method, path, {
              token,
              headers: { 'if-modified-since': date },
              as: `${method} ${path} modified since ${as}`,
            });
            await t.send(method, path, {
              token,
              headers: { 'if-unmodified-since': date },
              as: `${method} ${path} unmodified since ${as}`,
            });
          }
          await t.send(method, path, {
            token,
            headers: { 'if-none-match': '"other"', 'if-modified-since': dates.later },
          });
          await t.send(method, path, { token, headers: { 'if-none-match': etag, range: 'bytes=0-1' } });
          await t.send(method, path, {
            token,
            headers: { 'if-none-match': etag, 'if-modified-since': dates['long ago'] },
          });
        }
    },
  },
  {
    name: 'names of downloads',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const query of downloads) {
        await t.get(`/object/public/open/ten.txt${query}`);
        await t.head(`/object/public/open/ten.txt${query}`);
        await t.get(`/object/authenticated/closed/ten.txt${query}`, { token: service(t) });
        await t.get(`/object/info/open/ten.txt${query}`, { token: service(t) });
      }
      await t.get('/object/public/open/folder/page.html?download=page.html');
      for (const query of ['?version=1', '?width=10', '?versionId=x', '?a=b&c', '?=', '?token=x'])
        await t.get(`/object/public/open/ten.txt${query}`);
    },
  },
  {
    name: 'rows that others made',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      const metadata = {
        none: 'null',
        empty: `'{}'`,
        partial: `'{"mimetype":"text/css"}'`,
        odd: `'{"size":"7","mimetype":5,"eTag":7,"cacheControl":[],"lastModified":"never"}'`,
        array: `'[1]'`,
        robots: `'{"xRobotsTag":"noindex","size":3,"eTag":"\\"e\\"","mimetype":"text/plain"}'`,
      };
      for (const [name, value] of Object.entries(metadata)) {
        await t.upload(`open/${name}`, 'abc');
        await t.sql(`update storage.objects set metadata = ${value} where name = '${name}'`);
        await t.get(`/object/public/open/${name}`);
        await t.head(`/object/public/open/${name}`);
        await t.get(`/object/info/open/${name}`, { token: service(t) });
      }
      await t.sql(`insert into storage.objects (bucket_id, name, version, metadata) values ('open', 'blobless', '00000000-0000-4000-8000-000000000009',
        '{"size":3,"mimetype":"text/plain","eTag":"\\"x\\"","cacheControl":"no-cache"}')`);
      await t.get('/object/public/open/blobless', { as: 'a row without its blob' });
      await t.get('/object/public/open/blobless', {
        headers: { range: 'bytes=0-1' },
        as: 'a row without its blob, range',
      });
      await t.head('/object/public/open/blobless');
      await t.delete('/object/open/blobless', { token: service(t), as: 'deleting a row without its blob' });
    },
  },
];
