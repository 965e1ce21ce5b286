// Single sign-on with SAML: its administration, and what an identity provider sends.

import { IdentityProvider } from '../../identity-provider.mjs';
import { pkce, redirected } from '../people.mjs';

const idp = new IdentityProvider();
const other = new IdentityProvider({
  entity: 'https://other.test/metadata',
  signIn: 'https://other.test/sso',
});
const MINUTE = 60_000;
const later = (minutes) => new Date(Date.now() + minutes * MINUTE).toISOString();

const SP = `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="http://auth.test/sso/saml/metadata"><SPSSODescriptor WantAssertionsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="http://auth.test/sso/saml/acs" index="1"/></SPSSODescriptor></EntityDescriptor>`;

const add = (t, more = {}, as) =>
  t.post(
    '/admin/sso/providers',
    { type: 'saml', metadata_xml: idp.metadata, domains: ['acme.test'], ...more },
    { token: t.service, as: `add ${as ?? JSON.stringify(more).slice(0, 60)}` },
  );

async function begin(t, body = { domain: 'acme.test', redirect_to: 'https://app.test/in' }) {
  const answer = await t.post('/sso', { skip_http_redirect: true, ...body });
  return idp.read(answer.body.url);
}

/** What a browser posts for an identity provider. */
const post = (t, as, response, relayState) =>
  t.send('POST', '/sso/saml/acs', {
    body: new URLSearchParams({
      ...(response !== undefined && { SAMLResponse: response }),
      ...(relayState !== undefined && { RelayState: relayState }),
    }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    as,
  });

async function signIn(t, as, said, body) {
  const { id, relayState } = await begin(t, body);
  return redirected(await post(t, as, await idp.respond(SP, { id, ...said }), relayState));
}

export default [
  {
    name: 'off',
    profile: 'plain',
    async run(t) {
      await t.post('/sso', { domain: 'acme.test' });
      await t.get('/sso/saml/metadata');
      await post(t, 'acs', 'x', 'x');
      for (const path of ['/sso/saml/acs', '/sso', '/sso/x', '/sso/saml']) await t.get(path);
      await add(t);
      await t.get('/admin/sso/providers', { token: t.service });
    },
  },
  {
    name: 'providers',
    profile: 'saml',
    async run(t) {
      const token = t.service;
      await t.get('/admin/sso/providers', { token });
      await t.get('/admin/sso/providers');
      for (const [as, wish] of Object.entries({
        nothing: { type: undefined, metadata_xml: undefined },
        'of another type': { type: 'oidc' },
        'without metadata': { metadata_xml: undefined },
        'with both kinds of metadata': { metadata_url: 'https://idp.test/metadata' },
        'at no URL': { metadata_xml: undefined, metadata_url: 'x' },
        'without TLS': { metadata_xml: undefined, metadata_url: 'http://idp.test/metadata' },
        'with a format of names that there is not': { name_id_format: 'x' },
        'that is a service provider': { metadata_xml: SP },
        'without a name': { metadata_xml: idp.metadata.replace(/ entityID="[^"]*"/, '') },
        'with domains that are no list': { domains: 'acme.test' },
      }))
        await add(t, wish, as);
      const { body } = await add(
        t,
        {
          domains: ['acme.test', 'ACME.example'],
          resource_id: 'acme-1',
          name_id_format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
          attribute_mapping: {
            keys: {
              name: { names: ['displayName', 'cn'] },
              team: { name: 'team', default: 'none' },
              groups: { name: 'groups', array: true },
            },
          },
        },
        'a whole one',
      );
      await add(t, {}, 'the same again');
      await add(t, { metadata_xml: other.metadata }, 'with the domain of another');
      await add(t, { metadata_xml: other.metadata, domains: ['acme.example'] }, 'with it in other letters');
      const path = `/admin/sso/providers/${body.id}`;
      for (const id of [
        body.id,
        'resource_acme-1',
        'resource_x',
        'resource_',
        'x',
        '00000000-0000-0000-0000-000000000001',
      ])
        await t.get(`/admin/sso/providers/${id}`, { token, as: `get ${id === body.id ? 'it' : id}` });
      for (const query of [
        '?resource_id=acme-1',
        '?resource_id=x',
        '?resource_id_prefix=acme',
        '?resource_id_prefix=x',
        '?resource_id=acme-1&resource_id_prefix=x',
      ])
        await t.get(`/admin/sso/providers${query}`, { token });
      for (const [as, wish] of Object.entries({
        nothing: {},
        'another entity': { metadata_xml: other.metadata },
        'the same metadata': { metadata_xml: idp.metadata },
        'other domains': { domains: ['acme.test', 'new.test'] },
        'no domains': { domains: [] },
        'another mapping': { attribute_mapping: { keys: { name: { name: 'cn' } } } },
        'an empty mapping': { attribute_mapping: {} },
        'another resource': { resource_id: 'acme-2' },
        'no resource': { resource_id: '' },
        disabled: { disabled: true },
        enabled: { disabled: false },
        'another format': { name_id_format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient' },
        'a wrong format': { name_id_format: 'x' },
      }))
        await t.put(path, wish, { token, as: `change: ${as}` });
      await t.put(path, { disabled: true });
      await t.delete(path);
      await t.delete(path, { token, as: 'delete' });
      await t.delete(path, { token, as: 'delete again' });
      await t.get(path, { token, as: 'get it after' });
    },
  },
  {
    name: 'beginnings',
    profile: 'saml',
    async run(t) {
      const { body: provider } = await add(t);
      for (const body of [
        {},
        { domain: 'nobody.test' },
        { domain: 'acme.test', provider_id: provider.id },
        { provider_id: '00000000-0000-0000-0000-000000000001' },
        { provider_id: 'x' },
        { domain: 'acme.test', code_challenge: 'x' },
        { domain: 'acme.test', code_challenge_method: 's256' },
        { domain: 'acme.test', code_challenge: pkce().challenge, code_challenge_method: 'x' },
        { domain: 'acme.test', skip_http_redirect: 'yes' },
      ])
        await t.post('/sso', body, {
          as: `begin with ${JSON.stringify(body).replaceAll(provider.id, 'it')}`,
        });
      for (const body of [
        { domain: 'acme.test' },
        { provider_id: provider.id, redirect_to: 'https://app.test/x' },
        { domain: 'acme.test', redirect_to: 'https://evil.test/x' },
        { domain: 'acme.test', code_challenge: pkce().challenge, code_challenge_method: 's256' },
      ]) {
        const { issuer, destination, assertionConsumerServiceUrl } = await begin(t, body);
        t.note('what the provider is asked', { issuer, destination, assertionConsumerServiceUrl });
      }
      const answer = await t.post('/sso', { domain: 'acme.test' }, { as: 'begin with a redirect' });
      t.note('the redirect has a request', /SAMLRequest=/.test(answer.headers.location));
      await t.put(
        `/admin/sso/providers/${provider.id}`,
        { disabled: true },
        { token: t.service, as: 'disable' },
      );
      await t.post('/sso', { domain: 'acme.test' }, { as: 'begin at one that is disabled' });
    },
  },
  {
    name: 'a domain that is named twice',
    profile: 'saml',
    run: (t) => add(t, { domains: ['acme.test', 'acme.test'] }),
  },
  {
    name: 'a domain in other letters',
    profile: 'saml',
    async run(t) {
      await add(t);
      await t.post('/sso', { domain: 'ACME.TEST' });
    },
  },
  {
    name: 'paths',
    profile: 'saml',
    async run(t) {
      for (const path of ['/sso', '/sso/', '/sso/x', '/sso/saml', '/sso/saml/acs', '/sso/saml/metadata/'])
        await t.get(path);
      await t.post('/sso/saml/metadata', {});
    },
  },
  {
    name: 'responses',
    profile: 'saml',
    async run(t) {
      await add(t, {
        attribute_mapping: {
          keys: { name: { name: 'displayName' }, team: { name: 'team', default: 'none' } },
        },
      });
      const ada = { name: 'ada@acme.test', attributes: { displayName: 'Ada', team: 'engines' } };
      const { access_token: token } = await signIn(t, 'first time', ada);
      await t.get('/user', { token });
      await signIn(t, 'second time', { ...ada, attributes: { displayName: 'Ada L.' } });
      await signIn(t, 'nowhere to go', ada, { domain: 'acme.test' });
      await signIn(t, 'to a stranger', ada, { domain: 'acme.test', redirect_to: 'https://evil.test' });
      await signIn(t, 'the address as an attribute', { name: 'u-17', attributes: { mail: 'x@acme.test' } });
      await signIn(t, 'another attribute', {
        ...{ name: 'u-18', attributes: { 'urn:oid:0.9.2342.19200300.100.1.3': 'y@acme.test' } },
      });
      const { challenge, verifier } = pkce();
      const { code } = await signIn(t, 'with a code', ada, {
        ...{ domain: 'acme.test', redirect_to: 'https://app.test/code' },
        ...{ code_challenge: challenge, code_challenge_method: 's256' },
      });
      await t.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
      await t.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier }, { as: 'again' });
    },
  },
  {
    name: 'responses that a provider begins',
    profile: 'saml',
    async run(t) {
      await add(t);
      const response = (name) => idp.respond(SP, { name });
      await post(t, 'with a place', await response('a@acme.test'), 'https://app.test/there');
      await post(t, 'with no place', await response('b@acme.test'), '');
      await post(t, 'without a relay state', await response('c@acme.test'));
      await post(t, 'with a place of strangers', await response('d@acme.test'), 'https://evil.test/');
      await post(t, 'with half a place', await response('e@acme.test'), 'there');
      await post(t, 'of nobody known', await other.respond(SP, { name: 'f@acme.test' }), '');
    },
  },
  {
    name: 'responses that are not believed',
    profile: 'saml',
    async run(t) {
      await add(t);
      await post(t, 'nothing');
      await post(t, 'no base64', '*', '');
      await post(t, 'no XML', Buffer.from('no XML').toString('base64'), '');
      await post(t, 'other XML', Buffer.from('<a/>').toString('base64'), '');
      await post(t, 'a relay state that there is not', 'x', '00000000-0000-0000-0000-000000000001');
      const late = await begin(t);
      await t.sql(`update auth.saml_relay_states set created_at = now() - interval '1 hour'`);
      await post(t, 'after too long', await idp.respond(SP, { id: late.id }), late.relayState);
      const past = later(-10);
      for (const [as, said] of Object.entries({
        'of another provider': {},
        'for another place': { more: { Destination: 'https://elsewhere.test/acs' } },
        'for another recipient': { more: { SubjectRecipient: 'https://elsewhere.test/acs' } },
        'for another audience': { more: { Audience: 'https://elsewhere.test/metadata' } },
        'to another request': { more: { InResponseTo: '_another' } },
        'too late': { more: { ConditionsNotOnOrAfter: past } },
        'too early': { more: { ConditionsNotBefore: later(10) } },
        'confirmed too late': { more: { SubjectConfirmationDataNotOnOrAfter: past } },
        'issued long ago': { more: { IssueInstant: past } },
        'refused there': { more: { StatusCode: 'urn:oasis:names:tc:SAML:2.0:status:Responder' } },
        'with another issuer': { more: { Issuer: 'https://other.test/metadata' } },
        'without a name': { name: '' },
        'without an address': { name: 'u-19' },
      })) {
        const { id, relayState } = await begin(t);
        const from = as === 'of another provider' ? other : idp;
        await post(t, as, await from.respond(SP, { id, ...said }), relayState);
      }
      const { id, relayState } = await begin(t);
      const honest = Buffer.from(await idp.respond(SP, { id, name: 'bob@acme.test' }), 'base64').toString();
      const changed = honest.replace('bob@acme.test', 'eve@acme.test');
      await post(t, 'changed on the way', Buffer.from(changed).toString('base64'), relayState);
      const bare = await begin(t);
      const unsigned = honest.replace(/<ds:Signature.*<\/ds:Signature>/, '').replaceAll(id, bare.id);
      await post(t, 'unsigned', Buffer.from(unsigned).toString('base64'), bare.relayState);
      const once = await begin(t);
      const used = await idp.respond(SP, { id: once.id, name: 'once@acme.test' });
      await post(t, 'once', used, once.relayState);
      await post(t, 'twice', used, once.relayState);
    },
  },
  {
    name: 'metadata',
    profile: 'saml',
    async run(t) {
      for (const query of ['', '?download=true', '?download=x']) {
        const answer = await fetch(`http://127.0.0.1:${t.port}/sso/saml/metadata${query}`);
        const xml = await answer.text();
        const all = (pattern) => [...xml.matchAll(pattern)].map(([, found]) => found);
        t.note(`metadata${query}`, {
          status: answer.status,
          headers: ['content-type', 'cache-control', 'content-disposition'].map((name) =>
            answer.headers.get(name),
          ),
          entity: all(/entityID="([^"]+)"/g),
          posts: all(/<AssertionConsumerService Binding="[^"]*HTTP-POST" Location="([^"]+)"/g),
          names: all(/<NameIDFormat>([^<]+)</g).sort(),
          keys: all(/<KeyDescriptor use="(\w+)"/g),
          years: Math.round(
            (Date.parse(all(/ validUntil="([^"]+)"/g)[0]) - Date.now()) / (365 * 24 * 60 * MINUTE),
          ),
        });
      }
    },
  },
];
