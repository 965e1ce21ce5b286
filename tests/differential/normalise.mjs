// Makes answers of two servers comparable: what has to differ gets a name that says where it was first seen.

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
const TIME = String.raw`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)?`;
const JWT = /^(eyJ[\w-]+)\.([\w-]+)\.([\w-]*)$/;
const VOLATILE = new RegExp(
  [
    `(?<jwt>eyJ[\\w-]+\\.eyJ[\\w-]+\\.[\\w-]+)`,
    `(?<uuid>${UUID})`,
    `(?<hash>(?<![0-9A-Za-z_])(?:pkce_)?[0-9a-f]{56}\\b)`,
    `(?<time>${TIME})`,
    `(?<bcrypt>\\$2[aby]\\$10\\$[./A-Za-z0-9]{53})`,
    `(?<after>after \\d+ seconds)`,
    `(?<port>(?<=127\\.0\\.0\\.1:)\\d+)`,
  ].join('|'),
  'g',
);
/** Values of these keys are drawn by chance, whatever they look like. */
const RANDOM = new Set(
  `refresh_token token parent code auth_code otp otp_code email_otp secret client_secret challenge userHandle
   sb-auth-refresh-token-prefix authorization_code authorization_id client_secret_hash state code_challenge
   token_new webhook-id webhook-signature refresh_token_hmac_key error_id phone_otp
   SAMLRequest Signature request_id`.split(/\s+/),
);
/** Unix times. */
const INSTANTS = new Set(`iat exp expires_at timestamp nbf auth_time expires updated_at`.split(' '));
const HIDDEN = { qr_code: '<svg>' };

export class Normaliser {
  #names = new Map();
  #where = '';

  /** The comparable form of a value; new random values are named after the place. */
  value(value, where) {
    this.#where = where;
    return this.#walk(value, where, '');
  }

  /** The comparable form of a row or a call: random values that no answer had are all alike. */
  known(value) {
    this.#where = undefined;
    return this.#walk(value, undefined, '');
  }

  #name(kind, raw, where) {
    if (raw.startsWith('00000000-')) return raw;
    if (!this.#names.has(raw)) {
      if (where === undefined) return `<${kind}>`;
      this.#names.set(raw, `<${kind} of ${where}>`);
    }
    return this.#names.get(raw);
  }

  #walk(value, where, key) {
    if (Array.isArray(value) && key === 'factors') {
      const list = value.map((each) => this.#walk(each, where && `${where}.${key}`, ''));
      return list.sort((a, b) => (a.id < b.id ? -1 : 1));
    }
    if (Array.isArray(value) && key === 'amr') {
      // Those of one second have no order, and a second may pass on one side alone.
      const byMethod = (a, b) => (a.method < b.method ? -1 : 1);
      return value.toSorted(byMethod).map((each) => this.#walk(each, where, ''));
    }
    if (Array.isArray(value))
      return value.map((each, index) => this.#walk(each, where && `${where}.${index}`, key));
    if (value && typeof value === 'object') {
      const names = Object.keys(value).sort();
      return Object.fromEntries(
        names.map((name) => [name, this.#walk(value[name], where && `${where}.${name}`, name)]),
      );
    }
    // A second may pass meanwhile.
    if (key === 'expires_in') return `<about ${Math.round(value / 5) * 5} s>`;
    if (typeof value === 'number' && INSTANTS.has(key) && value > 1e9)
      return `<now ${Math.round((value - Date.now() / 1000) / 60)} min>`;
    if (typeof value !== 'string' || value === '') return value;
    if (key in HIDDEN) return HIDDEN[key];
    if (INSTANTS.has(key) && /^\d{10}$/.test(value)) return this.#walk(Number(value), where, key);
    if (key === 'id' || key === 'user_id') {
      const inner = Buffer.from(value, 'base64url').toString('utf8');
      if (new RegExp(`^${UUID}$`).test(inner)) return { base64: this.#name('uuid', inner, where) };
    }
    if (/^[\w-]{43}$/.test(value)) return '<32 bytes>';
    if (/phone/.test(key) && /^[\w-]{15}$/.test(value) && /[A-Za-z]/.test(value)) return '<part of 32 bytes>';
    const token = value.match(JWT);
    if (token) return this.#token(token, where);
    if (RANDOM.has(key) && value !== '200' && !/^\w+_\w+$/.test(value) && !/^[1-9]\d\d$/.test(value))
      return this.#name(key, value, where);
    return this.text(value, where);
  }

  #token([, header, claims], where) {
    const part = (text) => JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    try {
      return { jwt: this.#walk(part(header), where, ''), claims: this.#walk(part(claims), where, '') };
    } catch {
      return '<no JWT>';
    }
  }

  /** Text with the volatile parts named. */
  text(text, where = this.#where) {
    return text.replace(VOLATILE, (found, ...rest) => {
      const groups = rest.at(-1);
      if (groups.uuid) return this.#name('uuid', found, where);
      if (groups.hash) return this.#name(found.startsWith('pkce_') ? 'pkce hash' : 'hash', found, where);
      if (groups.jwt) return '<jwt>';
      if (groups.time) return '<time>';
      if (groups.bcrypt) return '<bcrypt>';
      if (groups.after) return 'after N seconds';
      return '<port>';
    });
  }

  /** A URL in parts, with its query and its fragment as maps. */
  url(text, where) {
    const match = text.match(/^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s);
    const pairs = (part) =>
      part === undefined
        ? undefined
        : this.value(Object.fromEntries(new URLSearchParams(part).entries()), where);
    return { base: this.text(match[1], where), query: pairs(match[2]), fragment: pairs(match[3]) };
  }
}

/** Where two comparable values differ: `[path, theirs, ours]` each. */
export function differences(theirs, ours, path = '') {
  if (theirs === ours) return [];
  const both = [theirs, ours];
  if (
    both.every((each) => each && typeof each === 'object') &&
    Array.isArray(theirs) === Array.isArray(ours)
  ) {
    const keys = new Set([...Object.keys(theirs), ...Object.keys(ours)]);
    return [...keys].flatMap((key) =>
      differences(theirs[key], ours[key], path === '' ? key : `${path}.${key}`),
    );
  }
  return [[path, theirs, ours]];
}

/** Where two lists without an order differ: what both have is left out, and what is most alike is compared. */
export function unorderedDifferences(theirs = [], ours = [], path = '') {
  const texts = ours.map((each) => JSON.stringify(each));
  const theirRest = theirs.filter((each) => {
    const index = texts.indexOf(JSON.stringify(each));
    if (index >= 0) texts.splice(index, 1);
    return index < 0;
  });
  const ourRest = texts.map((text) => JSON.parse(text));
  const found = [];
  for (const their of theirRest) {
    const tried = ourRest.map((our) => differences(their, our, path));
    const best = Math.min(...tried.map((each) => each.length));
    const index = tried.findIndex((each) => each.length === best);
    if (index < 0 || best * 2 > Object.keys(their).length) found.push([path, their, undefined]);
    else {
      found.push(...tried[index]);
      ourRest.splice(index, 1);
    }
  }
  return found.concat(ourRest.map((our) => [path, undefined, our]));
}
