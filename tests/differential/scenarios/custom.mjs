// Providers that administrators add. Those on loopback are out of their reach, so nobody gets as far as a session here.

import { pkce, redirected } from '../people.mjs';

const PATH = '/admin/custom-providers';
const AT = 'https://93.184.216.34';
const oauth2 = {
  ...{ provider_type: 'oauth2', identifier: 'custom:team', name: 'The team', client_id: 'a-client' },
  ...{ client_secret: 'a-secret', scopes: ['profile', 'email'] },
  ...{ authorization_url: `${AT}/authorize`, token_url: `${AT}/token`, userinfo_url: `${AT}/userinfo` },
};
const oidc = {
  ...{ provider_type: 'oidc', identifier: 'custom:idp', name: 'The IdP', client_id: 'a-client' },
  ...{ client_secret: 'a-secret', issuer: 'https://nowhere.invalid' },
};

const add = (t, wish, as) => t.post(PATH, wish, { token: t.service, as: `add ${as}` });

export default [
  {
    name: 'administration',
    profile: 'custom',
    async run(t) {
      const token = t.service;
      await t.get(PATH);
      await t.get(PATH, { token });
      await t.get(`${PATH}?type=saml`, { token });
      for (const [as, more] of Object.entries({
        'of another type': { provider_type: 'saml' },
        'of no type': { provider_type: undefined },
        'without an identifier': { identifier: '' },
        'with an identifier of others': { identifier: 'google' },
        'without a name': { name: '' },
        'without a client': { client_id: '' },
        'without a secret': { client_secret: '' },
        'without an address to go to': { authorization_url: '' },
        'without an address of tokens': { token_url: undefined },
        'without an address of users': { userinfo_url: '' },
        'with a parameter that is ours': { authorization_params: { state: 'x' } },
        'with a nonce': { authorization_params: { nonce: 'x' } },
        'with a parameter that is a number': { authorization_params: { prompt: 1 } },
        'with a role': { attribute_mapping: { role: 'admin' } },
        'with a verified address': { attribute_mapping: { email_verified: 'yes' } },
        'with an empty claim': { custom_claims_allowlist: [' '] },
        'without TLS': { token_url: 'http://93.184.216.34/token' },
        'that is no URL': { token_url: 'token' },
        'without a host': { token_url: 'https:///token' },
        'on this machine': { token_url: 'https://localhost/token' },
        'below this machine': { token_url: 'https://a.localhost/token' },
        'on loopback': { token_url: 'https://127.0.0.2/token' },
        'on loopback in IPv6': { token_url: 'https://[::1]/token' },
        'in a private network': { token_url: 'https://10.1.2.3/token' },
        'in a private network of IPv6': { token_url: 'https://[fd00::1]/token' },
        'at the metadata of a cloud': { userinfo_url: 'https://169.254.169.254/' },
        'at everybody': { userinfo_url: 'https://224.0.0.1/' },
        'at nobody': { userinfo_url: 'https://0.0.0.0/' },
        'with keys nearby': { jwks_uri: 'https://192.168.1.1/keys' },
        'at a name that there is not': { token_url: 'https://nowhere.invalid/token' },
        'whose scopes are no list': { scopes: 'profile' },
      }))
        await add(t, { ...oauth2, ...more }, as);
      for (const [as, more] of Object.entries({
        'without an issuer': { issuer: '' },
        'whose issuer cannot be found': {},
        'whose issuer is near': { issuer: 'https://10.0.0.1' },
        'whose discovery is near': { issuer: AT, discovery_url: 'https://10.0.0.1/x' },
      }))
        await add(t, { ...oidc, ...more }, `OIDC ${as}`);
      await add(t, oauth2, 'a plain one');
      await add(t, oauth2, 'it again');
      await add(
        t,
        {
          ...oauth2,
          ...{
            identifier: 'custom:whole',
            acceptable_client_ids: ['b'],
            pkce_enabled: false,
            enabled: false,
          },
          ...{ email_optional: true, jwks_uri: `${AT}/keys`, attribute_mapping: { nickname: 'login' } },
          ...{ authorization_params: { prompt: 'consent' }, custom_claims_allowlist: ['groups'] },
        },
        'a whole one',
      );
      await add(t, { ...oauth2, identifier: 'custom:third' }, 'one too many');
      for (const query of ['', '?type=oauth2', '?type=oidc']) await t.get(`${PATH}${query}`, { token });
      for (const name of ['custom:team', 'custom:none', 'team', 'custom%3Ateam'])
        await t.get(`${PATH}/${name}`, { token });
      for (const [as, wish] of Object.entries({
        nothing: {},
        'a name': { name: 'Others' },
        'an empty name': { name: '' },
        'a secret': { client_secret: 'new' },
        'other scopes': { scopes: [] },
        'another type': { provider_type: 'oidc' },
        'another identifier': { identifier: 'custom:other' },
        'a parameter that is ours': { authorization_params: { redirect_uri: 'x' } },
        'a mapping': { attribute_mapping: { id: 'x' } },
        'a claim': { custom_claims_allowlist: [''] },
        'a near address': { token_url: 'https://10.0.0.1/token' },
        'another address': { token_url: `${AT}/t2`, jwks_uri: `${AT}/k2` },
        disabled: { enabled: false, pkce_enabled: false, email_optional: true },
      }))
        await t.put(`${PATH}/custom:team`, wish, { token, as: `change: ${as}` });
      await t.put(`${PATH}/custom:none`, {}, { token });
      await t.put(`${PATH}/team`, {}, { token });
      await t.delete(`${PATH}/custom:none`, { token });
      await t.delete(`${PATH}/team`, { token });
      await t.delete(`${PATH}/custom:team`, { token });
      await t.delete(`${PATH}/custom:team`, { token, as: 'delete again' });
      await t.get(PATH, { token, as: 'what is left' });
    },
  },
  {
    name: 'on the way',
    profile: 'custom',
    async run(t) {
      await add(t, { ...oauth2, authorization_params: { prompt: 'consent' } }, 'a plain one');
      await add(t, { ...oauth2, identifier: 'custom:off', enabled: false }, 'one that is off');
      const { challenge } = pkce();
      for (const query of [
        '?provider=custom:team',
        '?provider=custom:team&redirect_to=https://app.test/x&scopes=repo',
        '?provider=custom:team&redirect_to=https://evil.test/x',
        `?provider=custom:team&code_challenge=${challenge}&code_challenge_method=s256`,
        '?provider=custom:off',
        '?provider=custom:none',
        '?provider=custom:',
      ])
        await t.get(`/authorize${query}`);
      const denied = redirected(await t.get('/authorize?provider=custom:team', { as: 'to be denied' }));
      await t.get(`/callback?state=${denied.state}&error=access_denied&error_description=no`, {
        as: 'denied',
      });
      const gone = redirected(await t.get('/authorize?provider=custom:team', { as: 'to be removed' }));
      await t.delete(`${PATH}/custom:team`, { token: t.service });
      await t.get(`/callback?state=${gone.state}&code=x`, { as: 'removed meanwhile' });
      await t.post('/token?grant_type=id_token', { provider: 'custom:team', id_token: 'x' });
      await t.post('/token?grant_type=id_token', { provider: 'custom:none', id_token: 'x' });
    },
  },
  {
    name: 'off',
    profile: 'custom-off',
    async run(t) {
      await t.get(PATH, { token: t.service });
      await add(t, oauth2, 'a plain one');
      await t.get('/authorize?provider=custom:team');
    },
  },
];
