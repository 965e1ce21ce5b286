// What scenarios of the S3 protocol share.

import { TENANT, TOKENS } from './profiles.mjs';

export const session = (token) => ({ key: TENANT, secret: TOKENS.anon, token });
export const xml = (text) => ({ body: text, headers: { 'content-type': 'application/xml' } });

export async function prepared(t) {
  await t.bucket('b');
  await t.bucket('open', { public: true });
  await t.bucket('png', { allowed_mime_types: ['image/png'], file_size_limit: 10 });
  for (const name of [
    'a.txt',
    'f/b.txt',
    'f/g/c.txt',
    'f/h/d.txt',
    'z.txt',
    'sp ace.txt',
    'a+b.txt',
    "q'(x)!*.txt",
    'a&b.txt',
  ])
    await t.s3(
      'PUT',
      `/b/${name
        .split('/')
        .map((part) =>
          encodeURIComponent(part).replace(
            /[!'()*]/g,
            (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
          ),
        )
        .join('/')}`,
      {
        body: `content of ${name}`,
        headers: { 'content-type': 'text/plain', 'cache-control': 'max-age=5', 'x-amz-meta-colour': 'red' },
      },
    );
}
