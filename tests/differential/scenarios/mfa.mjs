// Second factors and passkeys, as far as they go without an authenticator.

import { member, signIn, totp } from '../people.mjs';

const nobody = '00000000-0000-0000-0000-000000000001';
const refresh = (t, token) => t.post('/token?grant_type=refresh_token', { refresh_token: token });

export default [
  {
    name: 'TOTP',
    profile: 'mfa',
    async run(t) {
      const { access_token: token, user, refresh_token: old } = await member(t, 'totp@a.test');
      const other = await signIn(t, 'totp@a.test');
      for (const body of [
        {},
        { factor_type: 'x' },
        { factor_type: 'totp', friendly_name: 7 },
        { factor_type: 'totp', friendly_name: 'First', issuer: 'Issuer & Co' },
        { factor_type: 'totp', friendly_name: 'First' },
        { factor_type: 'totp', friendly_name: 'Second', issuer: 'https://x.test/path' },
        { factor_type: 'totp', issuer: 'a:b' },
        { factor_type: 'phone' },
        { factor_type: 'phone', phone: 'x' },
        { factor_type: 'phone', phone: '+1 555 111 0040', friendly_name: 'Phone' },
        { factor_type: 'phone', phone: '15551110040' },
        { factor_type: 'webauthn' },
        { factor_type: 'webauthn', friendly_name: 'Key' },
      ])
        await t.post('/factors', body, { token });
      const { body: factor } = await t.post(
        '/factors',
        { factor_type: 'totp', friendly_name: 'Mine' },
        { token },
      );
      await t.get('/user', { token });
      const path = `/factors/${factor.id}`;
      for (const id of [nobody, 'x', factor.id.toUpperCase()]) {
        await t.post(`/factors/${id}/challenge`, {}, { token });
        await t.post(`/factors/${id}/verify`, { challenge_id: nobody, code: '000000' }, { token });
        if (id !== factor.id.toUpperCase()) await t.delete(`/factors/${id}`, { token });
      }
      const { body: challenge } = await t.post(`${path}/challenge`, undefined, { token });
      await t.send('POST', `${path}/challenge`, { body: 'x', token });
      for (const body of [
        {},
        { challenge_id: challenge.id },
        { code: '000000' },
        { challenge_id: 'x', code: '000000' },
        { challenge_id: nobody, code: '000000' },
        { challenge_id: challenge.id, code: '12345' },
        { challenge_id: challenge.id, code: 'abcdef' },
        { challenge_id: challenge.id, code: 123456 },
      ])
        await t.post(`${path}/verify`, body, { token });
      const code = totp(factor.totp.secret);
      const { body: wrongChallenge } = await t.post(`${path}/challenge`, {}, { token });
      await t.post(
        `${path}/verify`,
        { challenge_id: wrongChallenge.id, code },
        { token, headers: { 'x-forwarded-for': '203.0.113.9' } },
      );
      const { body: session } = await t.post(
        `${path}/verify`,
        { challenge_id: challenge.id, code },
        { token },
      );
      await t.post(`${path}/verify`, { challenge_id: challenge.id, code }, { token: session.access_token });
      await refresh(t, old);
      await refresh(t, other.refresh_token);
      await t.get('/user', { token: other.access_token });
      await refresh(t, session.refresh_token);
      await t.post(
        '/factors',
        { factor_type: 'totp', friendly_name: 'Third' },
        { token: session.access_token },
      );
      const low = await signIn(t, 'totp@a.test');
      await t.post('/factors', { factor_type: 'totp', friendly_name: 'Fourth' }, { token: low.access_token });
      await t.put('/user', { password: 'changed 1' }, { token: low.access_token });
      await t.put('/user', { email: 'totp2@a.test' }, { token: low.access_token });
      await t.put('/user', { phone: '15551110041' }, { token: low.access_token });
      await t.put('/user', { data: { ok: 1 } }, { token: low.access_token });
      await t.delete(path, { token: low.access_token });
      await t.get(`/admin/users/${user.id}/factors`, { token: t.service });
      await t.put(
        `/admin/users/${user.id}/factors/${factor.id}`,
        { friendly_name: 'Renamed' },
        { token: t.service },
      );
      await t.put(
        `/admin/users/${user.id}/factors/${factor.id}`,
        { phone: '15551110042' },
        { token: t.service },
      );
      await t.put(
        `/admin/users/${user.id}/factors/${factor.id}`,
        { friendly_name: '', factor_type: 'phone' },
        { token: t.service },
      );
      await t.get(`/admin/users/${user.id}`, { token: t.service });
      const second = await t.post(`${path}/challenge`, {}, { token: low.access_token });
      await t.sql(`update auth.mfa_challenges set created_at = now() - interval '1 hour'`);
      await t.post(
        `${path}/verify`,
        { challenge_id: second.body.id, code: totp(factor.totp.secret) },
        { token: low.access_token },
      );
      await t.delete(path, { token: session.access_token });
      await t.get('/user', { token: session.access_token });
      await t.post(
        '/factors',
        { factor_type: 'totp', friendly_name: 'Again' },
        { token: session.access_token },
      );
      await t.delete(`/admin/users/${user.id}/factors/${factor.id}`, { token: t.service });
    },
  },
  {
    name: 'phone factors',
    profile: 'mfa',
    async run(t) {
      const { access_token: token } = await member(t, 'sms@a.test');
      const { body: factor } = await t.post(
        '/factors',
        { factor_type: 'phone', phone: '15551110050', friendly_name: 'P' },
        { token },
      );
      await t.post('/factors', { factor_type: 'phone', phone: '15551110050', friendly_name: 'Q' }, { token });
      for (const channel of ['pigeon', 'whatsapp', 'sms'])
        await t.post(`/factors/${factor.id}/challenge`, { channel }, { token });
      const { body: challenge } = await t.post(`/factors/${factor.id}/challenge`, {}, { token });
      const code = t.receiver.calls.filter(({ path }) => path === '/hooks/send-sms').at(-1)?.body.sms?.otp;
      await t.post(`/factors/${factor.id}/verify`, { challenge_id: challenge.id, code: '000000' }, { token });
      const { body: session } = await t.post(
        `/factors/${factor.id}/verify`,
        { challenge_id: challenge.id, code },
        { token },
      );
      await t.get('/user', { token: session.access_token });
      await t.delete(`/factors/${factor.id}`, { token: session.access_token });
    },
  },
  {
    name: 'WebAuthn factors and passkeys',
    profile: 'mfa',
    async run(t) {
      const { access_token: token, user } = await member(t, 'key@a.test');
      const { body: factor } = await t.post(
        '/factors',
        { factor_type: 'webauthn', friendly_name: 'Key' },
        { token },
      );
      const path = `/factors/${factor.id}`;
      const good = { webauthn: { rpId: 'site.test', rpOrigins: ['https://site.test'] } };
      for (const body of [
        {},
        { webauthn: {} },
        { webauthn: { rpId: 'x' } },
        good,
        { webauthn: { rp_id: 'site.test', rp_origins: 'https://site.test' } },
        { webauthn: { rp_id: 'site.test', rp_origins: ['https://site.test'] } },
      ])
        await t.post(`${path}/challenge`, body, { token });
      const { body: challenge } = await t.post(`${path}/challenge`, good, { token });
      for (const body of [
        { challenge_id: challenge.id },
        { challenge_id: challenge.id, webauthn: {} },
        { challenge_id: challenge.id, webauthn: { type: 'create' } },
        { challenge_id: challenge.id, code: '123456' },
      ])
        await t.post(`${path}/verify`, body, { token });
      await t.get('/passkeys', { token });
      await t.get('/passkeys');
      await t.post('/passkeys/registration/options', undefined, { token });
      await t.post('/passkeys/registration/options', {});
      const { body: options } = await t.post('/passkeys/registration/options', {}, { token });
      for (const body of [
        {},
        { challenge_id: 'x', credential: {} },
        { challenge_id: nobody, credential: {} },
        { challenge_id: options.challenge_id },
        { challenge_id: options.challenge_id, credential: { id: 'x' } },
      ])
        await t.post('/passkeys/registration/verify', body, { token });
      await t.post('/passkeys/authentication/options');
      const { body: asked } = await t.post('/passkeys/authentication/options', {});
      for (const body of [
        {},
        { challenge_id: 'x', credential: {} },
        { challenge_id: nobody, credential: {} },
        { challenge_id: asked.challenge_id },
        { challenge_id: asked.challenge_id, credential: { id: 'x' } },
      ])
        await t.post('/passkeys/authentication/verify', body);
      for (const id of [nobody, 'x']) {
        await t.patch(`/passkeys/${id}`, { friendly_name: 'x' }, { token });
        await t.patch(`/passkeys/${id}`, { friendly_name: '' }, { token });
        await t.patch(`/passkeys/${id}`, {}, { token });
        await t.delete(`/passkeys/${id}`, { token });
      }
      await t.get(`/admin/users/${user.id}/passkeys`, { token: t.service });
      const guest = await t.post('/signup', {});
      await t.post('/passkeys/registration/options', {}, { token: guest.body.access_token });
      await t.get('/passkeys', { token: guest.body.access_token });
    },
  },
  {
    name: 'switched off',
    profile: 'mfa-off',
    async run(t) {
      const { access_token: token } = await member(t, 'off@a.test');
      for (const factor_type of ['totp', 'phone', 'webauthn'])
        await t.post(
          '/factors',
          { factor_type, phone: '15551110001', friendly_name: factor_type },
          { token },
        );
      await t.get('/passkeys', { token });
      await t.post('/passkeys/authentication/options', {});
      await t.post('/passkeys/registration/options', {}, { token });
      await t.get('/sso/saml/metadata');
      await t.post('/sso', { domain: 'a.test' });
    },
  },
];
