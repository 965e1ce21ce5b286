// WebAuthn with an authenticator: as a second factor and as a passkey.

import { Authenticator } from '../authenticator.mjs';
import { member, signIn } from '../people.mjs';

const relying = { rpId: 'site.test', rpOrigins: ['https://site.test'] };

async function challenge(t, factor, token) {
  const { body } = await t.post(`/factors/${factor}/challenge`, { webauthn: relying }, { token });
  return { id: body.id, options: body.webauthn?.credential_options?.publicKey ?? {} };
}

const answer = (type, credential_response) => ({ webauthn: { ...relying, type, credential_response } });

export default [
  {
    name: 'a second factor',
    profile: 'mfa',
    async run(t) {
      const { access_token: token, user } = await member(t, 'second@a.test');
      const { body: factor } = await t.post(
        '/factors',
        { factor_type: 'webauthn', friendly_name: 'Key' },
        { token },
      );
      const key = new Authenticator();
      const stranger = new Authenticator({ origin: 'https://evil.test' });
      const path = `/factors/${factor.id}/verify`;
      let asked = await challenge(t, factor.id, token);
      const wrong = answer('create', stranger.create(asked.options));
      await t.post(path, { challenge_id: asked.id, ...wrong }, { token, as: 'another origin' });
      asked = await challenge(t, factor.id, token);
      const request = answer('request', key.create(asked.options));
      await t.post(
        path,
        { challenge_id: asked.id, ...request },
        { token, as: 'a request where a creation is due' },
      );
      asked = await challenge(t, factor.id, token);
      const created = answer('create', key.create(asked.options));
      const { body: session } = await t.post(
        path,
        { challenge_id: asked.id, ...created },
        { token, as: 'creation' },
      );
      await t.get('/user', { token: session.access_token });
      const low = await signIn(t, 'second@a.test');
      asked = await challenge(t, factor.id, low.access_token);
      t.note('options of a request', {
        allow: asked.options.allowCredentials?.length,
        rp: asked.options.rpId,
      });
      const forged = answer('request', new Authenticator().get(asked.options));
      await t.post(
        path,
        { challenge_id: asked.id, ...forged },
        { token: low.access_token, as: 'another key' },
      );
      asked = await challenge(t, factor.id, low.access_token);
      const proved = answer('request', key.get(asked.options));
      const { body: high } = await t.post(
        path,
        { challenge_id: asked.id, ...proved },
        { token: low.access_token, as: 'request' },
      );
      await t.post(
        path,
        { challenge_id: asked.id, ...proved },
        { token: low.access_token, as: 'request again' },
      );
      await t.get(`/admin/users/${user.id}/factors`, { token: t.service });
      await t.delete(`/factors/${factor.id}`, { token: high.access_token });
    },
  },
  {
    name: 'passkeys',
    profile: 'mfa',
    async run(t) {
      const { access_token: token, user } = await member(t, 'passkey@a.test');
      const register = async (key, as, change = (credential) => credential) => {
        const { body } = await t.post(
          '/passkeys/registration/options',
          {},
          { token, as: `options for ${as}` },
        );
        const credential = change(key.create(body.options));
        return t.post(
          '/passkeys/registration/verify',
          { challenge_id: body.challenge_id, credential },
          { token, as },
        );
      };
      const key = new Authenticator();
      await register(new Authenticator({ origin: 'https://evil.test' }), 'another origin');
      await register(new Authenticator({ rpId: 'evil.test' }), 'another domain');
      await register(new Authenticator(), 'no response', (credential) => ({ ...credential, response: {} }));
      const { body: passkey } = await register(key, 'a passkey');
      await register(key, 'the same passkey');
      await t.get('/passkeys', { token });
      await t.patch(`/passkeys/${passkey.id}`, { friendly_name: 'Mine' }, { token });
      await t.patch(
        `/passkeys/${passkey.id}`,
        { friendly_name: 'x'.repeat(121) },
        { token, as: 'too long a name' },
      );
      const enter = async (with_, as, change = (credential) => credential) => {
        const { body } = await t.post('/passkeys/authentication/options', {}, { as: `options for ${as}` });
        const request = { challenge_id: body.challenge_id, credential: change(with_.get(body.options)) };
        return [await t.post('/passkeys/authentication/verify', request, { as }), request];
      };
      const [, used] = await enter(key, 'entering');
      await t.post('/passkeys/authentication/verify', used, { as: 'entering again' });
      await enter(new Authenticator(), 'an unknown key');
      await enter(key, 'no user', ({ response, ...rest }) => ({
        ...rest,
        response: { ...response, userHandle: undefined },
      }));
      await enter(key, 'a forged signature', ({ response, ...rest }) => ({
        ...rest,
        response: { ...response, signature: Buffer.alloc(70, 1).toString('base64url') },
      }));
      await t.get(`/admin/users/${user.id}/passkeys`, { token: t.service });
      await t.sql(`update auth.users set banned_until = now() + interval '1 day'`);
      await enter(key, 'banned');
      await t.sql(`update auth.users set banned_until = null`);
      await t.delete(`/passkeys/${passkey.id}`, { token });
      await t.delete(`/passkeys/${passkey.id}`, { token });
      await enter(key, 'after its removal');
    },
  },
];
