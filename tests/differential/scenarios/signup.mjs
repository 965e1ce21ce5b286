// Signing up and asking for codes.

import { PASSWORD, confirmed, member } from '../people.mjs';

const addresses = [
  'no-at',
  '@a.test',
  'a@',
  'a@b',
  'a b@a.test',
  'UPPER@A.Test',
  ' space@a.test ',
  'plus+tag@a.test',
  'ünï@a.test',
  'quoted"x@a.test',
  'a@a..test',
  'a@-a.test',
  'a@localhost',
  'a@127.0.0.1',
  'a@[127.0.0.1]',
  'a.@a.test',
  '.a@a.test',
  'a..b@a.test',
  `${'a'.repeat(65)}@a.test`,
  `a@${'b'.repeat(250)}.test`,
  'Name <a@a.test>',
  '<a@a.test>',
  'a@a.test,b@a.test',
  'a@a.test\n',
  'a\u0000@a.test',
];
const numbers = [
  '15551110001',
  '+15551110001',
  '++15551110001',
  '1 555 111 0001',
  '+1 (555) 111',
  '05551110001',
  '1',
  '12',
  '1234567890123456',
  'abc',
  ' ',
  '+',
];

export default [
  {
    name: 'addresses',
    profile: 'plain',
    async run(t) {
      for (const email of addresses) {
        await t.post('/signup', { email, password: PASSWORD });
        await t.post('/otp', { email });
      }
      for (const email of addresses.slice(0, 7)) {
        await t.post('/recover', { email });
        await t.post('/magiclink', { email });
        await t.post('/resend', { email, type: 'signup' });
        await t.post('/token?grant_type=password', { email, password: PASSWORD });
        await t.post('/invite', { email }, { token: t.service });
        await t.post('/admin/users', { email }, { token: t.service });
      }
    },
  },
  {
    name: 'numbers',
    profile: 'phone',
    async run(t) {
      for (const phone of numbers) {
        await t.post('/signup', { phone, password: PASSWORD });
        await t.post('/otp', { phone });
        await t.post('/token?grant_type=password', { phone, password: PASSWORD });
        await t.post('/verify', { phone, type: 'sms', token: '123456' });
        await t.post('/resend', { phone, type: 'sms' });
        await t.post('/admin/users', { phone }, { token: t.service });
      }
      for (const channel of ['sms', 'whatsapp', 'pigeon', '']) {
        await t.post('/signup', { phone: '15551110009', password: PASSWORD, channel });
        await t.post('/otp', { phone: '15551110009', channel });
      }
    },
  },
  {
    name: 'passwords',
    profile: 'plain',
    async run(t) {
      for (const password of [
        '',
        '1',
        '12345',
        '123456',
        'ééé',
        'x'.repeat(72),
        'x'.repeat(73),
        'é'.repeat(36),
        'é'.repeat(37),
      ]) {
        await t.post('/signup', { email: `pw${password.length}@a.test`, password });
        await t.post(
          '/admin/users',
          { email: `apw${password.length}@a.test`, password },
          { token: t.service },
        );
      }
      await t.post('/signup', { email: 'nopw@a.test' });
    },
  },
  {
    name: 'the whole way',
    profile: 'plain',
    async run(t) {
      await t.post('/signup', { email: 'Way@A.test', password: PASSWORD, data: { name: 'W', n: null } });
      await t.post('/token?grant_type=password', { email: 'way@a.test', password: PASSWORD });
      await t.post('/signup', { email: 'way@a.test', password: 'another password' });
      await t.mail('way@a.test');
      const mail = await t.mail('way@a.test');
      await t.post('/verify', { type: 'signup', email: 'WAY@a.test', token: mail.code });
      await t.post('/verify', { type: 'signup', email: 'way@a.test', token: mail.code });
      await t.post('/token?grant_type=password', { email: 'way@a.test', password: 'another password' });
      await t.post('/token?grant_type=password', { email: 'WAY@A.TEST', password: PASSWORD });
      await t.post('/signup', { email: 'way@a.test', password: PASSWORD, data: { x: 1 } });
      await t.post('/signup', { email: 'way@a.test', password: 'short' });
      await t.post('/signup', { email: 'both@a.test', phone: '15551110002', password: PASSWORD });
      await t.post('/signup', { phone: '15551110002', password: PASSWORD });
      await t.post('/signup', {});
      await t.post('/signup', { data: { a: 1 } });
      await t.post(
        '/signup',
        { email: 'r@a.test', password: PASSWORD },
        { headers: { redirect_to: 'https://app.test/in?a=1&b=2' } },
      );
      await t.send('POST', '/signup?redirect_to=https://app.test/query', {
        json: { email: 'r2@a.test', password: PASSWORD },
      });
      await t.post(
        '/signup',
        { email: 'r3@a.test', password: PASSWORD },
        { headers: { referer: 'https://app.test/ref#x' } },
      );
      await t.post(
        '/signup',
        { email: 'r4@a.test', password: PASSWORD },
        { headers: { redirect_to: 'https://evil.test/' } },
      );
      await t.post(
        '/signup',
        { email: 'r5@a.test', password: PASSWORD },
        { headers: { 'x-forwarded-host': 'evil.test', 'x-forwarded-proto': 'https' } },
      );
      await t.post('/signup', {
        email: 'r6@a.test',
        password: PASSWORD,
        redirect_to: 'https://app.test/body',
      });
    },
  },
  {
    name: 'under autoconfirm',
    profile: 'autoconfirm',
    async run(t) {
      await member(t, 'auto@a.test', { data: { a: 1 } });
      await member(t, 'auto@a.test');
      await t.post('/signup', { phone: '+15551110003', password: PASSWORD, data: { b: 1 } });
      await t.post('/signup', { phone: '15551110003', password: PASSWORD });
      await t.post('/token?grant_type=password', { phone: '+15551110003', password: PASSWORD });
      await t.post('/token?grant_type=password', {
        phone: '15551110003',
        email: 'auto@a.test',
        password: PASSWORD,
      });
      const { body: anonymous } = await t.post('/signup', { data: { guest: true } });
      await t.get('/user', { token: anonymous.access_token });
      await t.post('/signup', { password: PASSWORD });
      await t.put('/user', { password: 'new password' }, { token: anonymous.access_token });
      await t.post('/factors', { factor_type: 'totp' }, { token: anonymous.access_token });
      await t.get('/reauthenticate', { token: anonymous.access_token });
      await t.put('/user', { email: 'auto@a.test' }, { token: anonymous.access_token });
      await t.put('/user', { email: 'guest@a.test', data: { g: 2 } }, { token: anonymous.access_token });
      await t.put('/user', { password: 'new password' }, { token: anonymous.access_token });
      await t.post('/token?grant_type=refresh_token', { refresh_token: anonymous.refresh_token });
      const { body: second } = await t.post('/signup', {});
      await t.put('/user', { phone: '15551110004' }, { token: second.access_token });
      await t.get('/user', { token: second.access_token });
      await t.post('/otp', { email: 'fresh@a.test', data: { a: 1 } });
      await t.post('/otp', { email: 'auto@a.test' });
      await t.post('/magiclink', { email: 'fresh2@a.test', data: { a: 1 } });
      await t.post('/otp', { phone: '15550000001' });
      await t.post('/verify', { phone: '15550000001', type: 'sms', token: '000000' });
      await t.post('/verify', { phone: '15550000001', type: 'sms', token: '123456' });
    },
  },
  {
    name: 'phones',
    profile: 'phone',
    async run(t) {
      const texts = () => t.receiver.calls.filter(({ path }) => path === '/hooks/send-sms');
      const code = () => texts().at(-1)?.body.sms?.otp;
      await t.post('/signup', { phone: '15551110005', password: PASSWORD, data: { a: 1 } });
      await t.post('/token?grant_type=password', { phone: '15551110005', password: PASSWORD });
      await t.post('/verify', { phone: '15551110005', type: 'sms', token: '000000x' });
      await t.post('/verify', { phone: '+15551110005', type: 'sms', token: code() });
      await t.post('/signup', { phone: '15551110005', password: PASSWORD });
      await t.post('/otp', { phone: '15551110006', create_user: false });
      await t.post('/otp', { phone: '15551110006', data: { b: 1 } });
      await t.post('/verify', { phone: '15551110006', type: 'sms', token: code() });
      await t.post('/otp', { phone: '15551110005', create_user: false });
      const { body: session } = await t.post('/verify', { phone: '15551110005', type: 'sms', token: code() });
      const token = session.access_token;
      await t.put('/user', { phone: '15551110006' }, { token });
      await t.put('/user', { phone: '15551110005' }, { token });
      await t.put('/user', { phone: 'abc' }, { token });
      await t.put('/user', { phone: '15551110007' }, { token });
      await t.post('/resend', { phone: '15551110007', type: 'phone_change' });
      await t.post('/verify', { phone: '15551110007', type: 'phone_change', token: code() });
      await t.put('/user', { email: 'phones@a.test' }, { token });
      const mail = await t.mail('phones@a.test');
      await t.post('/verify', { type: 'email_change', token_hash: mail.hash });
      await t.get('/reauthenticate', { token });
      await t.post('/otp', { phone: '15550000002' });
      await t.post('/resend', { phone: '15550000002', type: 'sms' });
      await t.post('/verify', { phone: '15550000002', type: 'sms', token: '654321' });
      for (const body of [
        { type: 'sms' },
        { type: 'signup', phone: '1' },
        { type: 'phone_change', email: 'phones@a.test' },
        { type: 'sms', phone: '15559999999' },
        { type: 'sms', phone: '15551110005', email: 'a@a.test' },
        { type: 'sms', phone: 'abc' },
      ])
        await t.post('/resend', body);
      t.receiver.answer('/hooks/send-sms', { status: 400, body: { error: { message: 'no' } } });
      await t.post('/otp', { phone: '15551110010' });
      t.receiver.answer('/hooks/send-sms', {
        body: { error: { http_code: 422, message: 'number is blocked' } },
      });
      await t.post('/otp', { phone: '15551110010' });
      t.receiver.answer('/hooks/send-sms', { body: 'text' });
      await t.post('/otp', { phone: '15551110010' });
    },
  },
  {
    name: 'one-time codes by mail',
    profile: 'plain',
    async run(t) {
      await t.post('/otp', {});
      await t.post('/otp', { email: 'otp@a.test', phone: '15551110001' });
      await t.post('/otp', { phone: '15551110001' });
      await t.post('/otp', { email: 'otp@a.test', create_user: false });
      await t.post('/otp', { email: 'otp@a.test', create_user: 'no' });
      await t.post('/otp', { email: 'otp@a.test', data: { a: 1 } });
      const first = await t.mail('otp@a.test');
      await t.post('/otp', { email: 'otp@a.test' });
      const mail = await t.mail('otp@a.test');
      await t.post('/verify', { type: 'email', email: 'otp@a.test', token: first.code });
      await t.post('/verify', { type: 'email', email: 'otp@a.test', token: mail.code });
      await t.post('/otp', { email: 'otp@a.test', create_user: false });
      const third = await t.mail('otp@a.test');
      await t.post('/verify', { type: 'magiclink', email: 'otp@a.test', token: third.code });
      await t.post('/magiclink', { email: 'otp@a.test' });
      const fourth = await t.mail('otp@a.test');
      await t.post('/verify', { type: 'email', token_hash: fourth.hash });
      await t.post('/magiclink', {});
      await t.post('/magiclink', { email: 'link@a.test', data: { a: 1 } });
      const fifth = await t.mail('link@a.test');
      await t.post('/verify', { type: 'magiclink', token_hash: fifth.hash });
      await t.post('/verify', { type: 'signup', token_hash: fifth.hash });
      await t.post('/recover', { email: 'nobody@a.test' });
      await t.post('/recover', { email: 'otp@a.test' });
      const sixth = await t.mail('otp@a.test');
      await t.post('/verify', { type: 'recovery', email: 'otp@a.test', token: sixth.code });
    },
  },
  {
    name: 'sending again',
    profile: 'plain',
    async run(t) {
      for (const type of [
        'signup',
        'email_change',
        'sms',
        'phone_change',
        'recovery',
        'magiclink',
        'x',
        '',
        undefined,
      ])
        for (const to of [{ email: 'again@a.test' }, { phone: '15551110001' }, {}])
          await t.post('/resend', { type, ...to });
      await t.post('/signup', { email: 'again@a.test', password: PASSWORD });
      await t.mail('again@a.test');
      await t.post('/resend', { type: 'signup', email: 'again@a.test' });
      const mail = await t.mail('again@a.test');
      await t.post('/resend', { type: 'email_change', email: 'again@a.test' });
      const { body } = await t.post('/verify', { type: 'email', email: 'again@a.test', token: mail.code });
      await t.post('/resend', { type: 'signup', email: 'again@a.test' });
      await t.put('/user', { email: 'again2@a.test' }, { token: body.access_token });
      await t.post('/resend', { type: 'email_change', email: 'again@a.test' });
      await t.post('/resend', { type: 'email_change', email: 'again2@a.test' });
    },
  },
  {
    name: 'closed',
    profile: 'closed',
    async run(t) {
      await t.get('/settings');
      await t.post('/signup', { email: 'closed@a.test', password: PASSWORD });
      await t.post('/signup', { email: 'closed', password: '' });
      await t.post('/signup', { phone: '15551110001', password: PASSWORD });
      await t.post('/signup', {});
      await t.post('/otp', { email: 'closed@a.test' });
      await t.post('/otp', { email: 'closed@a.test', create_user: false });
      await t.post('/otp', { phone: '15551110001' });
      await t.post('/magiclink', { email: 'closed@a.test' });
      await t.post('/recover', { email: 'closed@a.test' });
      await t.post('/invite', { email: 'invited@a.test' }, { token: t.service });
      const mail = await t.mail('invited@a.test');
      await t.post('/verify', { type: 'invite', email: 'invited@a.test', token: mail.code });
      await t.post(
        '/admin/users',
        { email: 'made@a.test', password: PASSWORD, email_confirm: true },
        { token: t.service },
      );
      await t.post('/token?grant_type=password', { email: 'made@a.test', password: PASSWORD });
      await t.post('/otp', { email: 'made@a.test' });
      await t.post(
        '/admin/generate_link',
        { type: 'signup', email: 'g@a.test', password: PASSWORD },
        { token: t.service },
      );
      await t.post('/admin/generate_link', { type: 'magiclink', email: 'g2@a.test' }, { token: t.service });
    },
  },
  {
    name: 'without the provider email',
    profile: 'no-email',
    async run(t) {
      await t.get('/settings');
      for (const path of ['/signup', '/otp', '/magiclink', '/recover', '/token?grant_type=password']) {
        await t.post(path, { email: 'off@a.test', password: PASSWORD });
        await t.post(path, { phone: '15551110001', password: PASSWORD });
        await t.post(path, { email: 'bad', password: PASSWORD });
        await t.send('POST', path, { body: 'x' });
      }
      await t.post('/resend', { type: 'signup', email: 'off@a.test' });
      await t.post('/resend', { type: 'sms', phone: '15551110001' });
      await t.post('/invite', { email: 'off@a.test' }, { token: t.service });
      await t.post(
        '/admin/users',
        { email: 'off2@a.test', password: PASSWORD, email_confirm: true },
        { token: t.service },
      );
      await t.post('/token?grant_type=password', { email: 'off2@a.test', password: PASSWORD });
      await t.post('/verify', { type: 'email', email: 'off2@a.test', token: '123456' });
    },
  },
  {
    name: 'without magic links',
    profile: 'no-links',
    async run(t) {
      await t.post('/otp', { email: 'off@a.test' });
      await t.post('/magiclink', { email: 'off@a.test' });
      await confirmed(t, 'off@a.test');
      await t.post('/otp', { email: 'off@a.test' });
      await t.post('/magiclink', { email: 'off@a.test' });
      await t.post('/recover', { email: 'off@a.test' });
    },
  },
  {
    name: 'rules for passwords',
    profile: 'passwords',
    async run(t) {
      for (const password of ['short', 'longenough', 'Longenough', 'Longenough1', 'LONGENOUGH1', 'Aa1', ''])
        await t.post('/signup', { email: `p-${password}@a.test`, password });
      const { body } = await t.post('/signup', { email: 'p@a.test', password: 'Longenough1' });
      const token = body.access_token;
      for (const password of ['short', 'Longenough1', 'x'.repeat(73), ''])
        await t.put('/user', { password }, { token });
      await t.put('/user', { password: 'Longenough2' }, { token });
      await t.sql(`update auth.sessions set created_at = now() - interval '2 days'`);
      await t.put('/user', { password: 'Longenough3' }, { token });
      await t.put('/user', { password: 'Longenough3', nonce: '000000' }, { token });
      await t.get('/reauthenticate', { token });
      const mail = await t.mail('p@a.test');
      await t.put('/user', { password: 'Longenough3', nonce: '000000' }, { token });
      await t.put('/user', { password: 'Longenough3', nonce: mail.code }, { token });
      await t.put('/user', { password: 'Longenough4', nonce: mail.code }, { token });
      await t.post('/token?grant_type=password', { email: 'p@a.test', password: 'Longenough3' });
      await t.sql(
        `update auth.users set encrypted_password = '$2a$10$LmLvmCp5dk0eW3EqQkBJX.bYFJk5zXjDFzB1NYkZ0qgGCXx0dm2nW'`,
      );
      await t.post(
        '/admin/users',
        { email: 'w@a.test', password: 'weak', email_confirm: true },
        { token: t.service },
      );
      await t.post(
        '/admin/users',
        {
          email: 'w2@a.test',
          password_hash: '$2y$10$eXPzFmRzuWZvRyiVvOM4b.uG3NtYZhgp5nN0yKcDbUCoU4dJvXh9q',
          email_confirm: true,
        },
        { token: t.service },
      );
    },
  },
  {
    name: 'the current password',
    profile: 'current-password',
    async run(t) {
      const { access_token: token } = await member(t, 'cur@a.test');
      await t.put('/user', { password: 'another 1' }, { token });
      await t.put('/user', { password: 'another 1', current_password: 'wrong' }, { token });
      await t.put('/user', { password: PASSWORD, current_password: PASSWORD }, { token });
      await t.put('/user', { password: 'another 1', current_password: PASSWORD }, { token });
      await t.post('/recover', { email: 'cur@a.test' });
      const mail = await t.mail('cur@a.test');
      const { body } = await t.post('/verify', { type: 'recovery', token_hash: mail.hash });
      await t.put('/user', { password: 'another 2' }, { token: body.access_token });
    },
  },
  {
    name: 'triggers of the project',
    profile: 'triggers',
    async run(t) {
      for (const email of ['raise@a.test', 'teapot@a.test', 'divide@a.test', 'check@a.test', 'fine@a.test'])
        for (const headers of [{}, { 'x-supabase-api-version': '2024-01-01' }]) {
          const as = `${email} ${Object.keys(headers)}`;
          await t.post('/signup', { email, password: PASSWORD }, { headers, as: `sign up ${as}` });
          await t.post('/admin/users', { email }, { headers, token: t.service, as: `make ${as}` });
          await t.post('/otp', { email }, { headers, as: `code for ${as}` });
        }
    },
  },
];
