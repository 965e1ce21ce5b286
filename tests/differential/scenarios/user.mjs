// Sessions and what users do to themselves.

import { PASSWORD, confirmed, member, signIn } from '../people.mjs';

const refresh = (t, token, options) =>
  t.post('/token?grant_type=refresh_token', { refresh_token: token }, options);

export default [
  {
    name: 'signing in',
    profile: 'plain',
    async run(t) {
      await confirmed(t, 'in@a.test', { data: { name: 'In' } });
      for (const body of [
        { email: 'in@a.test', password: PASSWORD },
        { email: 'IN@A.TEST', password: PASSWORD },
        { email: ' in@a.test', password: PASSWORD },
        { email: 'in@a.test', password: 'wrong' },
        { email: 'in@a.test', password: '' },
        { email: 'in@a.test' },
        { email: 'nobody@a.test', password: PASSWORD },
        { email: 'not an address', password: PASSWORD },
        { phone: '15551110001', password: PASSWORD },
        { password: PASSWORD },
        {},
        { email: 'in@a.test', password: 'x'.repeat(100) },
      ])
        await t.post('/token?grant_type=password', body);
      for (const grant of ['', 'x', 'PASSWORD', 'implicit', 'client_credentials', 'authorization_code'])
        await t.post(`/token?grant_type=${grant}`, { email: 'in@a.test', password: PASSWORD });
      await t.post('/token', { grant_type: 'password', email: 'in@a.test', password: PASSWORD });
      await t.post('/token?grant_type=web3', {});
      await t.post('/token?grant_type=web3', { chain: 'solana', message: 'x', signature: 'y' });
      for (const body of [
        {},
        { provider: 'google' },
        { id_token: 'x' },
        { provider: 'google', id_token: 'x' },
        { provider: 'x', id_token: 'y' },
      ])
        await t.post('/token?grant_type=id_token', body);
      await t.post('/signup', { email: 'un@a.test', password: PASSWORD });
      await signIn(t, 'un@a.test');
      await signIn(t, 'un@a.test', 'wrong');
      await t.sql(`update auth.users set banned_until = now() + interval '1 day' where email = 'in@a.test'`);
      await signIn(t, 'in@a.test');
      await signIn(t, 'in@a.test', 'wrong');
    },
  },
  {
    name: 'refreshing',
    profile: 'plain',
    async run(t) {
      const first = await confirmed(t, 'ref@a.test');
      for (const token of ['', 'x', 'a'.repeat(12), 'A'.repeat(12), 'a'.repeat(200), 7, null, '!'.repeat(12)])
        await refresh(t, token);
      await t.post('/token?grant_type=refresh_token', {});
      const { body: second } = await refresh(t, first.refresh_token, {
        headers: { 'user-agent': 'differential' },
      });
      await refresh(t, first.refresh_token);
      const { body: third } = await refresh(t, second.refresh_token);
      await refresh(t, second.refresh_token);
      await refresh(t, first.refresh_token);
      await refresh(t, third.refresh_token);
      await t.get('/user', { token: third.access_token });
      const again = await signIn(t, 'ref@a.test');
      await t.sql(`update auth.users set banned_until = now() + interval '1 day'`);
      await refresh(t, again.refresh_token);
      await t.get('/user', { token: again.access_token });
      await t.sql(`update auth.users set banned_until = null`);
      await t.sql(
        `delete from auth.sessions where id = (select session_id from auth.refresh_tokens where token = $1)`,
        [again.refresh_token],
      );
      await refresh(t, again.refresh_token);
    },
  },
  {
    name: 'ends of sessions',
    profile: 'plain',
    async run(t) {
      const one = await confirmed(t, 'end@a.test');
      const two = await signIn(t, 'end@a.test');
      const three = await signIn(t, 'end@a.test');
      await t.post('/logout?scope=x', undefined, { token: one.access_token });
      await t.post('/logout?scope=', undefined, { token: one.access_token });
      await t.get('/user', { token: one.access_token });
      const four = await signIn(t, 'end@a.test');
      const five = await signIn(t, 'end@a.test');
      await t.post('/logout?scope=others', undefined, { token: five.access_token });
      await refresh(t, four.refresh_token);
      await refresh(t, two.refresh_token);
      await t.post('/logout?scope=local', {}, { token: five.access_token });
      await refresh(t, five.refresh_token);
      const six = await signIn(t, 'end@a.test');
      await t.post('/logout?scope=global', { anything: 1 }, { token: six.access_token });
      await t.get('/user', { token: three.access_token });
      await t.post('/logout', undefined, { token: t.service });
      const seven = await signIn(t, 'end@a.test');
      const eight = await signIn(t, 'end@a.test');
      await t.put('/user', { password: 'changed 1' }, { token: eight.access_token });
      await refresh(t, seven.refresh_token);
      await refresh(t, eight.refresh_token);
    },
  },
  {
    name: 'sessions that end by themselves',
    profile: 'sessions',
    async run(t) {
      const one = await member(t, 'self@a.test');
      const two = await signIn(t, 'self@a.test');
      await refresh(t, one.refresh_token);
      const { body: three } = await refresh(t, two.refresh_token);
      await t.sql(`update auth.sessions set refreshed_at = now() - interval '2 hours'`);
      await refresh(t, three.refresh_token);
      const four = await signIn(t, 'self@a.test');
      await t.sql(`update auth.sessions set created_at = now() - interval '2 days'`);
      await refresh(t, four.refresh_token);
      const five = await signIn(t, 'self@a.test');
      await t.sql(`update auth.sessions set not_after = now() - interval '1 minute'`);
      await refresh(t, five.refresh_token);
      await t.get('/user', { token: five.access_token });
      const service = { headers: { 'x-supabase-api-version': '2024-01-01' } };
      await refresh(t, five.refresh_token, service);
    },
  },
  {
    name: 'updates',
    profile: 'plain',
    async run(t) {
      const { access_token: token } = await confirmed(t, 'up@a.test', { data: { a: 1, b: { c: 2 } } });
      for (const body of [
        {},
        { data: { a: null, d: 4 } },
        { data: { b: { x: 1 } } },
        { data: {} },
        { data: null },
        { data: [1] },
        { data: 'x' },
        { data: { email: 'fake@a.test', sub: 'fake', email_verified: false } },
        { app_metadata: { role: 'admin' } },
        { app_metadata: {} },
        { role: 'service_role' },
        { aud: 'x' },
        { password: '' },
        { password: '1' },
        { password: PASSWORD },
        { password: 'x'.repeat(73) },
        { password: 'changed 1' },
        { password: 'changed 2', nonce: '000000' },
        { email: '' },
        { email: 'up@a.test' },
        { email: 'UP@a.test' },
        { phone: '15551110001' },
        { phone: '' },
        { email: 'a@b@c' },
        { email: 7 },
        { channel: 'pigeon' },
        { code_challenge: 'x' },
        { email: 'up2@a.test', code_challenge: 'x'.repeat(43) },
        { current_password: 'x', data: { n: 1 } },
      ])
        await t.put('/user', body, { token });
      await t.put('/user', { data: { x: 1 } }, { token: t.service });
      await t.put('/user', { app_metadata: { x: 1 } }, { token: t.service });
      await t.get('/user', { token });
      await t.get('/user', { token: t.service });
      await t.get('/reauthenticate', { token });
      const mail = await t.mail('up@a.test');
      await t.put('/user', { password: 'changed 3', nonce: mail.code }, { token });
      await t.delete('/user/identities/00000000-0000-0000-0000-000000000001', { token });
      await t.get('/user/identities/authorize?provider=github', { token });
      await t.get('/user/oauth/grants', { token });
    },
  },
  {
    name: 'a user without address',
    profile: 'autoconfirm',
    async run(t) {
      const { body } = await t.post('/signup', {});
      const token = body.access_token;
      await t.get('/reauthenticate', { token });
      await t.put('/user', { phone: '+1 555 111 0020' }, { token });
      await t.get('/user', { token });
      await t.get('/reauthenticate', { token });
      await t.put('/user', { email: 'late@a.test', password: 'password 1' }, { token });
      await t.get('/user', { token });
      await t.post('/token?grant_type=password', { phone: '15551110020', password: 'password 1' });
    },
  },
];
