// The OAuth 2.1 server: clients, authorizations, tokens.

import { member, pkce, redirected } from '../people.mjs';

const nobody = '00000000-0000-0000-0000-000000000001';
const form = (fields) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
});
const basic = (id, secret) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});

export default [
  {
    name: 'clients',
    profile: 'oauth',
    async run(t) {
      const token = t.service;
      await t.get('/admin/oauth/clients', { token });
      for (const body of [
        {},
        { client_name: 'A' },
        { client_name: 'A', redirect_uris: [] },
        { client_name: 'A', redirect_uris: ['http://evil.test/cb'] },
        { client_name: 'A', redirect_uris: ['https://a.test/cb#frag'] },
        { client_name: 'A', redirect_uris: ['nonsense'] },
        { client_name: 'A', redirect_uris: ['http://localhost:3000/cb', 'com.app://cb'] },
        { redirect_uris: ['https://a.test/cb'] },
        {
          client_name: 'A',
          redirect_uris: Array.from({ length: 11 }, (_, index) => `https://a.test/${index}`),
        },
        { client_name: 'A', redirect_uris: ['https://a.test/cb'], client_type: 'public' },
        { client_name: 'A', redirect_uris: ['https://a.test/cb'], client_type: 'x' },
        { client_name: 'A', redirect_uris: ['https://a.test/cb'], token_endpoint_auth_method: 'none' },
        {
          client_name: 'A',
          redirect_uris: ['https://a.test/cb'],
          token_endpoint_auth_method: 'client_secret_post',
        },
        { client_name: 'A', redirect_uris: ['https://a.test/cb'], token_endpoint_auth_method: 'x' },
        {
          client_name: 'A',
          redirect_uris: ['https://a.test/cb'],
          client_type: 'public',
          token_endpoint_auth_method: 'client_secret_basic',
        },
        { client_name: 'A', redirect_uris: ['https://a.test/cb'], grant_types: ['implicit'] },
        { client_name: 'A', redirect_uris: ['https://a.test/cb'], grant_types: ['authorization_code'] },
        { client_name: 'A', redirect_uris: ['https://a.test/cb'], response_types: ['token'] },
        {
          client_name: 'A',
          redirect_uris: ['https://a.test/cb'],
          client_uri: 'https://a.test',
          logo_uri: 'https://a.test/l.png',
        },
        { client_name: 'A', redirect_uris: ['https://a.test/cb'], client_uri: 'x', logo_uri: 'y' },
        { client_name: 'x'.repeat(2000), redirect_uris: ['https://a.test/cb'] },
        { client_name: 'A', redirect_uris: 'https://a.test/cb' },
        { client_name: 'A', redirect_uris: ['https://a.test/cb'], scope: 'openid email' },
      ]) {
        await t.post('/admin/oauth/clients', body, { token });
        await t.post('/oauth/clients/register', body);
      }
      const { body: client } = await t.post(
        '/admin/oauth/clients',
        { client_name: 'B', redirect_uris: ['https://b.test/cb'] },
        { token },
      );
      for (const id of [client.client_id, nobody, 'x']) {
        await t.get(`/admin/oauth/clients/${id}`, { token });
        await t.put(`/admin/oauth/clients/${id}`, { client_name: 'C' }, { token });
        await t.put(`/admin/oauth/clients/${id}`, {}, { token });
        await t.put(`/admin/oauth/clients/${id}`, { redirect_uris: [] }, { token });
        await t.put(`/admin/oauth/clients/${id}`, { grant_types: ['x'] }, { token });
        await t.put(
          `/admin/oauth/clients/${id}`,
          { token_endpoint_auth_method: 'client_secret_post' },
          { token },
        );
        await t.post(`/admin/oauth/clients/${id}/regenerate_secret`, undefined, { token });
      }
      await t.get('/admin/oauth/clients?page=1&per_page=2', { token });
      await t.delete(`/admin/oauth/clients/${client.client_id}`, { token });
      await t.get(`/admin/oauth/clients/${client.client_id}`, { token });
      await t.delete(`/admin/oauth/clients/${nobody}`, { token });
      await t.get('/.well-known/oauth-authorization-server');
      await t.get('/.well-known/openid-configuration');
    },
  },
  {
    name: 'authorizations and tokens',
    profile: 'oauth',
    async run(t) {
      const { access_token: user } = await member(t, 'oauth@a.test', {
        data: { name: 'O', picture: 'https://a.test/p.png' },
      });
      const { access_token: stranger } = await member(t, 'stranger@a.test');
      const { body: client } = await t.post(
        '/admin/oauth/clients',
        { client_name: 'App', redirect_uris: ['https://b.test/cb', 'https://b.test/cb2'] },
        { token: t.service },
      );
      const { body: open } = await t.post(
        '/admin/oauth/clients',
        { client_name: 'Open', redirect_uris: ['https://c.test/cb'], client_type: 'public' },
        { token: t.service },
      );
      const { challenge, verifier } = pkce();
      const usual = {
        ...{ client_id: client.client_id, redirect_uri: 'https://b.test/cb', response_type: 'code' },
        ...{
          code_challenge: challenge,
          code_challenge_method: 'S256',
          state: 'a state',
          scope: 'openid email profile phone',
        },
      };
      const authorize = (more, as) =>
        t.get(`/oauth/authorize?${new URLSearchParams({ ...usual, ...more })}`, {
          as: as ?? `authorize with ${JSON.stringify(more)}`,
        });
      for (const more of [
        { client_id: nobody },
        { client_id: 'x' },
        { client_id: '' },
        { redirect_uri: 'https://evil.test' },
        { redirect_uri: '' },
        { response_type: 'token' },
        { response_type: '' },
        { code_challenge: '' },
        { code_challenge: 'short' },
        { code_challenge_method: 'x' },
        { code_challenge_method: '' },
        { scope: 'x' },
        { scope: '' },
        { scope: 'openid x' },
        { state: '' },
        { resource: 'https://api.test' },
        { resource: 'x' },
        { resource: 'https://api.test#x' },
        { nonce: 'n' },
        { prompt: 'none' },
      ])
        await authorize(more);
      await t.get('/oauth/authorize');
      const begun = redirected(await authorize({ nonce: 'a nonce' }, 'authorize'));
      const id = begun.authorization_id;
      for (const [path, token] of [
        [`/oauth/authorizations/${id}`, undefined],
        [`/oauth/authorizations/${id}`, user],
        [`/oauth/authorizations/${id}`, stranger],
        ['/oauth/authorizations/x', user],
        [`/oauth/authorizations/${nobody}`, user],
      ])
        await t.get(path, { token });
      await t.get(`/oauth/authorizations/${id}`, { token: user, headers: { origin: 'https://evil.test' } });
      for (const body of [{}, { action: 'x' }, { action: 7 }])
        await t.post(`/oauth/authorizations/${id}/consent`, body, { token: user });
      await t.post(`/oauth/authorizations/${id}/consent`, { action: 'approve' }, { token: stranger });
      const approved = await t.post(
        `/oauth/authorizations/${id}/consent`,
        { action: 'approve' },
        { token: user },
      );
      await t.post(`/oauth/authorizations/${id}/consent`, { action: 'approve' }, { token: user });
      const code = new URL(approved.body.redirect_url ?? 'https://none.test').searchParams.get('code') ?? '';
      const exchange = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: 'https://b.test/cb',
        code_verifier: verifier,
      };
      const secret = basic(client.client_id, client.client_secret);
      const ask = (fields, headers = secret, as = undefined) => {
        const { body, headers: type } = form(fields);
        return t.send('POST', '/oauth/token', {
          body,
          headers: { ...type, ...headers },
          as: as ?? `token for ${Object.keys(fields)} ${Object.keys(headers)}`,
        });
      };
      await ask({}, {});
      await ask({ ...exchange, client_id: client.client_id }, {});
      await ask(exchange, basic(client.client_id, 'wrong'), 'a wrong secret');
      await ask(exchange, basic(nobody, 'x'), 'an unknown client');
      await ask({ ...exchange, client_id: client.client_id, client_secret: client.client_secret }, {});
      await ask({ ...exchange, grant_type: 'x' }, secret, 'an unknown grant');
      await ask({ ...exchange, grant_type: 'password' }, secret, 'the password grant');
      await ask({ grant_type: 'authorization_code' });
      await ask({ ...exchange, code: 'x' }, secret, 'a wrong code');
      await ask({ ...exchange, redirect_uri: 'https://b.test/cb2' }, secret, 'another redirect URI');
      await ask({ ...exchange, code_verifier: 'b'.repeat(50) }, secret, 'a wrong verifier');
      const { body: tokens } = await ask(exchange, secret, 'the exchange');
      await ask(exchange, secret, 'the exchange again');
      await t.get('/oauth/userinfo', { token: tokens.access_token });
      await t.get('/oauth/userinfo', { token: user });
      await t.get('/oauth/userinfo');
      await t.get('/user', { token: tokens.access_token });
      await t.post('/token?grant_type=refresh_token', { refresh_token: tokens.refresh_token });
      await ask({ grant_type: 'refresh_token' });
      await ask({ grant_type: 'refresh_token', refresh_token: 'x' }, secret, 'a bad refresh token');
      const { body: fresh } = await ask(
        { grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
        secret,
        'a refresh',
      );
      await ask(
        { grant_type: 'refresh_token', refresh_token: fresh.refresh_token, client_id: open.client_id },
        {},
        'a refresh by another client',
      );
      await t.get('/user/oauth/grants', { token: user });
      const again = redirected(await authorize({}, 'authorize again'));
      await t.get(`/oauth/authorizations/${again.authorization_id}`, { token: user });
      const denied = redirected(
        await authorize(
          { client_id: open.client_id, redirect_uri: 'https://c.test/cb' },
          'authorize to deny',
        ),
      );
      await t.get(`/oauth/authorizations/${denied.authorization_id}`, { token: user });
      await t.post(
        `/oauth/authorizations/${denied.authorization_id}/consent`,
        { action: 'deny' },
        { token: user },
      );
      const public1 = redirected(
        await authorize(
          { client_id: open.client_id, redirect_uri: 'https://c.test/cb', scope: 'email' },
          'authorize a public client',
        ),
      );
      await t.get(`/oauth/authorizations/${public1.authorization_id}`, { token: user });
      const yes = await t.post(
        `/oauth/authorizations/${public1.authorization_id}/consent`,
        { action: 'approve' },
        { token: user },
      );
      const code2 = new URL(yes.body.redirect_url ?? 'https://none.test').searchParams.get('code') ?? '';
      const json = {
        grant_type: 'authorization_code',
        code: code2,
        client_id: open.client_id,
        redirect_uri: 'https://c.test/cb',
        code_verifier: verifier,
      };
      const { body: tokens2 } = await t.post('/oauth/token', json);
      await t.get('/oauth/userinfo', { token: tokens2.access_token });
      await t.delete('/user/oauth/grants', { token: user });
      await t.delete('/user/oauth/grants?client_id=x', { token: user });
      await t.delete(`/user/oauth/grants?client_id=${nobody}`, { token: user });
      await t.delete(`/user/oauth/grants?client_id=${client.client_id}`, { token: user });
      await t.get('/user/oauth/grants', { token: user });
      await t.get('/user', { token: tokens.access_token });
      const late = redirected(await authorize({}, 'authorize and wait'));
      await t.sql(
        `update auth.oauth_authorizations set expires_at = now() - interval '1 minute', created_at = now() - interval '1 hour' where status = 'pending'`,
      );
      await t.get(`/oauth/authorizations/${late.authorization_id}`, { token: user });
    },
  },
];
