// Signing in with what others make: an OpenID provider (npm's oidc-provider), and Chromium's own authenticator.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import Provider from 'oidc-provider';
import { chromium } from 'playwright-core';
import { freePort, platform, root } from '../harness.mjs';
import { executablePath } from './chromium.mjs';

const CLIENT = 'marketplace';
const NONCE = 'what the app drew for this sign-in';
const SECRET = 'a secret of the client and the provider';

let stack;
let browser;
let issuer;
let server;

const client = () =>
  createClient(stack.url, stack.PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
const admin = () => createClient(stack.url, stack.SERVICE_ROLE_KEY, { auth: { persistSession: false } });

/** A page that answers, as the address of an app of somebody else's. */
const app = () => `${stack.url}/health`;

/** A provider whose endpoints are where Keycloak has them; whoever signs in there is called as they say. */
function openIdProvider(callback) {
  const at = (name) => `/protocol/openid-connect/${name}`;
  return new Provider(issuer, {
    clients: [{ client_id: CLIENT, client_secret: SECRET, redirect_uris: [callback, app()] }],
    routes: { authorization: at('auth'), token: at('token'), userinfo: at('userinfo'), jwks: at('certs') },
    cookies: { keys: ['a key for cookies'] },
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    // Its own first value for the claims of an ID token: what the scopes name, without a visit at userinfo.
    conformIdTokenClaims: false,
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({
        sub: accountId,
        name: `${accountId} of Coimbatore`,
        email: `${accountId}@idp.test`,
        email_verified: accountId !== 'eve',
      }),
    }),
  });
}

/** Signs in at the provider as a person does, and gives the address that the browser ends up at. */
async function signInThere(url, name) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('input[name=login]').fill(name);
  await page.locator('input[name=password]').fill('anything');
  await page.locator('button[type=submit]').click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL((now) => now.href.startsWith(app()));
  const ended = new URL(page.url());
  await context.close();
  return ended;
}

async function signIn(name) {
  const supabase = client();
  const { data, error } = await supabase.auth.signInWithOAuth({
    provider: 'keycloak',
    options: { skipBrowserRedirect: true, redirectTo: app(), scopes: 'openid' },
  });
  assert.equal(error, null);
  const ended = await signInThere(data.url, name);
  return { supabase, ended, fragment: Object.fromEntries(new URLSearchParams(ended.hash.slice(1))) };
}

before(async () => {
  let answer;
  server = createServer((request, response) => answer(request, response));
  const port = await freePort();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  issuer = `http://127.0.0.1:${port}`;
  let callback;
  stack = await platform({
    auth: (url) => {
      callback = `${url}/auth/v1/callback`;
      return {
        GOTRUE_EXTERNAL_KEYCLOAK_ENABLED: 'true',
        GOTRUE_EXTERNAL_KEYCLOAK_CLIENT_ID: CLIENT,
        GOTRUE_EXTERNAL_KEYCLOAK_SECRET: SECRET,
        GOTRUE_EXTERNAL_KEYCLOAK_URL: issuer,
        GOTRUE_EXTERNAL_KEYCLOAK_REDIRECT_URI: callback,
        GOTRUE_PASSKEY_ENABLED: 'true',
        GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED: 'true',
        GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED: 'true',
        GOTRUE_WEBAUTHN_RP_ID: 'localhost',
        GOTRUE_WEBAUTHN_RP_DISPLAY_NAME: 'Nilam',
        GOTRUE_WEBAUTHN_RP_ORIGINS: url.replace('127.0.0.1', 'localhost'),
      };
    },
  });
  answer = openIdProvider(callback).callback();
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
});
after(async () => {
  await browser?.close();
  await stack?.close();
  server?.closeAllConnections();
  server?.close();
});

it('signs in at an OpenID provider, and again as the same user', async () => {
  const first = await signIn('ada');
  const { data, error } = await first.supabase.auth.setSession(first.fragment);
  assert.equal(error, null);
  assert.equal(data.user.email, 'ada@idp.test');
  assert.equal(data.user.user_metadata.full_name, 'ada of Coimbatore');
  assert.deepEqual(data.user.app_metadata.providers, ['keycloak']);
  assert.ok(first.fragment.provider_token);
  const again = await signIn('ada');
  const { data: same } = await again.supabase.auth.getUser(again.fragment.access_token);
  assert.equal(same.user.id, data.user.id);
});

it('gives nobody an account for an address that the provider did not confirm', async () => {
  const { ended, fragment } = await signIn('eve');
  assert.equal(fragment.access_token, undefined);
  assert.equal(ended.searchParams.get('error_code'), 'provider_email_needs_verification');
});

it('takes an ID token of the provider, once its signature and its audience are right', async () => {
  const query = new URLSearchParams({
    ...{ client_id: CLIENT, response_type: 'code', redirect_uri: app() },
    // What the token has is the hash of what the app shows.
    nonce: createHash('sha256').update(NONCE).digest('hex'),
    scope: 'openid email profile',
  });
  const ended = await signInThere(`${issuer}/protocol/openid-connect/auth?${query}`, 'grace');
  const answer = await fetch(`${issuer}/protocol/openid-connect/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`${CLIENT}:${encodeURIComponent(SECRET)}`)}` },
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', code: ended.searchParams.get('code'), redirect_uri: app() },
    }),
  });
  const { id_token: token } = await answer.json();
  const forged = token.replace(/.{10}$/, 'AAAAAAAAAA');
  const refused = await client().auth.signInWithIdToken({
    provider: 'keycloak',
    token: forged,
    nonce: NONCE,
  });
  assert.equal(refused.data.session, null);
  const borrowed = await client().auth.signInWithIdToken({ provider: 'keycloak', token, nonce: 'another' });
  assert.match(borrowed.error.message, /nonce/i);
  const { data, error } = await client().auth.signInWithIdToken({
    provider: 'keycloak',
    token,
    nonce: NONCE,
  });
  assert.equal(error, null);
  assert.equal(data.user.email, 'grace@idp.test');
});

/** A page that has the published client and an authenticator with a finger on it: of the machine's own or plugged in. */
async function pageWithAuthenticator(transport) {
  const origin = stack.url.replace('127.0.0.1', 'localhost');
  const context = await browser.newContext();
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      ...{ protocol: 'ctap2', transport, hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  await page.route(`${origin}/blank`, (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto(`${origin}/blank`);
  const bundle = path.join(root, 'node_modules/@supabase/supabase-js/dist/umd/supabase.js');
  await page.addScriptTag({ path: bundle });
  await page.evaluate(
    ([url, key]) => {
      globalThis.client = globalThis.supabase.createClient(url, key);
    },
    [origin, stack.PUBLISHABLE_KEY],
  );
  return { page, close: () => context.close() };
}

async function member(email) {
  const password = 'a-long-password-1';
  const { data, error } = await admin().auth.admin.createUser({ email, password, email_confirm: true });
  assert.equal(error, null);
  return { email, password, id: data.user.id };
}

it('keeps a passkey of the browser, and signs in with nothing else', async () => {
  const { email, password, id } = await member('passkey@example.com');
  const { page, close } = await pageWithAuthenticator('internal');
  const kept = await page.evaluate(
    async (credentials) => {
      await client.auth.signInWithPassword(credentials);
      const { error } = await client.auth.registerPasskey();
      const { data } = await client.auth.passkey.list();
      await client.auth.signOut();
      return { error, passkeys: data?.length, session: (await client.auth.getSession()).data.session };
    },
    { email, password },
  );
  assert.deepEqual(kept, { error: null, passkeys: 1, session: null });
  const signedIn = await page.evaluate(async () => {
    const { data, error } = await client.auth.signInWithPasskey();
    return { error, id: data?.user?.id ?? data?.session?.user?.id };
  });
  assert.deepEqual(signedIn, { error: null, id });
  await close();
});

it('takes the browser’s authenticator for a second factor', async () => {
  const { email, password } = await member('factor@example.com');
  const { page, close } = await pageWithAuthenticator('usb');
  const levels = await page.evaluate(
    async (credentials) => {
      const level = async () =>
        (await client.auth.mfa.getAuthenticatorAssuranceLevel()).data?.currentLevel ?? 'none';
      await client.auth.signInWithPassword(credentials);
      const seen = [await level()];
      const registered = await client.auth.mfa.webauthn.register({ friendlyName: 'A key' });
      if (registered.error) throw registered.error;
      await client.auth.signOut();
      await client.auth.signInWithPassword(credentials);
      seen.push(await level());
      const { data } = await client.auth.mfa.listFactors();
      const [factor] = data.all.filter((each) => each.factor_type === 'webauthn');
      const proven = await client.auth.mfa.webauthn.authenticate({ factorId: factor.id });
      if (proven.error) throw proven.error;
      seen.push(await level());
      return seen;
    },
    { email, password },
  );
  assert.deepEqual(levels, ['aal1', 'aal1', 'aal2']);
  await close();
});
