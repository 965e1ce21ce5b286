// Signing in through other providers, with a stand-in for Keycloak.

import { member, pkce, redirected } from '../people.mjs';

/** Lets the stand-in answer for somebody. */
function somebody(t, claims) {
  t.receiver.answer('/realm/protocol/openid-connect/token', {
    body: {
      access_token: 'provider-access',
      refresh_token: 'provider-refresh',
      token_type: 'bearer',
      expires_in: 60,
    },
  });
  t.receiver.answer('/realm/protocol/openid-connect/userinfo', { body: claims });
}

async function flow(t, query, more = {}) {
  const answer = await t.get(`/authorize?provider=keycloak${query}`, { as: `authorize ${query}` });
  const { state } = redirected(answer);
  const rest = new URLSearchParams({ state: state ?? '', code: 'a-code', ...more });
  return redirected(
    await t.get(`/callback?${rest}`, { as: `callback after ${query} ${JSON.stringify(more)}` }),
  );
}

const person = { sub: 'kc-1', name: 'Kay', email: 'kay@a.test', email_verified: true };

export default [
  {
    name: 'beginnings',
    profile: 'linking',
    async run(t) {
      await t.get('/settings');
      for (const query of [
        '',
        '?provider=',
        '?provider=x',
        '?provider=google',
        '?provider=GitHub',
        '?provider=github',
        '?provider=github&scopes=repo,gist',
        '?provider=github&scopes=repo%20gist&redirect_to=https://app.test/x&prompt=consent&client_id=evil&state=evil',
        '?provider=keycloak&redirect_to=https://evil.test',
        '?provider=keycloak&code_challenge=x',
        `?provider=keycloak&code_challenge=${pkce().challenge}&code_challenge_method=s256`,
        `?provider=keycloak&code_challenge=${pkce().challenge}&code_challenge_method=x`,
        '?provider=keycloak&invite_token=x',
        '?provider=keycloak&skip_http_redirect=true',
      ])
        await t.get(`/authorize${query}`);
      for (const query of [
        '',
        '?state=x',
        '?code=x',
        '?state=00000000-0000-0000-0000-000000000009&code=x',
        '?error=access_denied&error_description=no',
        '?error=x&state=00000000-0000-0000-0000-000000000009',
      ])
        await t.get(`/callback${query}`);
    },
  },
  {
    name: 'sign-ins',
    profile: 'linking',
    async run(t) {
      somebody(t, person);
      await flow(t, '&redirect_to=https://app.test/in');
      await flow(t, '');
      const { challenge, verifier } = pkce();
      const { code } = await flow(t, `&code_challenge=${challenge}&code_challenge_method=s256`);
      await t.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
      await flow(t, '&redirect_to=https://app.test/denied', {
        error: 'access_denied',
        error_description: 'The user said no',
      });
      await flow(t, '', { error: 'server_error' });
      await flow(t, '', { code: '' });
      const { state } = redirected(
        await t.get('/authorize?provider=keycloak', { as: 'authorize to replay' }),
      );
      await t.get(`/callback?state=${state}&code=x`, { as: 'first' });
      await t.get(`/callback?state=${state}&code=x`, { as: 'replay' });
      const late = redirected(await t.get('/authorize?provider=keycloak', { as: 'authorize too early' }));
      await t.sql(`update auth.flow_state set created_at = now() - interval '1 hour'`);
      await t.get(`/callback?state=${late.state}&code=x`, { as: 'too late' });
      somebody(t, { ...person, sub: 'kc-2', email: 'unverified@a.test', email_verified: false });
      await flow(t, '&redirect_to=https://app.test/unverified');
      somebody(t, { sub: 'kc-3', name: 'Nobody' });
      await flow(t, '&redirect_to=https://app.test/no-address');
      await member(t, 'member@a.test');
      somebody(t, { ...person, sub: 'kc-4', email: 'member@a.test' });
      await flow(t, '&redirect_to=https://app.test/linked');
      t.receiver.answer('/realm/protocol/openid-connect/token', { status: 500, body: { error: 'down' } });
      await flow(t, '&redirect_to=https://app.test/down');
      somebody(t, person);
      t.receiver.answer('/realm/protocol/openid-connect/userinfo', { status: 401, body: {} });
      await flow(t, '&redirect_to=https://app.test/refused');
      t.receiver.answer('/realm/protocol/openid-connect/userinfo', { body: 'text' });
      await flow(t, '&redirect_to=https://app.test/text');
      await t.sql(`update auth.users set banned_until = now() + interval '1 day'`);
      somebody(t, person);
      await flow(t, '&redirect_to=https://app.test/banned');
    },
  },
  {
    name: 'linking by hand',
    profile: 'linking',
    async run(t) {
      somebody(t, { ...person, sub: 'kc-9' });
      const { access_token: token, user } = await member(t, 'hand@a.test');
      const link = async (query) => {
        const answer = await t.get(
          `/user/identities/authorize?provider=keycloak&skip_http_redirect=true${query}`,
          { token, as: `link ${query}` },
        );
        const state = new URL(answer.body.url ?? 'https://none.test').searchParams.get('state');
        return t.get(`/callback?state=${state}&code=x`, { as: `callback of link ${query}` });
      };
      await t.get('/user/identities/authorize?provider=keycloak', { token });
      await t.get('/user/identities/authorize?provider=x', { token });
      await t.get('/user/identities/authorize', { token });
      await t.delete(`/user/identities/${user.identities?.[0].identity_id}`, { token });
      await t.delete('/user/identities/00000000-0000-0000-0000-000000000001', { token });
      await t.delete('/user/identities/x', { token });
      await link('');
      await link('&redirect_to=https://app.test/again');
      const { body } = await t.get('/user', { token });
      const [email, keycloak] = ['email', 'keycloak'].map(
        (name) => body.identities.find(({ provider }) => provider === name)?.identity_id,
      );
      await t.delete(`/user/identities/${keycloak}`, { token });
      await link('');
      await t.delete(`/user/identities/${email}`, { token });
      await t.get('/user', { token });
    },
  },
];
