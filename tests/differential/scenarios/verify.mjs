// Codes and links, and where they lead.

import { PASSWORD, confirmed, redirected, signIn } from '../people.mjs';

const kinds = [
  'signup',
  'invite',
  'recovery',
  'magiclink',
  'email_change',
  'email',
  'sms',
  'phone_change',
  'x',
  '',
];

/** Follows the link of a mail. */
const follow = (t, link, options) => {
  const url = new URL(link);
  return t.get(`${url.pathname}${url.search}`, options);
};

export default [
  {
    name: 'requests that ask for nothing',
    profile: 'plain',
    async run(t) {
      for (const type of kinds) {
        await t.post('/verify', { type });
        await t.post('/verify', { type, token: '123456' });
        await t.post('/verify', { type, token: '123456', email: 'nobody@a.test' });
        await t.post('/verify', { type, token: '123456', phone: '15551110001' });
        await t.post('/verify', { type, token: '123456', email: 'nobody@a.test', phone: '15551110001' });
        await t.post('/verify', { type, token_hash: 'a'.repeat(56) });
        await t.post('/verify', { type, token_hash: 'a'.repeat(56), email: 'nobody@a.test' });
        await t.post('/verify', { type, token_hash: 'a'.repeat(56), token: '123456' });
        await t.post('/verify', { type, token: '123456', email: 'bad' });
        await t.get(`/verify?type=${type}&token=${'a'.repeat(56)}`);
        await t.get(`/verify?type=${type}&token=pkce_${'a'.repeat(56)}`);
        await t.get(`/verify?type=${type}`);
        await t.get(`/verify?type=${type}&token=${'a'.repeat(56)}&redirect_to=https://app.test/x`);
        await t.get(`/verify?type=${type}&token=${'a'.repeat(56)}&redirect_to=https://evil.test/x`);
      }
      await t.get('/verify');
      await t.get('/verify?token=abc');
      await t.post('/verify', { token: 'x' });
      await t.post('/verify', { type: 'email', token: '', email: 'a@a.test' });
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      await t.send('POST', '/verify', { body: 'type=signup&token=123456&email=a@a.test', headers: form });
    },
  },
  {
    name: 'links of sign-ups and redirects',
    profile: 'plain',
    async run(t) {
      const targets = [
        'https://app.test/in',
        'https://app.test/in?a=1&b=2',
        'https://app.test/in#frag',
        'https://app.test',
        'https://x.preview.test/page',
        'https://x.y.preview.test/page',
        'https://site.test/other',
        'https://site.test:8443/other',
        'http://site.test/other',
        'com.example.app://callback',
        'com.example.app://elsewhere',
        'https://evil.test/',
        'javascript:alert(1)',
        '//app.test/x',
        '/relative',
        'https://app.test@evil.test/',
        'https://app.test\\@evil.test/',
        'http://localhost:5173/',
        'http://127.0.0.1:5173/',
        'http://2130706433/',
        'https://app.test/%0d%0aX: y',
        'https://APP.test/Case',
        'data:text/html,x',
        '',
      ];
      for (const [index, target] of targets.entries()) {
        const email = `link${index}@a.test`;
        await t.post(`/signup?redirect_to=${encodeURIComponent(target)}`, { email, password: PASSWORD });
        const mail = await t.mail(email);
        await follow(t, mail.links[0], { as: `follows the link to ${target}` });
        await follow(t, mail.links[0], { as: `follows the link to ${target} again` });
      }
    },
  },
  {
    name: 'links of other kinds',
    profile: 'plain',
    async run(t) {
      await confirmed(t, 'kinds@a.test');
      await t.post(
        '/recover',
        { email: 'kinds@a.test' },
        { headers: { redirect_to: 'https://app.test/reset?x=1' } },
      );
      await follow(t, (await t.mail('kinds@a.test')).links[0]);
      await t.post('/magiclink', { email: 'kinds@a.test' });
      await follow(t, (await t.mail('kinds@a.test')).links[0]);
      await t.post('/invite', { email: 'invited@a.test', data: { name: 'I' } }, { token: t.service });
      const invitation = await t.mail('invited@a.test');
      await t.post('/invite', { email: 'invited@a.test', data: { name: 'J' } }, { token: t.service });
      await follow(t, invitation.links[0]);
      await follow(t, (await t.mail('invited@a.test')).links[0]);
      await t.post('/invite', { email: 'invited@a.test' }, { token: t.service });
      await t.post('/signup', { email: 'late@a.test', password: PASSWORD });
      const late = await t.mail('late@a.test');
      await t.sql(`update auth.users set confirmation_sent_at = now() - interval '2 days'`);
      await follow(t, late.links[0]);
      await t.post('/verify', { type: 'signup', email: 'late@a.test', token: late.code });
      await t.post('/signup', { email: 'banned@a.test', password: PASSWORD });
      const banned = await t.mail('banned@a.test');
      await t.sql(
        `update auth.users set banned_until = now() + interval '2 days' where email = 'banned@a.test'`,
      );
      await follow(t, banned.links[0]);
      await t.post('/verify', { type: 'signup', token_hash: banned.hash });
      await t.post('/verify', { type: 'signup', email: 'banned@a.test', token: banned.code });
      await t.post('/otp', { email: 'banned@a.test' });
      await t.post('/recover', { email: 'banned@a.test' });
      await signIn(t, 'banned@a.test');
      // A code fits one kind of token only.
      await t.post('/recover', { email: 'kinds@a.test' });
      const recovery = await t.mail('kinds@a.test');
      await t.post('/verify', { type: 'signup', email: 'kinds@a.test', token: recovery.code });
      await t.post('/verify', { type: 'invite', token_hash: recovery.hash });
      await t.post('/verify', { type: 'email', token_hash: recovery.hash });
      await t.post('/recover', { email: 'kinds@a.test' });
      const other = await t.mail('kinds@a.test');
      await t.post('/verify', { type: 'recovery', email: 'KINDS@a.test', token: other.code });
    },
  },
  {
    name: 'change of an address that both confirm',
    profile: 'plain',
    async run(t) {
      const { access_token: token } = await confirmed(t, 'old@a.test');
      await confirmed(t, 'taken@a.test');
      await t.put('/user', { email: 'taken@a.test' }, { token });
      await t.put('/user', { email: 'old@a.test' }, { token });
      await t.put('/user', { email: 'bad' }, { token });
      await t.put('/user', { email: 'New@a.test' }, { token });
      const [atOld, atNew] = [await t.mail('old@a.test'), await t.mail('new@a.test')];
      await t.get('/user', { token });
      await t.post('/verify', { type: 'email_change', email: 'old@a.test', token: '000000' });
      await t.post('/verify', { type: 'email_change', email: 'old@a.test', token: atOld.code });
      await t.post('/verify', { type: 'email_change', email: 'old@a.test', token: atOld.code });
      await t.post('/verify', { type: 'email_change', email: 'new@a.test', token: atNew.code });
      await signIn(t, 'new@a.test');
      await t.put(
        '/user',
        { email: 'third@a.test' },
        { token, headers: { redirect_to: 'https://app.test/changed' } },
      );
      const [two, three] = [await t.mail('new@a.test'), await t.mail('third@a.test')];
      await follow(t, three.links[0]);
      await follow(t, three.links[0]);
      await follow(t, two.links[0]);
      await t.put('/user', { email: 'fourth@a.test' }, { token });
      await t.put('/user', { email: 'fifth@a.test', password: 'changed 1', data: { n: 1 } }, { token });
      await t.get('/user', { token });
      const fifth = await t.mail('fifth@a.test');
      await t.post('/verify', { type: 'email_change', token_hash: fifth.hash });
    },
  },
  {
    name: 'PKCE',
    profile: 'pkce',
    async run(t) {
      const { pkce } = await import('../people.mjs');
      const { challenge, verifier } = pkce();
      const pair = { code_challenge: challenge, code_challenge_method: 's256' };
      for (const wrong of [
        { code_challenge: challenge },
        { code_challenge_method: 's256' },
        { code_challenge: 'short', code_challenge_method: 's256' },
        { code_challenge: `${challenge}!`, code_challenge_method: 's256' },
        { code_challenge: challenge, code_challenge_method: 'md5' },
        { code_challenge: 'x'.repeat(129), code_challenge_method: 'plain' },
      ])
        for (const path of ['/signup', '/otp', '/magiclink', '/recover', '/resend'])
          await t.post(path, { email: 'p@a.test', password: PASSWORD, type: 'signup', ...wrong });
      await t.post('/signup', {
        email: 'p@a.test',
        password: PASSWORD,
        ...pair,
        code_challenge_method: 'S256',
      });
      const mail = await t.mail('p@a.test');
      const { auth_code: none, code } = redirected(await follow(t, mail.links[0]));
      await t.post('/token?grant_type=pkce', {});
      await t.post('/token?grant_type=pkce', { auth_code: code });
      await t.post('/token?grant_type=pkce', { auth_code: none ?? 'x', code_verifier: verifier });
      await t.post('/token?grant_type=pkce', {
        auth_code: '00000000-0000-0000-0000-000000000009',
        code_verifier: verifier,
      });
      await t.post('/token?grant_type=pkce', { auth_code: code, code_verifier: 'b'.repeat(50) });
      await t.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
      await t.post('/token?grant_type=pkce', { auth_code: code, code_verifier: verifier });
      await follow(t, mail.links[0]);
      await t.post('/otp', { email: 'p@a.test', ...pair });
      const second = await t.mail('p@a.test');
      await t.post('/verify', { type: 'email', email: 'p@a.test', token: second.code });
      await t.post('/recover', {
        email: 'p@a.test',
        code_challenge: 'x'.repeat(43),
        code_challenge_method: 'plain',
      });
      const third = redirected(await follow(t, (await t.mail('p@a.test')).links[0]));
      const { body: session } = await t.post('/token?grant_type=pkce', {
        auth_code: third.code,
        code_verifier: 'x'.repeat(43),
      });
      await t.put('/user', { email: 'p2@a.test', ...pair }, { token: session.access_token });
      const fourth = await t.mail('p2@a.test');
      const changed = redirected(await follow(t, fourth.links[0]));
      await t.post('/token?grant_type=pkce', { auth_code: changed.code, code_verifier: verifier });
      await t.post('/magiclink', { email: 'p2@a.test', ...pair });
      const fifth = redirected(await follow(t, (await t.mail('p2@a.test')).links[0]));
      await t.sql(
        `update auth.flow_state set created_at = created_at - interval '1 hour', auth_code_issued_at = auth_code_issued_at - interval '1 hour'`,
      );
      await t.post('/token?grant_type=pkce', { auth_code: fifth.code, code_verifier: verifier });
      await t.post('/resend', { type: 'signup', email: 'p2@a.test', ...pair });
      await t.get(`/authorize?provider=x&code_challenge=${challenge}`);
      await t.post('/otp', { email: 'p3@a.test', ...pair });
      const sixth = await t.mail('p3@a.test');
      const token = sixth.hash;
      await t.get(`/verify?type=signup&token=${token}x&redirect_to=https://app.test/y?z=1`, {
        as: 'a wrong PKCE link',
      });
      await t.post('/verify', { type: 'signup', token_hash: token });
    },
  },
];
