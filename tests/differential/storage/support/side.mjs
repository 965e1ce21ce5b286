// A scenario's view of one storage server: sends requests, and writes down what came back in comparable form.

import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request as httpRequest } from 'node:http';
import path from 'node:path';

import { digest, Normaliser } from './normalise.mjs';
import { S3_KEY, TOKENS } from './profiles.mjs';
import { presigned, signed } from './sigv4.mjs';

const HEADERS =
  `content-type content-length content-range content-disposition content-encoding content-language accept-ranges
  cache-control expires etag last-modified location x-robots-tag x-transformations allow vary
  www-authenticate retry-after x-amz-bucket-region x-amz-missing-meta x-amz-copy-source-version-id
  x-amz-version-id x-amz-checksum-crc32 x-amz-checksum-type x-amz-request-id created-at
  tus-resumable tus-version tus-extension tus-max-size tus-complete tus-checksum-algorithm upload-offset
  upload-length upload-metadata upload-defer-length upload-expires upload-concat
  access-control-allow-origin access-control-allow-methods access-control-allow-headers
  access-control-allow-credentials access-control-expose-headers access-control-max-age`.split(/\s+/);
const UNDER_WAY = /^multiparts\/|\/__uploads\/|\.json$/;
const TEXTUAL = /json|text|xml|^$/;

/** A form in `multipart/form-data`: parts are `[name, value]`, or a file as `[name, {name, type, body}]`. */
export function form(parts, boundary = 'a-boundary-of-the-run') {
  const chunks = [];
  for (const [name, value] of parts) {
    chunks.push(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"`);
    if (typeof value === 'string') chunks.push(`\r\n\r\n${value}\r\n`);
    else {
      chunks.push(`; filename="${value.name ?? 'file'}"\r\n`);
      if (value.type) chunks.push(`content-type: ${value.type}\r\n`);
      chunks.push('\r\n', value.body, '\r\n');
    }
  }
  chunks.push(`--${boundary}--\r\n`);
  return {
    body: Buffer.concat(chunks.map((chunk) => Buffer.from(chunk))),
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
  };
}

export class Side {
  #server;
  #normaliser;
  #agent = new Agent({ keepAlive: true });
  #count = 0;
  transcript = [];
  tokens = TOKENS;

  constructor(server) {
    this.#server = server;
    this.#normaliser = new Normaliser(server.folder);
  }

  get host() {
    return `127.0.0.1:${this.#server.port}`;
  }

  /** Where the server keeps its blobs. */
  get folder() {
    return this.#server.folder;
  }

  /** Runs SQL on the server's own database. */
  async sql(text, values) {
    return (await this.#server.database.query(text, values)).rows;
  }

  get = (path, options) => this.send('GET', path, options);
  head = (path, options) => this.send('HEAD', path, options);
  delete = (path, options) => this.send('DELETE', path, options);
  post = (path, json, options) => this.send('POST', path, { json, ...options });
  put = (path, json, options) => this.send('PUT', path, { json, ...options });

  /** Makes a bucket as the service. */
  bucket(name, settings = {}) {
    return this.post('/bucket', { name, ...settings }, { token: TOKENS.service });
  }

  /** Uploads a body as it is; as the service, unless a token is given. */
  upload(name, body, { token = TOKENS.service, type = 'text/plain', headers, ...options } = {}) {
    return this.send('POST', `/object/${name}`, {
      ...{ body, token, ...options },
      headers: { ...(type ? { 'content-type': type } : {}), ...headers },
    });
  }

  /** Uploads a form. */
  form(method, path, parts, { headers, ...options } = {}) {
    const made = form(parts);
    return this.send(method, path, { ...options, body: made.body, headers: { ...made.headers, ...headers } });
  }

  /** Sends a request of the S3 protocol; `how` may change the signature, also its host and a prefix of its path. */
  s3(method, target, { query = {}, headers = {}, body = '', how = {}, as } = {}) {
    const { prefix = '', host = this.host } = how;
    const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
    const request = { method, host, path: `${prefix}/s3${target}`, query, headers: given, body };
    const options = { key: S3_KEY.id, secret: S3_KEY.secret, ...how };
    const made = how.presign ? presigned(request, options) : signed(request, options);
    return this.send(method, made.path.slice(prefix.length), {
      headers: made.headers,
      body: made.body,
      as: as ?? `S3 ${method} ${target} ${JSON.stringify({ ...query, ...headers })}`,
    });
  }

  /**
   * Sends a request. `token` is a bearer token, `json` or `body` the body, `as` the name in the report;
   * what is `quiet` is not compared.
   */
  async send(method, path, { json, body, headers = {}, token, as, chunked = false, quiet = false } = {}) {
    let content = json !== undefined ? JSON.stringify(json) : body;
    if (content !== undefined) content = Buffer.from(content);
    const sent = {};
    for (const [name, value] of Object.entries(headers))
      if (value !== undefined) sent[name.toLowerCase()] = value;
    if (token !== undefined) sent.authorization ??= `Bearer ${token}`;
    if (json !== undefined) sent['content-type'] ??= 'application/json';
    if (content !== undefined && !chunked) sent['content-length'] ??= content.length;
    this.#count += 1;
    const where = `request ${this.#count}`;
    const answer = await this.#exchange({ method, path, headers: sent }, content);
    if (quiet) return answer;
    const shownBody = content && json === undefined ? ` ${content.length} bytes` : '';
    const shownJson = json === undefined ? '' : ` ${JSON.stringify(json)}`;
    const shownHeaders = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('; ');
    const text =
      `${method} ${path}${shownJson.slice(0, 160)}${shownBody} ${shownHeaders.slice(0, 160)}`.trim();
    const what = this.#normaliser.text(as ?? text.replace(/(token=)[^&\s]+/g, '$1…'), where);
    this.transcript.push({ what, where, comparable: this.#comparable(answer, where) });
    return answer;
  }

  /** Asks again where the server's end of the connection was faster than our reading of its answer. */
  async #exchange(request, content) {
    let answer;
    for (let attempt = 0; attempt < 5; attempt += 1) {
      answer = await this.#attempt(request, content);
      if (!/^(EPIPE|ECONNRESET)$/.test(answer.text)) break;
    }
    return answer;
  }

  async #attempt({ method, path, headers }, content) {
    const [host, port] = this.host.split(':');
    const request = httpRequest({ host, port, method, path, headers, agent: this.#agent, timeout: 20_000 });
    request.on('timeout', () => request.destroy(new Error('no answer within 20 s')));
    const answered = once(request, 'response');
    // A server that refuses a body may close while it is still being sent.
    request.on('error', () => {});
    if (content !== undefined) request.write(content);
    request.end();
    try {
      const [response] = await answered;
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      const answer = { status: response.statusCode, headers: response.headers, bytes };
      answer.text = bytes.toString('utf8');
      try {
        answer.body = JSON.parse(answer.text);
      } catch {
        answer.body = answer.text;
      }
      return answer;
    } catch (error) {
      const text = `${error.code ?? error.message}`;
      return { status: 0, headers: {}, bytes: Buffer.from(text), text, body: text };
    }
  }

  /** Something else to compare than an answer. */
  note(what, value) {
    this.transcript.push({ what, where: 'note', comparable: this.#normaliser.value(value, what) });
  }

  #comparable({ status, headers, body, bytes, text }, where) {
    const shown = {};
    const json = body !== null && typeof body === 'object';
    const names = [...HEADERS, ...Object.keys(headers).filter((name) => name.startsWith('x-amz-meta-'))];
    for (const name of names) {
      if (headers[name] === undefined) continue;
      const list = /^(vary|allow|access-control-(allow|expose)-(headers|methods))$/.test(name);
      shown[name] = list
        ? String(headers[name]).toLowerCase().split(/,\s*/).filter(Boolean).sort().join(', ')
        : this.#normaliser.value({ [name]: headers[name] }, where)[name];
    }
    const readable = TEXTUAL.test(headers['content-type'] ?? '') && bytes.length < 20_000;
    const content = json ? body : readable ? text : `${bytes.length} bytes, ${digest(bytes)}`;
    const comparable = { status, headers: shown, body: this.#normaliser.value(content, where) };
    // The length of what has volatile parts, and of JSON or XML, follows from what is compared anyway.
    if (
      comparable.body !== content ||
      (content === '' && shown['content-length'] === '0') ||
      /json|xml/.test(headers['content-type'] ?? '')
    )
      delete shown['content-length'];
    if (json && status < 400) comparable.keys = keyOrder(body);
    return comparable;
  }

  /** What the server left behind: rows, their blobs, and blobs without a row. */
  async finish() {
    const comparable = {};
    const rows = await this.#server.rows();
    for (const [table, found] of Object.entries(rows))
      comparable[table] = found.map((row) => this.#normaliser.value(parsedRow(row)));
    const versions = new Set(rows.objects?.map(({ version }) => version));
    const blobs = Object.groupBy(await this.#blobs(this.folder), ({ name }) =>
      versions.has(path.basename(name)) ? 'blobs' : 'without a row',
    );
    for (const [kind, list] of Object.entries(blobs))
      comparable[kind] = list.map(({ name, content }) => ({ name: path.dirname(name), content }));
    this.transcript.push({
      what: 'rows and blobs',
      where: 'at the end',
      comparable: { unordered: comparable },
    });
    this.close();
  }

  /** Lets connections go. */
  close() {
    this.#agent.destroy();
  }

  /** All blobs, without those of uploads under way and without notes about them, which each server keeps its own way. */
  async #blobs(folder) {
    const found = [];
    for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(this.folder, file);
      if (!UNDER_WAY.test(name)) found.push({ name, content: digest(await readFile(file)) });
    }
    return found;
  }
}

/** The order of the keys in a body, which clients may come to rely on. */
function keyOrder(value) {
  if (Array.isArray(value)) return [...new Set(value.map(keyOrder))].join(' | ');
  if (!value || typeof value !== 'object') return '';
  return Object.keys(value).join(',');
}

/** A row with its JSON read. */
function parsedRow(row) {
  const copy = {};
  for (const [name, value] of Object.entries(row)) {
    copy[name] = value;
    if (value?.startsWith('{') && name.endsWith('metadata')) copy[name] = JSON.parse(value);
  }
  return copy;
}
