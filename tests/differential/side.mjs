// A scenario's view of one server: sends requests, and writes down what came back in comparable form.

import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request as httpRequest } from 'node:http';

import { Normaliser } from './normalise.mjs';

const HEADERS =
  `content-type location x-total-count link x-supabase-api-version www-authenticate cache-control allow
  x-sb-error-code vary set-cookie retry-after sb-auth-user-id sb-auth-session-id sb-auth-refresh-token-prefix
  sb-auth-refresh-token-counter sb-auth-refresh-token-reuse sb-auth-refresh-token-reuse-cause
  sb-auth-refresh-token-rotated content-disposition pragma referrer-policy
  access-control-allow-origin access-control-allow-methods access-control-allow-headers
  access-control-allow-credentials access-control-expose-headers access-control-max-age`.split(/\s+/);
const URLS = new Set(['url', 'redirect_url', 'action_link', 'location', 'uri']);

export const SECRET = 'a secret for the differential run, 32 bytes or more';

/** A JWT with these claims, signed as `alg` says. */
export function jwt(claims, { secret = SECRET, header = {}, alg = 'HS256' } = {}) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg, typ: 'JWT', ...header })}.${part(claims)}`;
  const hash = { HS256: 'sha256', HS384: 'sha384', HS512: 'sha512' }[alg];
  const signature = hash ? createHmac(hash, secret).update(text).digest('base64url') : '';
  return `${text}.${signature}`;
}

const now = () => Math.floor(Date.now() / 1000);

/** The token of the project's own server side. */
export const serviceToken = (more = {}) =>
  jwt({ role: 'service_role', iss: 'supabase', iat: now(), exp: now() + 3600, ...more });

export class Side {
  #server;
  #normaliser = new Normaliser();
  #agent = new Agent({ keepAlive: true });
  #count = 0;
  transcript = [];

  constructor(server) {
    this.#server = server;
    this.name = server.name;
    this.receiver = server.receiver;
    this.service = serviceToken();
  }

  get port() {
    return this.#server.port;
  }

  /** Rows of the server's own database. */
  async sql(text, values) {
    return (await this.#server.database.query(text, values)).rows;
  }

  /** The next mail to an address. */
  async mail(address) {
    return this.#server.mailbox.next(address);
  }

  get = (path, options) => this.send('GET', path, options);
  delete = (path, options) => this.send('DELETE', path, options);
  post = (path, json, options) => this.send('POST', path, { json, ...options });
  put = (path, json, options) => this.send('PUT', path, { json, ...options });
  patch = (path, json, options) => this.send('PATCH', path, { json, ...options });

  /** Sends a request. `token` is a bearer token, `json` or `body` the body, `as` the name in the report. */
  async send(method, path, { json, body, headers = {}, token, as } = {}) {
    const content = json !== undefined ? JSON.stringify(json) : body;
    const sent = { ...headers };
    if (token !== undefined) sent.authorization = `Bearer ${token}`;
    if (content !== undefined && !Object.keys(sent).some((name) => name.toLowerCase() === 'content-type'))
      sent['content-type'] = 'application/json';
    if (content !== undefined) sent['content-length'] = Buffer.byteLength(content);
    this.#count += 1;
    const where = `request ${this.#count}`;
    const request = httpRequest({
      ...{ host: '127.0.0.1', port: this.port, method, path, headers: sent },
      ...{ agent: this.#agent, timeout: 15_000 },
    });
    request.on('timeout', () => request.destroy(new Error('no answer within 15 s')));
    if (content !== undefined) request.write(content);
    request.end();
    let answer;
    try {
      const [response] = await once(request, 'response');
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      const text = Buffer.concat(chunks).toString('utf8');
      answer = { status: response.statusCode, headers: response.headers, text };
    } catch (error) {
      answer = { status: 0, headers: {}, text: `${error.code ?? error.message}` };
    }
    try {
      answer.body = JSON.parse(answer.text);
    } catch {
      answer.body = answer.text;
    }
    const shown = content === undefined ? '' : ` ${this.#normaliser.text(content, where)}`.slice(0, 90);
    const what = as ?? `${method} ${this.#normaliser.text(path, where)}${shown}`;
    this.transcript.push({ what, where, comparable: this.#comparable(answer, where) });
    return answer;
  }

  /** Something else to compare than an answer. */
  note(what, value) {
    this.transcript.push({ what, where: 'note', comparable: this.#normaliser.value(value, what) });
  }

  #comparable({ status, headers, body, text }, where) {
    const shown = {};
    for (const name of HEADERS) {
      if (headers[name] === undefined) continue;
      // Lists of names have no order.
      const list = /^(vary|allow|access-control-(allow|expose)-\w+)$/.test(name);
      if (name === 'location') shown[name] = this.#normaliser.url(headers[name], `${where} location`);
      else if (list) shown[name] = String(headers[name]).toLowerCase().split(/,\s*/).sort().join(', ');
      else shown[name] = this.#normaliser.value({ [name]: headers[name] }, where)[name];
    }
    const parsed = typeof body === 'object' && body !== null ? this.#urls(body, where) : text;
    return { status, headers: shown, body: this.#normaliser.value(parsed, where) };
  }

  /** URLs within a body are compared part by part. */
  #urls(body, where) {
    if (Array.isArray(body))
      return body.map((each) => (typeof each === 'object' ? this.#urls(each, where) : each));
    return Object.fromEntries(
      Object.entries(body ?? {}).map(([name, value]) => {
        if (URLS.has(name) && typeof value === 'string') return [name, this.#normaliser.url(value, where)];
        return [name, value && typeof value === 'object' ? this.#urls(value, where) : value];
      }),
    );
  }

  /** What the server left behind: rows, mails and calls of hooks. */
  async finish() {
    const rows = await this.#server.rows();
    const comparable = {};
    for (const [table, found] of Object.entries(rows)) {
      comparable[table] = found.map((row) => this.#normaliser.known(parsedRow(table, row)));
    }
    this.transcript.push({ what: 'rows', where: 'at the end', comparable: { unordered: comparable } });
    const mails = this.#server.mailbox.empty().map(({ from, to, subject, links, text }) => ({
      ...{ from, to, subject },
      links: links.map((link) => this.#normaliser.url(link)),
      text: text.includes('plain:')
        ? this.#normaliser.text(text.replace(/\b\d{6,10}\b/g, '<code>').trim())
        : undefined,
    }));
    this.transcript.push({ what: 'mails', where: 'at the end', comparable: { unordered: { mails } } });
    const calls = this.#server.receiver.empty().filter(({ path }) => !path.startsWith('/templates/'));
    const asked = calls.map(({ method, path, query, headers, body }) => ({
      ...{ method, path, query, type: headers['content-type'], authorization: headers.authorization },
      body: this.#normaliser.known(
        typeof body === 'string'
          ? Object.fromEntries(
              [...new URLSearchParams(body)].map(([name, value]) => [
                name,
                value.replace(/(?<!\d)\d{6}(?!\d)/g, '<code>'),
              ]),
            )
          : body,
      ),
      signed: Object.keys(headers)
        .filter((name) => name.startsWith('webhook-'))
        .sort(),
    }));
    this.transcript.push({ what: 'calls', where: 'at the end', comparable: { unordered: { calls: asked } } });
    this.#agent.destroy();
  }
}

const SERIAL = { refresh_tokens: ['id'] };

/** A row with its JSON read and its serial number left out. */
function parsedRow(table, row) {
  const copy = {};
  for (const [name, value] of Object.entries(row)) {
    if (SERIAL[table]?.includes(name)) continue;
    copy[name] = value;
    if (value?.startsWith('{') || value?.startsWith('[')) {
      try {
        copy[name] = JSON.parse(value);
      } catch {
        // It only looked like JSON.
      }
    }
  }
  return copy;
}
