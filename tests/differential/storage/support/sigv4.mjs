// AWS Signature Version 4 for requests of the S3 protocol: in headers, in the query, and chunk by chunk.

import { createHash, createHmac } from 'node:crypto';

const sha256 = (data) => createHash('sha256').update(data).digest('hex');
const hmac = (key, data) => createHmac('sha256', key).update(data).digest();
const EMPTY = sha256('');

/** Percent-encodes all but unreserved characters. */
export const encode = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

function canonicalQuery(query) {
  return Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((each) => `${encode(name)}=${encode(String(each))}`))
    .sort()
    .join('&');
}

const stamp = (time) => new Date(time).toISOString().replace(/[-:]|\.\d{3}/g, '');

/** The key of a day, a region and a service. */
function deriveKey({ secret, region, service }, day) {
  let key = `AWS4${secret}`;
  for (const part of [day, region, service, 'aws4_request']) key = hmac(key, part);
  return key;
}

function defaults(options) {
  return { region: 'us-east-1', service: 's3', time: Date.now(), ...options };
}

function canonical({ method, path, headers, query }, names, payload) {
  const lines = names.map((name) => `${name}:${String(headers[name]).trim().replace(/\s+/g, ' ')}\n`);
  return [method, path, canonicalQuery(query), lines.join(''), names.join(';'), payload].join('\n');
}

function signatureOf(text, at, options) {
  const scope = `${at.slice(0, 8)}/${options.region}/${options.service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', at, scope, sha256(text)].join('\n');
  return { scope, signature: hmac(deriveKey(options, at.slice(0, 8)), toSign).toString('hex') };
}

const pathAndQuery = (path, query) => {
  const text = canonicalQuery(query);
  return text ? `${path}?${text}` : path;
};

/**
 * A request with its signature in the header. Options: `key`, `secret`, `token`, `region`, `service`, `time`,
 * `payload` (the value of x-amz-content-sha256), `chunks` (sizes; with a streaming payload), `unsigned`
 * (headers that stay out of the signature), `mangle` (changes the finished headers).
 */
export function signed({ method, host, path, query, headers, body }, given) {
  const options = defaults(given);
  const at = stamp(options.time);
  const payload = options.payload ?? (body.length > 0 ? sha256(body) : EMPTY);
  const all = { host, ...lower(headers), 'x-amz-content-sha256': payload, 'x-amz-date': at };
  if (options.token) all['x-amz-security-token'] = options.token;
  let content = Buffer.from(body);
  if (payload.startsWith('STREAMING-')) {
    all['x-amz-decoded-content-length'] ??= String(content.length);
    all['content-encoding'] ??= 'aws-chunked';
  }
  const names = Object.keys(all)
    .filter((name) => !options.unsigned?.includes(name))
    .sort();
  const { scope, signature } = signatureOf(
    canonical({ method, path, headers: all, query }, names, payload),
    at,
    options,
  );
  all.authorization = `AWS4-HMAC-SHA256 Credential=${options.key}/${scope}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  if (payload.startsWith('STREAMING-'))
    content = streamed(content, { ...options, payload, at, scope, signature });
  options.mangle?.(all);
  const hasBody = content.length > 0 || ['PUT', 'POST'].includes(method);
  return { path: pathAndQuery(path, query), headers: all, body: hasBody ? content : undefined };
}

const lower = (headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/** A body in chunks, each signed when the payload says so, with a trailer when it says so. */
function streamed(content, options) {
  const { payload, at, scope, chunks = [content.length], trailer, spoil } = options;
  const key = deriveKey(options, at.slice(0, 8));
  const isSigned = payload.includes('HMAC');
  let previous = options.signature;
  const parts = [];
  let offset = 0;
  for (const size of [...chunks, 0]) {
    const data = content.subarray(offset, offset + size);
    offset += size;
    const toSign = ['AWS4-HMAC-SHA256-PAYLOAD', at, scope, previous, EMPTY, sha256(data)].join('\n');
    previous = hmac(key, toSign).toString('hex');
    const shown = spoil === 'chunk' ? previous.replace(/^./, (c) => (c === '0' ? '1' : '0')) : previous;
    parts.push(`${size.toString(16)}${isSigned ? `;chunk-signature=${shown}` : ''}\r\n`, data);
    if (size > 0) parts.push('\r\n');
  }
  if (payload.endsWith('-TRAILER') && trailer) {
    const lines = Object.entries(trailer).map(([name, value]) => `${name}:${value}\n`);
    parts.push(...Object.entries(trailer).map(([name, value]) => `${name}:${value}\r\n`));
    if (isSigned) {
      const toSign = ['AWS4-HMAC-SHA256-TRAILER', at, scope, previous, sha256(lines.join(''))].join('\n');
      parts.push(`x-amz-trailer-signature:${hmac(key, toSign).toString('hex')}\r\n`);
    }
  }
  parts.push('\r\n');
  return Buffer.concat(parts.map((part) => Buffer.from(part)));
}

/** A request with its signature in the query; `expires` in seconds, `signHeaders` are signed beside `host`. */
export function presigned({ method, host, path, query, headers, body }, given) {
  const options = defaults(given);
  const at = stamp(options.time);
  const all = { host, ...lower(headers) };
  const names = ['host', ...(options.signHeaders ?? [])].sort();
  const complete = {
    ...query,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${options.key}/${at.slice(0, 8)}/${options.region}/${options.service}/aws4_request`,
    'X-Amz-Date': at,
    'X-Amz-Expires': String(options.expires ?? 60),
    'X-Amz-SignedHeaders': names.join(';'),
    ...(options.token ? { 'X-Amz-Security-Token': options.token } : {}),
    ...options.override,
  };
  for (const name of options.drop ?? []) delete complete[name];
  const text = canonical(
    { method, path, headers: all, query: complete },
    names,
    options.payload ?? 'UNSIGNED-PAYLOAD',
  );
  const { signature } = signatureOf(text, at, options);
  complete['X-Amz-Signature'] = options.signature ?? signature;
  const content = Buffer.from(body);
  return {
    path: pathAndQuery(path, complete),
    headers: all,
    body: content.length > 0 || method === 'PUT' ? content : undefined,
  };
}

/** The fields of a form that a browser posts; `conditions` and `fields` as S3 documents them. */
export function postPolicy({ fields, conditions, expiration }, given) {
  const options = defaults(given);
  const at = stamp(options.time);
  const scope = `${at.slice(0, 8)}/${options.region}/${options.service}/aws4_request`;
  const complete = {
    ...fields,
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${options.key}/${scope}`,
    'X-Amz-Date': at,
    ...(options.token ? { 'X-Amz-Security-Token': options.token } : {}),
  };
  const automatic = ['X-Amz-Algorithm', 'X-Amz-Credential', 'X-Amz-Date'].map((name) => ({
    [name]: complete[name],
  }));
  const policy = { expiration, conditions: [...conditions, ...automatic] };
  if (expiration === undefined) delete policy.expiration;
  const encoded = Buffer.from(JSON.stringify(policy)).toString('base64');
  const signature = hmac(deriveKey(options, at.slice(0, 8)), encoded).toString('hex');
  return { ...complete, Policy: encoded, 'X-Amz-Signature': options.signature ?? signature };
}
