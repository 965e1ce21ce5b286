// One database, first under GoTrue, then under auth-svc, then under GoTrue again, and the other way round: what one made works under the
// other. Also: what pg_dump says of the schema that each makes.
//
// GOTRUE_BIN and AUTH_SVC_BIN are the two programs; `with-postgres` gives the server.

import assert from 'node:assert/strict';
import path from 'node:path';

import { Authenticator } from './authenticator.mjs';
import { PASSWORD, totp } from './people.mjs';
import { profiles } from './profiles.mjs';
import { assertSame, statementsOf } from './schema.mjs';
import { Server } from './servers.mjs';
import { Side } from './side.mjs';

const programs = {
  GoTrue: path.resolve(process.env.GOTRUE_BIN ?? ''),
  'auth-svc': path.resolve(process.env.AUTH_SVC_BIN ?? 'target/debug/auth-svc'),
};
const ORIGIN = 'https://site.test';
const MASTER = Buffer.alloc(32, 7).toString('base64url');

const kinds = {
  'opaque refresh tokens': {},
  'signed refresh tokens, encrypted columns': {
    GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION: '2',
    GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPT: 'true',
    GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY_ID: 'first',
    GOTRUE_SECURITY_DB_ENCRYPTION_ENCRYPTION_KEY: MASTER,
    GOTRUE_SECURITY_DB_ENCRYPTION_DECRYPTION_KEYS: `first:${MASTER}`,
  },
};

function ok(answer, what) {
  assert.ok(answer.status >= 200 && answer.status < 300, `${what}: ${answer.status} ${answer.text}`);
  return answer.body;
}

const refresh = (t, token) => t.post('/token?grant_type=refresh_token', { refresh_token: token });
const signIn = async (t, email) =>
  ok(await t.post('/token?grant_type=password', { email, password: PASSWORD }), `sign-in of ${email}`);

/** Proves a factor by its code; gives the lifted session. */
async function lift(t, token, factor) {
  const challenge = ok(await t.post(`/factors/${factor.id}/challenge`, {}, { token }), 'challenge');
  const body = { challenge_id: challenge.id, code: totp(factor.secret) };
  return ok(await t.post(`/factors/${factor.id}/verify`, body, { token }), 'TOTP');
}

const relyingParty = { rpId: 'site.test', rpOrigins: [ORIGIN] };

/** Makes or proves a WebAuthn factor. */
async function touch(t, token, factor, authenticator) {
  const asked = await t.post(`/factors/${factor}/challenge`, { webauthn: relyingParty }, { token });
  const { id, webauthn } = ok(asked, 'WebAuthn challenge');
  const options = webauthn.credential_options.publicKey;
  const credential_response =
    webauthn.type === 'create' ? authenticator.create(options) : authenticator.get(options);
  const body = { challenge_id: id, webauthn: { ...relyingParty, type: webauthn.type, credential_response } };
  return ok(await t.post(`/factors/${factor}/verify`, body, { token }), `WebAuthn ${webauthn.type}`);
}

/** Everything that a project has, made under one server. */
async function make(t, name) {
  const at = (part) => `${part}-${name.toLowerCase()}@a.test`;
  const made = { name };
  const signUp = async (part) =>
    ok(await t.post('/signup', { email: at(part), password: PASSWORD, data: { name: part } }), part);

  made.password = { email: at('password'), session: await signUp('password') };
  const chain = await signIn(t, at('password'));
  made.chain = { lost: chain.refresh_token };
  made.chain.answer = ok(await refresh(t, chain.refresh_token), 'refresh').refresh_token;

  const app = await signUp('app');
  const enrolled = ok(
    await t.post('/factors', { factor_type: 'totp', friendly_name: 'app' }, { token: app.access_token }),
    'enrolling',
  );
  made.totp = { email: at('app'), id: enrolled.id, secret: enrolled.totp.secret };
  made.totp.session = await lift(t, app.access_token, made.totp);

  const key = await signUp('key');
  const factor = ok(
    await t.post('/factors', { factor_type: 'webauthn', friendly_name: 'key' }, { token: key.access_token }),
    'enrolling a key',
  );
  made.key = { email: at('key'), id: factor.id, authenticator: new Authenticator() };
  await touch(t, key.access_token, factor.id, made.key.authenticator);

  const holder = await signUp('passkey');
  const token = holder.access_token;
  const begun = ok(await t.post('/passkeys/registration/options', {}, { token }), 'passkey options');
  made.passkey = { user: holder.user.id, authenticator: new Authenticator() };
  const credential = made.passkey.authenticator.create(begun.options);
  const registered = { challenge_id: begun.challenge_id, credential };
  ok(await t.post('/passkeys/registration/verify', registered, { token }), 'passkey');

  await signUp('forgetful');
  ok(await t.post('/recover', { email: at('forgetful') }), 'recovery');
  made.recovery = { email: at('forgetful'), hash: (await t.mail(at('forgetful'))).hash };

  made.guest = ok(await t.post('/signup', { data: { guest: true } }), 'guest');
  const phone = name === 'GoTrue' ? '15550000001' : '15550000002';
  ok(await t.post('/otp', { phone }), 'text message');
  const code = name === 'GoTrue' ? '123456' : '654321';
  made.phone = ok(await t.post('/verify', { type: 'sms', phone, token: code }), 'phone');

  const body = {
    email: at('admin-made'),
    password: PASSWORD,
    email_confirm: true,
    app_metadata: { plan: 'pro' },
  };
  made.admin = ok(await t.post('/admin/users', body, { token: t.service }), 'administrator').id;
  return made;
}

/** All of it works under this server, too. */
async function check(t, made) {
  for (const session of [made.password.session, made.guest, made.phone, made.totp.session]) {
    const user = ok(await t.get('/user', { token: session.access_token }), 'access token');
    assert.equal(user.id, session.user.id);
    const next = ok(await refresh(t, session.refresh_token), 'refresh token');
    assert.equal(next.user.id, session.user.id);
    Object.assign(session, { access_token: next.access_token, refresh_token: next.refresh_token });
  }
  const again = ok(await refresh(t, made.chain.lost), 'a refresh whose answer was lost');
  assert.equal(again.refresh_token, made.chain.answer);
  await signIn(t, made.password.email);

  const { access_token: first } = await signIn(t, made.totp.email);
  made.totp.session = await lift(t, first, made.totp);

  const { access_token: token } = await signIn(t, made.key.email);
  await touch(t, token, made.key.id, made.key.authenticator);

  const asked = ok(await t.post('/passkeys/authentication/options', {}), 'passkey options');
  const credential = made.passkey.authenticator.get(asked.options);
  const signedIn = await t.post('/passkeys/authentication/verify', {
    challenge_id: asked.challenge_id,
    credential,
  });
  assert.equal(ok(signedIn, 'passkey').user.id, made.passkey.user);

  if (made.recovery) {
    const { hash } = made.recovery;
    ok(await t.post('/verify', { type: 'recovery', token_hash: hash }), 'a link from before');
    delete made.recovery;
  }
  const found = ok(await t.get(`/admin/users/${made.admin}`, { token: t.service }), 'administrator');
  assert.equal(found.app_metadata.plan, 'pro');
  const listed = ok(await t.get('/admin/users?per_page=100', { token: t.service }), 'list');
  assert.ok(listed.users.length >= 8);
}

async function handOvers(first, second) {
  let steps = 0;
  for (const [kind, more] of Object.entries(kinds)) {
    const server = new Server(first === 'GoTrue' ? 'theirs' : 'ours', programs[first]);
    await server.prepare(profiles.plain.settings);
    try {
      await server.start(kind.split(' ')[0], { ...profiles.mfa.settings, ...more });
      const made = [];
      for (const [index, name] of [first, second, first, second].entries()) {
        if (index > 0) await server.handOver(programs[name]);
        const side = new Side(server);
        for (const earlier of made) await check(side, earlier);
        if (index < 2) made.push(await make(side, name));
        steps += made.length;
        console.log(`${kind}: what ${made.map((each) => each.name).join(' and ')} made works under ${name}`);
      }
    } finally {
      await server.stop();
      await server.drop();
    }
  }
  return steps;
}

async function dump(name) {
  const server = new Server(name === 'GoTrue' ? 'theirs' : 'ours', programs[name]);
  await server.prepare(profiles.plain.settings);
  const statements = statementsOf(server.templateUrl(), 'auth');
  await server.drop();
  return statements;
}

/** The one table that we have and GoTrue has not. */
const EXTRA = /\bauth\.rate_limit_buckets\b/;

async function compareSchemas() {
  const [theirs, ours] = [await dump('GoTrue'), await dump('auth-svc')];
  assertSame(theirs, ours, { name: 'GoTrue', extra: EXTRA });
}

if (!process.env.GOTRUE_BIN) throw new Error('GOTRUE_BIN is not set; CONTRIBUTING.md says how to build it');
await compareSchemas();
await handOvers('GoTrue', 'auth-svc');
await handOvers('auth-svc', 'GoTrue');
