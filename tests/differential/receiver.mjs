// What a project has on its own servers: hooks, mail templates and an identity provider. All on loopback. As a proxy it answers for
// hosts elsewhere, whose calls and answers have the host before the path.

import { once } from 'node:events';
import { createServer } from 'node:http';
import { TLSSocket } from 'node:tls';

import { credentials } from './certificate.mjs';

/** Shows all that a template is given. */
const TEMPLATE = `<p>plain: {{ .Token }} {{ .TokenHash }} <a href="{{ .ConfirmationURL }}">go</a> {{ .SiteURL }} {{ .Email }}
{{ .NewEmail }} {{ .SendingTo }} {{ .RedirectTo }} {{ .Data.name }} {{ if .Data.name }}named{{ else }}unnamed{{ end }}</p>`;

/** Answers requests by path, and keeps what it was asked. */
export class Receiver {
  #server;
  #answers = new Map();
  calls = [];

  async listen() {
    this.#server = createServer((request, response) => this.#serve(request, response));
    this.#server.on('connect', (_, socket) => {
      socket.on('error', () => {});
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      const inner = new TLSSocket(socket, { isServer: true, ...credentials });
      inner.on('error', () => {});
      this.#server.emit('connection', inner);
    });
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = this.#server.address().port;
    this.url = `http://127.0.0.1:${this.port}`;
    return this;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  /** What a path answers from now on: `{status, headers, body}`, or a function of the call. */
  answer(path, what) {
    this.#answers.set(path, what);
  }

  /** Forgets calls and answers; gives the calls that there were. */
  empty() {
    this.#answers.clear();
    return this.calls.splice(0);
  }

  async #serve(request, response) {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString('utf8');
    const url = new URL(request.url, this.url);
    const host = request.socket instanceof TLSSocket ? request.headers.host : '';
    const call = {
      method: request.method,
      path: `${host}${url.pathname}`,
      query: url.search,
      headers: request.headers,
    };
    try {
      call.body = JSON.parse(text);
    } catch {
      call.body = text;
    }
    this.calls.push(call);
    const usual = url.pathname.startsWith('/templates/') ? TEMPLATE : {};
    const found = this.#answers.get(call.path) ?? { body: usual };
    const { status = 200, headers = {}, body } = typeof found === 'function' ? found(call) : found;
    const isText = typeof body === 'string';
    response.writeHead(status, { 'content-type': isText ? 'text/plain' : 'application/json', ...headers });
    response.end(body === undefined ? undefined : isText ? body : JSON.stringify(body));
  }
}
