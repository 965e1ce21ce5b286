// A mail server that keeps what it is given, and reads codes and links out of it.

import { once } from 'node:events';
import { createServer } from 'node:net';

import { until } from '../harness.mjs';

/** Quoted-printable and base64 are all that the servers use. */
function decode(text, encoding) {
  if (encoding === 'base64') return Buffer.from(text, 'base64').toString('utf8');
  if (encoding !== 'quoted-printable') return text;
  const bytes = text
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

/** A header line may be folded, and its text encoded. */
function headersOf(text) {
  const headers = {};
  for (const line of text.replace(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const [name, ...rest] = line.split(':');
    headers[name.toLowerCase()] = rest
      .join(':')
      .trim()
      .replace(/=\?utf-8\?(q|b)\?(.*?)\?=\s*/gi, (_, kind, word) =>
        kind.toLowerCase() === 'b'
          ? decode(word, 'base64')
          : decode(word.replaceAll('_', ' '), 'quoted-printable'),
      );
  }
  return headers;
}

/** The part of a mail that people read: its HTML where there is some. */
function contentOf(raw) {
  const end = raw.indexOf('\r\n\r\n');
  const headers = headersOf(raw.slice(0, end));
  const content = raw.slice(end + 4);
  const boundary = headers['content-type']?.match(/boundary="?([^";]+)/)?.[1];
  if (!boundary) {
    const type = headers['content-type'] ?? '';
    return { headers, type, text: decode(content, headers['content-transfer-encoding']?.toLowerCase()) };
  }
  const parts = content
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => contentOf(part.replace(/^\r\n/, '')));
  const best = parts.find((part) => part.type.startsWith('text/html')) ?? parts[0];
  return { headers, type: best.type, text: best.text };
}

function mailOf(from, to, raw) {
  const { headers, text } = contentOf(raw);
  const links = [...text.matchAll(/href="([^"]+)"/g)].map(([, link]) => link.replaceAll('&amp;', '&'));
  const link = links[0] && new URL(links[0]);
  return {
    from,
    to,
    subject: headers.subject,
    headers,
    text,
    links,
    hash: link?.searchParams.get('token') ?? text.match(/\b(pkce_)?[0-9a-f]{56}\b/)?.[0],
    code: text.replace(/href="[^"]+"/g, '').match(/\b\d{6}\b/)?.[0],
  };
}

export class Mailbox {
  #server;
  #read = new Map();
  mails = [];

  async listen() {
    this.#server = createServer((socket) => this.#serve(socket)).listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    this.port = this.#server.address().port;
    return this;
  }

  close() {
    this.#server.close();
  }

  /** Forgets all mails; gives those that there were. */
  empty() {
    this.#read.clear();
    return this.mails.splice(0);
  }

  /** The next mail to an address that was not taken yet. */
  async next(address) {
    const seen = this.#read.get(address) ?? 0;
    const mail = await until(
      `a mail to ${address}`,
      () => this.mails.filter((each) => each.to === address)[seen],
      4000,
    );
    this.#read.set(address, seen + 1);
    return mail;
  }

  #serve(socket) {
    let from;
    let to = [];
    let data;
    let rest = '';
    const say = (line) => socket.write(`${line}\r\n`);
    const command = (line) => {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'EHLO') socket.write('250-sink\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n');
      else if (verb === 'MAIL') {
        from = line.match(/<(.*?)>/)?.[1];
        to = [];
        say('250 ok');
      } else if (verb === 'RCPT') {
        to.push(line.match(/<(.*?)>/)?.[1]);
        say('250 ok');
      } else if (verb === 'DATA') {
        data = [];
        say('354 go on');
      } else if (verb === 'QUIT') {
        say('221 bye');
        socket.end();
      } else say('250 ok');
    };
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1');
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end);
        rest = rest.slice(end + 2);
        if (!data) command(line);
        else if (line === '.') {
          const raw = Buffer.from(data.join('\r\n'), 'latin1').toString('utf8');
          for (const each of to) this.mails.push(mailOf(from, each, raw));
          data = undefined;
          say('250 kept');
        } else data.push(line.startsWith('..') ? line.slice(1) : line);
      }
    });
    say('220 sink');
  }
}
