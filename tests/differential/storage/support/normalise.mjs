// Makes answers of two storage servers comparable: what has to differ gets a name that says where it was
// first seen, so that equal values stay equal.

import { createHash } from 'node:crypto';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const VOLATILE = new RegExp(
  [
    `(?<jwt>eyJ[\\w-]+\\.eyJ[\\w-]+\\.[\\w-]*)`,
    `(?<uuid>${UUID})`,
    String.raw`(?<iso>\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?)`,
    String.raw`(?<http>[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)`,
    String.raw`(?<js>[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4} \([^)]*\))`,
    String.raw`(?<host>(?:127\.0\.0\.1|localhost):\d+)`,
    String.raw`(?<upload>(?<=/upload/resumable(?:/sign)?/)[\w-]{16,})`,
    String.raw`(?<cursor>(?<=<(?:NextContinuationToken|ContinuationToken|NextUploadIdMarker|NextKeyMarker)>)[\w=+/]{8,}(?=<))`,
    String.raw`(?<part>(?<=<UploadId>)[^<]+)`,
  ].join('|'),
  'g',
);

/** Values of these keys are opaque, whatever they look like. */
const OPAQUE = new Set(['upload_signature']);
const CURSORS = new Set(['nextCursor']);

function timeKind(text) {
  // JavaScript's form, or Postgres's in JSON, whose fraction has as many digits as it needs.
  if (/T.*\.\d{3}Z$/.test(text)) return '<time of three digits, Z>';
  return text.includes('T') ? '<time in JSON>' : '<time>';
}

export function digest(bytes) {
  return createHash('sha256').update(bytes).digest('hex').slice(0, 16);
}

export class Normaliser {
  #names = new Map();
  #folder;

  /** `folder` is where the server keeps its blobs: some messages name it. */
  constructor(folder) {
    this.#folder = folder;
  }

  #name(kind, raw, where) {
    // Numbers that scenarios choose are no accident.
    if (raw.startsWith('00000000-') || raw.startsWith('6e1a6f2c-')) return raw;
    if (!this.#names.has(raw)) {
      if (where === undefined) return `<${kind}>`;
      this.#names.set(raw, `<${kind} of ${where}>`);
    }
    return this.#names.get(raw);
  }

  /** The comparable form of a value; without `where`, values that no answer had are all alike. */
  value(value, where, key = '') {
    if (Array.isArray(value))
      return value.map((each, index) => this.value(each, where && `${where}.${index}`, key));
    if (value && typeof value === 'object')
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [
          name,
          this.value(each, where && `${where}.${name}`, name),
        ]),
      );
    if (typeof value !== 'string' || value === '') return value;
    if (OPAQUE.has(key)) return '<opaque>';
    if (CURSORS.has(key)) return this.#cursor(value, where);
    return this.text(value, where);
  }

  #cursor(text, where) {
    return { cursor: this.text(Buffer.from(text, 'base64').toString('utf8'), where) };
  }

  /** A token in its parts; its life counts, not the moment. */
  token(text, where) {
    const part = (index) => JSON.parse(Buffer.from(text.split('.')[index], 'base64url').toString('utf8'));
    try {
      const { iat, exp, ...claims } = part(1);
      const age = Math.abs(iat - Date.now() / 1000) < 120 ? 'now' : 'not now';
      return JSON.stringify([part(0), this.value(claims, where), age, exp === undefined ? null : exp - iat]);
    } catch {
      return '<no token>';
    }
  }

  /** Text with its volatile parts named. */
  text(text, where) {
    const plain = this.#folder ? text.replaceAll(this.#folder, '<folder>') : text;
    return plain.replace(VOLATILE, (found, ...rest) => {
      const groups = rest.at(-1);
      if (groups.uuid) return this.#name('uuid', found, where);
      if (groups.jwt) return this.token(found, where);
      if (groups.iso) return timeKind(found);
      if (groups.http) return '<date>';
      if (groups.js) return '<date as JavaScript shows it>';
      if (groups.host) return '<host>';
      if (groups.part) return this.#name('upload id', found, where);
      return `{${this.text(Buffer.from(found, groups.cursor ? 'base64' : 'base64url').toString('utf8'), where)}}`;
    });
  }
}
