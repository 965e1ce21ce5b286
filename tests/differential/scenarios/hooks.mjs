// Hooks over HTTP and in the database, and limits.

import { PASSWORD, member, signIn } from '../people.mjs';

export default [
  {
    name: 'over HTTP',
    profile: 'hooks',
    async run(t) {
      const hook = (name, answer) => t.receiver.answer(`/hooks/${name}`, answer);
      const mail = () =>
        t.receiver.calls.filter(({ path }) => path === '/hooks/send-email').at(-1)?.body.email_data;
      hook('custom-access-token', ({ body }) => ({ body: { claims: { ...body.claims, extra: 'yes' } } }));
      hook('password-verification-attempt', { body: { decision: 'continue' } });
      hook('mfa-verification-attempt', { body: { decision: 'continue' } });
      await t.post(
        '/signup',
        { email: 'hook@a.test', password: PASSWORD, data: { a: 1 } },
        { headers: { redirect_to: 'https://app.test/h' } },
      );
      await t.post('/verify', { type: 'signup', email: 'hook@a.test', token: mail()?.token });
      const { access_token: token, refresh_token: old } = await signIn(t, 'hook@a.test');
      await t.post('/token?grant_type=refresh_token', { refresh_token: old });
      await t.post('/recover', { email: 'hook@a.test' });
      await t.post('/magiclink', { email: 'hook@a.test' });
      await t.get('/reauthenticate', { token });
      await t.put('/user', { email: 'hook2@a.test' }, { token });
      await t.post('/invite', { email: 'hook3@a.test' }, { token: t.service });
      await t.post('/otp', { phone: '15551110001' });
      await signIn(t, 'hook@a.test', 'wrong');
      for (const answer of [
        { body: { decision: 'reject', message: 'not you' } },
        { body: { decision: 'reject' } },
        { body: { decision: 'maybe' } },
        { body: {} },
        { body: 'text' },
        { status: 204 },
        { status: 400, body: {} },
        { status: 401, body: {} },
        { status: 500, body: {} },
        { status: 202, body: { decision: 'continue' } },
        { status: 302, headers: { location: '/elsewhere' }, body: {} },
        { headers: { 'content-type': 'text/plain' }, body: { decision: 'continue' } },
        { headers: { 'content-type': 'application/json; charset=utf-8' }, body: { decision: 'continue' } },
        { body: { error: { http_code: 403, message: 'forbidden by hook' } } },
        { body: { error: { http_code: 200, message: 'odd' } } },
        { body: { error: { message: 'no code' } } },
        { body: { error: { http_code: 404 } } },
        { body: { error: { http_code: 99999, message: 'x' } } },
        { body: { error: 'text' } },
        { body: { decision: 'continue', padding: 'x'.repeat(300_000) } },
      ]) {
        const as = JSON.stringify(answer).slice(0, 90);
        hook('password-verification-attempt', answer);
        await t.post(
          '/token?grant_type=password',
          { email: 'hook@a.test', password: PASSWORD },
          { as: `password attempt: ${as}` },
        );
        hook('before-user-created', answer);
        await t.post(
          '/signup',
          { email: 'never@a.test', password: PASSWORD },
          { as: `before a user: ${as}` },
        );
        hook('send-email', answer);
        await t.post('/recover', { email: 'hook@a.test' }, { as: `mail: ${as}` });
        hook('send-email', { body: {} });
      }
      hook('password-verification-attempt', { body: { decision: 'continue' } });
      for (const answer of [
        { body: { claims: {} } },
        { body: {} },
        { body: { claims: { sub: 'x' } } },
        { body: { error: { http_code: 403, message: 'no token' } } },
        { body: { claims: 'x' } },
        { status: 500, body: {} },
      ]) {
        hook('custom-access-token', answer);
        await t.post(
          '/token?grant_type=password',
          { email: 'hook@a.test', password: PASSWORD },
          { as: `claims: ${JSON.stringify(answer)}` },
        );
      }
      hook('custom-access-token', ({ body }) => {
        const { aal, ...claims } = body.claims;
        return { body: { claims: { ...claims, was: aal } } };
      });
      await signIn(t, 'hook@a.test');
      hook('custom-access-token', ({ body }) => ({
        body: { claims: { ...body.claims, exp: 'soon', role: 7 } },
      }));
      await signIn(t, 'hook@a.test');
    },
  },
  {
    name: 'in the database',
    profile: 'functions',
    async run(t) {
      const { access_token: token } = await member(t, 'fn@a.test');
      await t.get('/user', { token });
      for (const name of ['bad', 'raise', 'slow', 'null', 'fine'])
        for (const headers of [{}, { 'x-supabase-api-version': '2024-01-01' }])
          await t.post(
            '/signup',
            { email: `${name}@a.test`, password: PASSWORD },
            { headers, as: `sign up ${name} ${Object.keys(headers)}` },
          );
      await signIn(t, 'fn@a.test', 'wrong');
      await t.get('/user', { token });
      await signIn(t, 'fn@a.test');
    },
  },
  {
    name: 'limits by header',
    profile: 'limits',
    async run(t) {
      const from = (client) => ({ headers: { 'x-client': client } });
      for (let index = 0; index < 4; index += 1)
        await t.post('/signup', {}, { ...from('10.0.0.1'), as: `guest ${index}` });
      await t.post('/signup', {}, from('10.0.0.2'));
      await t.post('/signup', {}, { as: 'a guest without the header' });
      for (let index = 0; index < 33; index += 1) {
        await t.post(
          '/verify',
          { type: 'email', email: 'l@a.test', token: '123456' },
          { ...from('10.0.0.3'), as: `verify ${index}` },
        );
        await t.post('/recover', { email: 'nobody@a.test' }, { ...from('10.0.0.3'), as: `recover ${index}` });
        await t.post(
          '/token?grant_type=password',
          { email: 'l@a.test', password: 'x' },
          { ...from('10.0.0.3'), as: `token ${index}` },
        );
      }
      await t.post(
        '/verify',
        { type: 'email', email: 'l@a.test', token: '123456' },
        from('10.0.0.3, 10.0.0.9'),
      );
      await t.post('/verify', { type: 'email', email: 'l@a.test', token: '123456' }, from(''));
      const version = { 'x-client': '10.0.0.3', 'x-supabase-api-version': '2024-01-01' };
      await t.post(
        '/verify',
        { type: 'email', email: 'l@a.test', token: '123456' },
        { headers: version, as: 'limited, new shape' },
      );
      await t.post('/signup', { email: 'l@a.test', password: PASSWORD }, from('10.0.0.4'));
      await t.post('/signup', { email: 'l@a.test', password: PASSWORD }, from('10.0.0.4'));
      await t.post('/resend', { type: 'signup', email: 'l@a.test' }, from('10.0.0.4'));
      await t.post('/otp', { email: 'l@a.test' }, from('10.0.0.4'));
      for (let index = 1; index < 6; index += 1)
        await t.post(
          '/signup',
          { email: `l${index}@a.test`, password: PASSWORD },
          { ...from('10.0.0.5'), as: `sign-up ${index}` },
        );
      await t.post('/otp', { email: 'l9@a.test' }, from('10.0.0.6'));
      await t.post('/invite', { email: 'l8@a.test' }, { token: t.service });
    },
  },
];
