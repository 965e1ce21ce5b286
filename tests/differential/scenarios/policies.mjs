// What a project may switch off or ask for: sign-ups, providers, strong passwords, triggers of its own.

import { PASSWORD, confirmed, member } from '../people.mjs';

export default [
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
