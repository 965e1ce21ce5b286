// Settings that the other scenarios do not have.

import { PASSWORD, confirmed, member, signIn, totp } from '../people.mjs';

const refresh = (t, token) => t.post('/token?grant_type=refresh_token', { refresh_token: token });
const sms = (t) => t.receiver.calls.filter(({ path }) => path === '/hooks/send-sms').at(-1)?.body.sms?.otp;

export default [
  {
    name: 'behind proxies',
    profile: 'forwarded',
    async run(t) {
      for (const headers of [
        { 'x-forwarded-for': '203.0.113.1' },
        { 'x-forwarded-for': 'x, 203.0.113.2, 203.0.113.3' },
        { 'x-forwarded-for': '10.0.0.1, 203.0.113.4' },
        { 'x-forwarded-for': '2001:db8::1' },
        { 'sb-forwarded-for': '203.0.113.5' },
        { 'sb-forwarded-for': '203.0.113.6, 203.0.113.7', 'x-forwarded-for': '203.0.113.8' },
        { 'sb-forwarded-for': 'x' },
        { 'x-real-ip': '203.0.113.9' },
        { forwarded: 'for=203.0.113.10' },
        { 'user-agent': 'a'.repeat(300) },
      ]) {
        const email = `p${t.transcript.length}@a.test`;
        await t.post(
          '/signup',
          { email, password: PASSWORD },
          { headers, as: `sign up with ${Object.entries(headers)}` },
        );
      }
      for (const headers of [
        { 'x-forwarded-host': 'listed.test' },
        { 'x-forwarded-host': 'listed.test', 'x-forwarded-proto': 'http' },
        { 'x-forwarded-host': 'unlisted.test' },
        { 'x-forwarded-host': 'other.test:8443' },
        { host: 'listed.test' },
      ]) {
        const as = `recover with ${Object.entries(headers)}`;
        await t.post('/recover', { email: 'p0@a.test' }, { headers, as });
        await t.post(
          '/admin/generate_link',
          { type: 'recovery', email: 'p0@a.test' },
          { headers, token: t.service, as: `link, ${as}` },
        );
      }
      const preflight = { origin: 'https://app.test', 'access-control-request-method': 'POST' };
      for (const names of ['apikey', 'authorization,x-extra', 'x-other'])
        await t.send('OPTIONS', '/signup', {
          headers: { ...preflight, 'access-control-request-headers': names },
          as: `preflight for ${names}`,
        });
    },
  },
  {
    name: 'authorized addresses, long codes and paths of links',
    profile: 'authorized',
    async run(t) {
      const session = await confirmed(t, 'known@a.test');
      await t.post('/signup', { email: 'known+label@a.test', password: PASSWORD });
      await t.post('/signup', { email: 'unknown@a.test', password: PASSWORD });
      await t.post('/otp', { email: 'unknown@a.test' });
      await t.post('/recover', { email: 'known@a.test' });
      await t.put('/user', { email: 'unknown@a.test' }, { token: session.access_token });
      await t.put('/user', { email: 'other@a.test' }, { token: session.access_token });
      await t.post('/invite', { email: 'unknown2@a.test' }, { token: t.service });
      const { body: link } = await t.post(
        '/admin/generate_link',
        { type: 'magiclink', email: 'known@a.test' },
        { token: t.service },
      );
      t.note('length of the code', link.email_otp?.length);
      const { body: second } = await refresh(t, session.refresh_token);
      await refresh(t, second.refresh_token);
      await refresh(t, session.refresh_token);
      await t.sql(`update auth.refresh_tokens set updated_at = now() - interval '1 hour'`);
      await refresh(t, session.refresh_token);
      await refresh(t, second.refresh_token);
    },
  },
  {
    name: 'mails confirmed at once, texts not',
    profile: 'email-autoconfirm',
    async run(t) {
      const { access_token: token, user } = await member(t, 'auto@a.test');
      await t.put('/user', { email: 'auto2@a.test' }, { token });
      const mail = await t.mail('auto2@a.test');
      await t.post('/verify', { type: 'email_change', token_hash: mail.hash });
      await t.put('/user', { phone: '15551110070' }, { token });
      await t.post('/verify', { type: 'phone_change', phone: '15551110070', token: sms(t) });
      await t.post('/signup', { phone: '15551110071', password: PASSWORD });
      await t.post('/verify', { type: 'sms', phone: '15551110071', token: sms(t) });
      await t.post('/signup', { phone: '15551110071', password: PASSWORD });
      await t.post('/signup', { phone: '15551110072', password: PASSWORD });
      const late = sms(t);
      await t.sql(
        `update auth.users set confirmation_sent_at = now() - interval '5 minutes' where phone = '15551110072'`,
      );
      await t.post('/verify', { type: 'sms', phone: '15551110072', token: late });
      await t.post('/otp', { phone: '15550000001' });
      await t.post('/verify', { type: 'sms', phone: '15550000001', token: '123456' });
      const { body } = await t.get('/user', { token });
      const of = (name) => body.identities?.find(({ provider }) => provider === name)?.identity_id;
      await t.delete(`/user/identities/${of('phone')}`, { token });
      await t.delete(`/user/identities/${of('email')}`, { token });
      await t.get(`/admin/users/${user.id}`, { token: t.service });
      await t.sql(`update auth.users set email_confirmed_at = null where id = $1`, [user.id]);
      await signIn(t, 'auto2@a.test');
      await t.get('/reauthenticate', { token });
      await t.post('/recover', { email: 'auto2@a.test' });
    },
  },
  {
    name: 'texts without anybody to send them',
    profile: 'no-sms',
    async run(t) {
      await t.post('/signup', { phone: '15551110080', password: PASSWORD });
      await t.post('/otp', { phone: '15551110080' });
      await t.post(
        '/admin/users',
        { phone: '15551110080', password: PASSWORD, phone_confirm: true },
        { token: t.service },
      );
      await t.post('/otp', { phone: '15551110080', create_user: false });
      const { body } = await t.post('/token?grant_type=password', {
        phone: '15551110080',
        password: PASSWORD,
      });
      await t.get('/reauthenticate', { token: body.access_token });
      await t.put('/user', { phone: '15551110081' }, { token: body.access_token });
    },
  },
  {
    name: 'rows of other hands',
    profile: 'plain',
    async run(t) {
      const { user } = await confirmed(t, 'rows@a.test');
      const set = (columns) => t.sql(`update auth.users set ${columns} where id = $1`, [user.id]);
      await set(
        `confirmation_token = '', recovery_token = '', raw_app_meta_data = '{}', raw_user_meta_data = 'null'`,
      );
      await signIn(t, 'rows@a.test');
      await t.get(`/admin/users/${user.id}`, { token: t.service });
      await set(
        `raw_user_meta_data = '{"a": null, "big": 12345678901234567890, "f": 1.10, "u": "é\\u2028<&>"}'`,
      );
      await signIn(t, 'rows@a.test');
      await set(`encrypted_password = null`);
      await signIn(t, 'rows@a.test');
      await set(`encrypted_password = ''`);
      await signIn(t, 'rows@a.test');
      await set(`encrypted_password = 'nonsense'`);
      await signIn(t, 'rows@a.test');
      await set(`encrypted_password = '$2y$04$kH6jeIphtcGzLAf2bzEvW.tiVr6UwkGc1/BDRyxUsbLFtDfhZ8g1m'`);
      await signIn(t, 'rows@a.test');
      await t.sql(`delete from auth.identities`);
      await signIn(t, 'rows@a.test');
      await t.get(`/admin/users/${user.id}`, { token: t.service });
      await set(`is_sso_user = true`);
      await signIn(t, 'rows@a.test');
      await t.get('/admin/users', { token: t.service });
      await set(`is_sso_user = false, deleted_at = now()`);
      await t.post('/otp', { email: 'rows@a.test' });
      await t.get(`/admin/users/${user.id}`, { token: t.service });
    },
  },
  {
    name: 'NULLs of other hands',
    profile: 'plain',
    async run(t) {
      const { user } = await confirmed(t, 'nulls@a.test');
      await t.sql(`update auth.users set role = null where id = $1`, [user.id]);
      await signIn(t, 'nulls@a.test');
    },
  },
  {
    name: 'second factors with hooks and few of them',
    profile: 'mfa-hooks',
    async run(t) {
      const { access_token: token, refresh_token: old } = await member(t, 'few@a.test');
      const { body: one } = await t.post(
        '/factors',
        { factor_type: 'totp', friendly_name: 'One' },
        { token },
      );
      await t.post('/factors', { factor_type: 'totp', friendly_name: 'Two' }, { token });
      await t.post('/factors', { factor_type: 'totp', friendly_name: 'Three' }, { token });
      const attempt = async (answer, code, as) => {
        t.receiver.answer('/hooks/mfa-verification-attempt', { body: answer });
        const { body: challenge } = await t.post(`/factors/${one.id}/challenge`, {}, { token });
        return t.post(`/factors/${one.id}/verify`, { challenge_id: challenge.id, code }, { token, as });
      };
      await attempt({ decision: 'continue' }, '000000', 'wrong, continue');
      await attempt({ error: { http_code: 418, message: 'tea' } }, totp(one.totp.secret), 'right, error');
      await attempt({ decision: 'continue' }, totp(one.totp.secret), 'right, continue');
      await signIn(t, 'few@a.test');
      await refresh(t, old);
      const low = await signIn(t, 'few@a.test');
      await t.sql(`update auth.sessions set created_at = now() - interval '2 hours' where aal = 'aal1'`);
      await refresh(t, low.refresh_token);
      const again = await signIn(t, 'few@a.test');
      t.receiver.answer('/hooks/mfa-verification-attempt', {
        body: { decision: 'reject', message: 'no way' },
      });
      const { body: last } = await t.post(`/factors/${one.id}/challenge`, {}, { token: again.access_token });
      await t.post(
        `/factors/${one.id}/verify`,
        { challenge_id: last.id, code: totp(one.totp.secret, 1) },
        { token: again.access_token, as: 'right, reject' },
      );
      await t.get('/user', { token: again.access_token });
    },
  },
];
