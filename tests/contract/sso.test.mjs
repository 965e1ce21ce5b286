// Single sign-on by SAML: the published client, the gateway and an identity provider that is not ours (samlify's).

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import { platform } from '../harness.mjs';
import { IdentityProvider, serviceKey } from '../identity-provider.mjs';

let stack;
let serviceMetadata;
const acme = new IdentityProvider({ entity: 'https://idp.acme.test/metadata' });
const sealed = new IdentityProvider({ entity: 'https://idp.sealed.test/metadata', encrypted: true });

const client = (auth = {}) =>
  createClient(stack.url, stack.PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false, ...auth },
  });

const admin = (path, body) =>
  fetch(`${stack.url}/auth/v1/admin/sso/providers${path}`, {
    method: body ? 'POST' : 'GET',
    headers: {
      apikey: stack.SERVICE_ROLE_KEY,
      authorization: `Bearer ${stack.SERVICE_ROLE_KEY}`,
      'content-type': 'application/json',
    },
    body: body && JSON.stringify(body),
  });

/** What a browser does with the form that an identity provider answers: where it is sent then. */
async function post(response, relayState) {
  const answer = await fetch(`${stack.url}/sso/saml/acs`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ SAMLResponse: response, ...(relayState && { RelayState: relayState }) }),
  });
  return { status: answer.status, to: new URL(answer.headers.get('location')) };
}

const fragment = (url) => Object.fromEntries(new URLSearchParams(url.hash.slice(1)));

before(async () => {
  stack = await platform({
    auth: (url) => ({
      GOTRUE_SAML_ENABLED: 'true',
      GOTRUE_SAML_PRIVATE_KEY: serviceKey,
      GOTRUE_SAML_ALLOW_ENCRYPTED_ASSERTIONS: 'true',
      // As where Kong is in front: without the path of the service.
      GOTRUE_SAML_EXTERNAL_URL: url,
    }),
  });
  const answer = await fetch(`${stack.url}/sso/saml/metadata`);
  assert.equal(answer.headers.get('content-type'), 'application/xml');
  serviceMetadata = await answer.text();
  for (const [provider, domain] of [
    [acme, 'acme.test'],
    [sealed, 'sealed.test'],
  ]) {
    const added = await admin('', {
      type: 'saml',
      metadata_xml: provider.metadata,
      domains: [domain],
      attribute_mapping: { keys: { name: { name: 'displayName' } } },
    });
    assert.equal(added.status, 201, await added.text());
  }
});
after(() => stack?.close());

it('signs in by domain, and again as the same user', async () => {
  const users = [];
  for (const displayName of ['Ada', 'Ada Lovelace']) {
    const supabase = client();
    const { data, error } = await supabase.auth.signInWithSSO({
      domain: 'acme.test',
      options: { redirectTo: `${stack.url}/dashboard` },
    });
    assert.equal(error, null);
    const request = acme.request(data.url, serviceMetadata);
    assert.equal(request.issuer, `${stack.url}/sso/saml/metadata`);
    assert.equal(request.assertionConsumerServiceUrl, `${stack.url}/sso/saml/acs`);
    const response = await acme.respond(serviceMetadata, {
      id: request.id,
      name: 'ada@acme.test',
      attributes: { displayName },
    });
    const { status, to } = await post(response, request.relayState);
    assert.equal(status, 302);
    assert.equal(to.pathname, '/dashboard');
    const { access_token, refresh_token } = fragment(to);
    const set = await supabase.auth.setSession({ access_token, refresh_token });
    assert.equal(set.error, null);
    const { user } = (await supabase.auth.getUser()).data;
    assert.equal(user.email, 'ada@acme.test');
    assert.match(user.app_metadata.provider, /^sso:/);
    assert.equal(user.user_metadata.name, displayName);
    const { data: claims } = await supabase.auth.getClaims();
    assert.equal(claims.claims.amr[0].method, 'sso/saml');
    users.push(user.id);
  }
  assert.equal(users[0], users[1]);
});

it('exchanges a code where the client asked for one', async () => {
  const store = new Map();
  const storage = {
    getItem: (name) => store.get(name) ?? null,
    setItem: (name, value) => void store.set(name, value),
    removeItem: (name) => void store.delete(name),
  };
  const supabase = client({ flowType: 'pkce', storage, persistSession: true });
  const { data, error } = await supabase.auth.signInWithSSO({
    domain: 'acme.test',
    options: { redirectTo: `${stack.url}/auth/callback` },
  });
  assert.equal(error, null);
  const { id, relayState } = acme.request(data.url, serviceMetadata);
  const { to } = await post(await acme.respond(serviceMetadata, { id, name: 'grace@acme.test' }), relayState);
  assert.equal(to.hash, '');
  const exchanged = await supabase.auth.exchangeCodeForSession(to.searchParams.get('code'));
  assert.equal(exchanged.error, null);
  assert.equal(exchanged.data.user.email, 'grace@acme.test');
});

it('opens what a provider sealed for it', async () => {
  const { data } = await client().auth.signInWithSSO({ domain: 'sealed.test' });
  const { id, relayState } = sealed.request(data.url, serviceMetadata);
  const response = await sealed.respond(serviceMetadata, { id, name: 'edith@sealed.test' });
  const xml = Buffer.from(response, 'base64').toString();
  assert.match(xml, /EncryptedAssertion/);
  assert.doesNotMatch(xml, /edith@sealed\.test/);
  const { to } = await post(response, relayState);
  const signedIn = await client().auth.getUser(fragment(to).access_token);
  assert.equal(signedIn.data.user.email, 'edith@sealed.test');
});

it('lets a provider begin', async () => {
  const response = await acme.respond(serviceMetadata, { name: 'mary@acme.test' });
  const { to } = await post(response, `${stack.url}/coworking`);
  assert.equal(to.pathname, '/coworking');
  const signedIn = await client().auth.getUser(fragment(to).access_token);
  assert.equal(signedIn.data.user.email, 'mary@acme.test');
});

it('believes nothing that was changed, is late, is for others, or was seen before', async () => {
  const begin = async () => {
    const { data } = await client().auth.signInWithSSO({ domain: 'acme.test' });
    return acme.request(data.url, serviceMetadata);
  };
  const name = 'eve@acme.test';
  const past = new Date(Date.now() - 10 * 60_000).toISOString();
  const elsewhere = 'https://elsewhere.test/metadata';
  const attempts = {
    changed: async ({ id }) => {
      const honest = await acme.respond(serviceMetadata, { id, name: 'bob@acme.test' });
      const xml = Buffer.from(honest, 'base64').toString().replace('bob@acme.test', name);
      return Buffer.from(xml).toString('base64');
    },
    late: ({ id }) => acme.respond(serviceMetadata, { id, name, more: { ConditionsNotOnOrAfter: past } }),
    'for others': ({ id }) => acme.respond(serviceMetadata, { id, name, more: { Audience: elsewhere } }),
    'of another provider': ({ id }) => sealed.respond(serviceMetadata, { id, name }),
    'to another request': () => acme.respond(serviceMetadata, { id: '_another', name }),
  };
  for (const [what, respond] of Object.entries(attempts)) {
    const request = await begin();
    const { to } = await post(await respond(request), request.relayState);
    assert.equal(to.searchParams.get('error_code'), 'validation_failed', what);
    assert.equal(fragment(to).access_token, undefined, what);
  }
  const { id, relayState } = await begin();
  const response = await acme.respond(serviceMetadata, { id, name: 'once@acme.test' });
  assert.ok(fragment((await post(response, relayState)).to).access_token);
  const replayed = await post(response, relayState);
  assert.equal(replayed.to.searchParams.get('error_code'), 'saml_relay_state_not_found');
  assert.equal((await post(response)).to.searchParams.get('error_code'), 'validation_failed');
});

it('knows no provider of a domain that nobody added', async () => {
  const { error } = await client().auth.signInWithSSO({ domain: 'nobody.test' });
  assert.equal(error.code, 'sso_provider_not_found');
});
