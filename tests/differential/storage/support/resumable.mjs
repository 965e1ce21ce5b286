// The client's side of TUS.

import { TOKENS } from './profiles.mjs';

export const base = (text) => Buffer.from(text).toString('base64');
export const V = { 'tus-resumable': '1.0.0' };
export const DATA = { 'content-type': 'application/offset+octet-stream' };
export const notes = (values) =>
  Object.entries(values)
    .map(([name, value]) => (value === null ? name : `${name} ${base(value)}`))
    .join(',');
export const about = (name, more = {}) => notes({ bucketName: 'b', objectName: name, ...more });

/** The path of an upload's address. */
export const pathOf = (answer) =>
  answer.headers.location
    ? new URL(answer.headers.location).pathname.replace('/storage/v1', '')
    : '/upload/resumable/none';

export function create(
  t,
  name,
  length,
  { more, headers, body, as, token = TOKENS.service, path = '/upload/resumable' } = {},
) {
  return t.send('POST', path, {
    ...{ token, body, as },
    headers: {
      ...V,
      'upload-length': length === undefined ? undefined : String(length),
      'upload-metadata': about(name, more),
      ...(body === undefined ? {} : DATA),
      ...headers,
    },
  });
}

export function patch(t, path, offset, body, { headers, token = TOKENS.service, ...more } = {}) {
  return t.send('PATCH', path, {
    token,
    body,
    headers: { ...V, ...DATA, 'upload-offset': String(offset), ...headers },
    ...more,
  });
}

export const head = (t, path, more) => t.head(path, { token: TOKENS.service, headers: V, ...more });

export const seen = async (t, name) => {
  await t.get(`/object/info/b/${name}`, { token: TOKENS.service });
  await t.get(`/object/b/${name}`, { token: TOKENS.service });
};

export async function prepared(t) {
  await t.bucket('b');
  await t.bucket('png', { allowed_mime_types: ['image/png'] });
  await t.bucket('small', { file_size_limit: 10 });
  await t.bucket('zero', { file_size_limit: 0 });
}
