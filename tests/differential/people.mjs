// Ways to become somebody.

import { createHash, createHmac } from 'node:crypto';

export const PASSWORD = 'correct horse 1';

/** A confirmed user with a session, where addresses are confirmed by mail. */
export async function confirmed(t, email, more = {}) {
  await t.post('/signup', { email, password: PASSWORD, ...more });
  const mail = await t.mail(email);
  return (await t.post('/verify', { type: 'signup', token_hash: mail.hash })).body;
}

/** A user with a session, where nothing needs to be confirmed. */
export async function member(t, email, more = {}) {
  return (await t.post('/signup', { email, password: PASSWORD, ...more })).body;
}

/** A session of a user with a password. */
export async function signIn(t, email, password = PASSWORD) {
  return (await t.post('/token?grant_type=password', { email, password })).body;
}

/** A PKCE pair. */
export function pkce(verifier = 'a'.repeat(50)) {
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** The code that an authenticator app shows now for a secret in base32. */
export function totp(secret, steps = 0) {
  const bits = [...secret.replace(/=+$/, '')]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const digest = createHmac('sha1', key).update(counter).digest();
  const number = digest.readUInt32BE(digest[19] & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** The parameters of a redirect, of its query and its fragment. */
export function redirected(answer) {
  const [, query = '', fragment = ''] =
    (answer.headers.location ?? '').match(/^[^?#]*(?:\?([^#]*))?(?:#(.*))?$/s) ?? [];
  return Object.fromEntries([...new URLSearchParams(query), ...new URLSearchParams(fragment)]);
}
