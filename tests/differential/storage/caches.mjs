// What is asked of a CDN, and of images without and with a renderer that is away.

const queries = [
  '',
  '?width=100',
  '?width=0',
  '?width=-1',
  '?width=x',
  '?width=1.5',
  '?width=99999',
  '?height=100&resize=contain',
  '?resize=stretch',
  '?quality=20',
  '?quality=19',
  '?quality=101',
  '?quality=x',
  '?format=origin',
  '?format=webp',
  '?format=avif',
  '?format=png',
  '?gravity=no',
  '?gravity=x',
  '?gravity=fp',
  '?gravity=fp&x_offset=0.5&y_offset=0.5',
  '?x_offset=2',
  '?x_offset=x',
  '?unknown=1',
  '?width=1&width=2',
  '?download=x',
  '?width=',
];

async function prepared(t) {
  await t.bucket('open', { public: true });
  await t.bucket('closed');
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  for (const bucket of ['open', 'closed']) {
    await t.upload(`${bucket}/dot.png`, png, { type: 'image/png' });
    await t.upload(`${bucket}/text.txt`, 'text');
  }
}

const images = async (t) => {
  await prepared(t);
  for (const query of queries) {
    await t.get(`/render/image/public/open/dot.png${query}`);
    await t.get(`/render/image/authenticated/closed/dot.png${query}`, { token: t.tokens.service });
  }
  for (const path of [
    'public/open/missing',
    'public/closed/dot.png',
    'public/none/x',
    'authenticated/closed/missing',
    'authenticated/closed/dot.png',
    'authenticated/open/dot.png',
    'public/open/text.txt',
    'public/open/',
    'sign/closed/dot.png',
  ])
    for (const who of [undefined, 'anon', 'service'])
      await t.get(`/render/image/${path}?width=5`, { token: t.tokens[who] });
  await t.head('/render/image/public/open/dot.png?width=5');
  for (const transform of [
    undefined,
    {},
    { width: 100 },
    { width: 100, height: 50, resize: 'fill', quality: 50, format: 'origin' },
    { width: '100' },
    { width: 0 },
    { width: -1 },
    { quality: 5 },
    { resize: 'x' },
    { format: 'webp' },
    { gravity: 'fp' },
    { gravity: 'ce', width: 5 },
    { unknown: 1 },
    null,
    [],
  ]) {
    const { body } = await t.post(
      '/object/sign/closed/dot.png',
      { expiresIn: 60, transform },
      { token: t.tokens.service },
    );
    if (body.signedURL) await t.get(body.signedURL);
  }
};

export default [
  {
    name: 'purging',
    profile: 'plain',
    async run(t) {
      await prepared(t);
      for (const path of [
        '/cdn',
        '/cdn/open',
        '/cdn/open/dot.png',
        '/cdn/none',
        '/cdn/open/missing',
        '/cdn/',
        '/cdn/open/',
      ])
        for (const who of ['service', 'asha', 'anon', undefined]) {
          await t.delete(path, { token: t.tokens[who], as: `DELETE ${path} by ${who}` });
          await t.delete(`${path}?transformations=true`, {
            token: t.tokens[who],
            as: `DELETE ${path}?transformations by ${who}`,
          });
        }
      for (const query of ['?transformations=false', '?transformations=x', '?transformations=', '?other=1'])
        await t.delete(`/cdn/open${query}`, { token: t.tokens.service });
    },
  },
  { name: 'images that are off', profile: 'plain', run: images },
  { name: 'images without a renderer', profile: 'images', run: images },
];
