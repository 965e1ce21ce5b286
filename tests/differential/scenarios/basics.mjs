// What every route has in common: bodies, methods, paths, tokens, headers.

import { confirmed, member } from '../people.mjs';
import { jwt, SECRET, serviceToken } from '../side.mjs';

const garbage = [
  '',
  'x',
  '{',
  'null',
  '[]',
  '"text"',
  '7',
  '{}',
  '{"email":7}',
  '{"email":null,"password":[]}',
];
const open = [
  '/signup',
  '/token?grant_type=password',
  '/token?grant_type=refresh_token',
  '/token?grant_type=pkce',
  '/token?grant_type=id_token',
  '/otp',
  '/magiclink',
  '/recover',
  '/resend',
  '/verify',
];
const administrative = ['/invite', '/admin/users', '/admin/generate_link'];
const routes = [
  '/health',
  '/settings',
  '/signup',
  '/token',
  '/otp',
  '/magiclink',
  '/recover',
  '/resend',
  '/verify',
  '/authorize',
  '/callback',
  '/logout',
  '/reauthenticate',
  '/user',
  '/user/identities/authorize',
  '/user/identities/00000000-0000-0000-0000-000000000001',
  '/factors',
  '/factors/00000000-0000-0000-0000-000000000001',
  '/factors/00000000-0000-0000-0000-000000000001/challenge',
  '/factors/00000000-0000-0000-0000-000000000001/verify',
  '/passkeys',
  '/passkeys/authentication/options',
  '/invite',
  '/admin/users',
  '/admin/users/00000000-0000-0000-0000-000000000001',
  '/admin/generate_link',
  '/admin/audit',
  '/oauth/token',
  '/oauth/authorize',
  '/.well-known/jwks.json',
];
const nil = '00000000-0000-0000-0000-000000000000';
const soon = () => Math.floor(Date.now() / 1000) + 600;

export default [
  {
    name: 'bodies that are no JSON or have wrong types',
    profile: 'plain',
    async run(t) {
      for (const path of open) for (const body of garbage) await t.send('POST', path, { body });
      for (const path of administrative)
        for (const body of garbage) await t.send('POST', path, { body, token: t.service });
      const { access_token: token } = await confirmed(t, 'bodies@a.test');
      for (const body of garbage) await t.send('PUT', '/user', { body, token });
      for (const body of garbage) await t.send('POST', '/factors', { body, token });
    },
  },
  {
    name: 'unusual bodies',
    profile: 'plain',
    async run(t) {
      const email = 'unusual@a.test';
      const json = JSON.stringify({ email, password: 'password' });
      for (const type of ['text/plain', 'application/json;charset=UTF-8', 'application/xml', 'nonsense'])
        await t.send('POST', '/token?grant_type=password', { body: json, headers: { 'content-type': type } });
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      for (const path of ['/token', '/token?grant_type=password', '/verify', '/signup'])
        await t.send('POST', path, { body: 'grant_type=password&email=x@a.test&password=y', headers: form });
      await t.send('POST', '/signup', { body: `${json} trailing` });
      await t.send('POST', '/signup', { body: `${json}{}` });
      await t.send('POST', '/signup', {
        body: '{"email":"dup1@a.test","email":"dup2@a.test","password":"password"}',
      });
      await t.send('POST', '/signup', { body: '{"EMAIL":"case@a.test","Password":"password"}' });
      await t.send('POST', '/signup', { body: '{"email":"x@a.test","password":"\\ud800 surrogate"}' });
      await t.send('POST', '/signup', {
        body: '{"email":"nul@a.test","password":"password","data":{"a":"\\u0000"}}',
      });
      await t.send('POST', '/signup', {
        body: `{"email":"big@a.test","data":"${'x'.repeat(1 << 20)}"}`,
        as: 'too large',
      });
      await t.send('POST', '/signup', {
        body: `{"email":"big@a.test","password":"password","data":{"a":"${'x'.repeat(200_000)}"}}`,
        as: 'large',
      });
      await t.send('POST', '/signup', {
        body: `{"email":"deep@a.test","password":"password","data":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
        as: 'deep',
      });
      await t.post('/signup', {
        email: 'extra@a.test',
        password: 'password',
        unknown: [1],
        data: { n: 1e300, f: 1.5 },
      });
      for (const data of ['text', 7, [], null, { '': 1 }]) {
        await t.post('/signup', { email: `data-${typeof data}@a.test`, password: 'password', data });
      }
    },
  },
  {
    name: 'public documents',
    profile: 'plain',
    async run(t) {
      for (const path of [
        '/health',
        '/settings',
        '/.well-known/jwks.json',
        '/.well-known/openid-configuration',
        '/.well-known/oauth-authorization-server',
        '/nowhere',
        '/',
        '//health',
        '/user//identities/authorize',
        '/%68ealth',
        '/health?x=y',
        '/HEALTH',
      ])
        await t.get(path);
    },
  },
  {
    name: 'methods',
    profile: 'plain',
    async run(t) {
      for (const path of routes)
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
          await t.send(method, path, method === 'GET' || method === 'HEAD' ? {} : { body: '{}' });
    },
  },
  {
    name: 'trailing slashes',
    profile: 'plain',
    async run(t) {
      for (const path of routes) await t.get(`${path}/`);
    },
  },
  {
    name: 'preflights and origins',
    profile: 'plain',
    async run(t) {
      for (const path of ['/signup', '/user', '/admin/users', '/nowhere'])
        for (const method of ['POST', 'GET', 'PUT', 'DELETE', 'PATCH', 'TRACE']) {
          const headers = { origin: 'https://app.test', 'access-control-request-method': method };
          await t.send('OPTIONS', path, { headers, as: `preflight of ${method} ${path}` });
          headers['access-control-request-headers'] = 'authorization,x-client-info,apikey,content-type';
          await t.send('OPTIONS', path, { headers, as: `preflight of ${method} ${path} with apikey` });
          headers['access-control-request-headers'] = 'authorization,content-type,x-supabase-api-version';
          await t.send('OPTIONS', path, { headers, as: `preflight of ${method} ${path} with headers` });
        }
      await t.send('OPTIONS', '/signup');
      await t.send('OPTIONS', '/signup', { headers: { origin: 'https://app.test' } });
      await t.get('/health', { headers: { origin: 'https://app.test' } });
      await t.get('/user', { headers: { origin: 'null' } });
      await t.get('/nowhere', { headers: { origin: 'https://app.test' } });
    },
  },
  {
    name: 'versions of the API',
    profile: 'plain',
    async run(t) {
      const versions = [
        '2024-01-01',
        '2023-12-31',
        '2025-02-02',
        '2999-01-01',
        'x',
        '',
        '2024-1-1',
        '2024-01-01T00:00:00Z',
      ];
      for (const version of versions) {
        const headers = { 'x-supabase-api-version': version };
        await t.get('/user', { headers, as: `GET /user in ${version}` });
        await t.post(
          '/signup',
          { email: 'v@a.test', password: '1' },
          { headers, as: `weak password in ${version}` },
        );
        await t.get('/settings', { headers, as: `GET /settings in ${version}` });
      }
    },
  },
  {
    name: 'tokens',
    profile: 'plain',
    async run(t) {
      const { access_token: good, user } = await confirmed(t, 'tokens@a.test');
      const claims = JSON.parse(Buffer.from(good.split('.')[1], 'base64url'));
      const stranger = 'b81269f1-21d8-4f2e-b719-c2240a840d91';
      const tokens = {
        good,
        'another secret': jwt(claims, { secret: 'x'.repeat(32) }),
        'no signature': `${good.split('.').slice(0, 2).join('.')}.`,
        none: jwt(claims, { alg: 'none' }),
        HS512: jwt(claims, { alg: 'HS512' }),
        HS384: jwt(claims, { alg: 'HS384' }),
        RS256: jwt(claims, { alg: 'RS256' }),
        kid: jwt(claims, { header: { kid: 'unknown' } }),
        'number as kid': jwt(claims, { header: { kid: 7 } }),
        'no typ': jwt(claims, { header: { typ: undefined } }),
        crit: jwt(claims, { header: { crit: ['x'] } }),
        expired: jwt({ ...claims, exp: 1 }),
        'no exp': jwt({ ...claims, exp: undefined }),
        'text as exp': jwt({ ...claims, exp: 'tomorrow' }),
        'nbf ahead': jwt({ ...claims, nbf: soon() }),
        'iat ahead': jwt({ ...claims, iat: soon() }),
        'no sub': jwt({ ...claims, sub: undefined }),
        'empty sub': jwt({ ...claims, sub: '' }),
        'sub is no UUID': jwt({ ...claims, sub: 'someone' }),
        'number as sub': jwt({ ...claims, sub: 7 }),
        stranger: jwt({ ...claims, sub: stranger, session_id: undefined }),
        'no session': jwt({ ...claims, session_id: undefined }),
        'empty session': jwt({ ...claims, session_id: '' }),
        'nil session': jwt({ ...claims, session_id: nil }),
        'unknown session': jwt({ ...claims, session_id: stranger }),
        'session is no UUID': jwt({ ...claims, session_id: 'x' }),
        'another audience': jwt({ ...claims, aud: 'others' }),
        'list of audiences': jwt({ ...claims, aud: ['authenticated', 'others'] }),
        'no audience': jwt({ ...claims, aud: undefined }),
        service: t.service,
        anon: jwt({ role: 'anon', exp: soon() }),
        'list as claims': jwt([]),
        'no JWT': 'abc',
        'two parts': 'abc.def',
        'bad base64': 'a!b.c!d.e!f',
        empty: '',
      };
      for (const [name, token] of Object.entries(tokens)) {
        await t.get('/user', { token, as: `GET /user, ${name}` });
        await t.get('/admin/users?page=2', { token, as: `GET /admin/users, ${name}` });
      }
      for (const [name, token] of Object.entries(tokens).filter(([key]) => key !== 'good')) {
        await t.put('/user', { data: { a: 1 } }, { token, as: `PUT /user, ${name}` });
        await t.post('/factors', { factor_type: 'totp' }, { token, as: `POST /factors, ${name}` });
        if (!/audience|typ|kid|iat|session$/.test(name))
          await t.post('/logout', undefined, { token, as: `POST /logout, ${name}` });
      }
      for (const header of [
        `bearer ${good}`,
        `BEARER ${good}`,
        `Bearer  ${good}`,
        good,
        `Basic ${good}`,
        'Bearer',
        'Bearer ',
        '',
      ])
        await t.get('/user', {
          headers: { authorization: header },
          as: `Authorization: ${header.replace(good, '…')}`,
        });
      await t.get(`/user?access_token=${good}`, { as: 'token in the query' });
      await t.get('/user', { headers: { apikey: good }, as: 'apikey' });
      for (const role of [
        'supabase_admin',
        'authenticated',
        'SERVICE_ROLE',
        '',
        undefined,
        7,
        ['service_role'],
      ])
        await t.get(`/admin/users/${user.id}`, {
          token: serviceToken({ role }),
          as: `role ${JSON.stringify(role)}`,
        });
      const dead = serviceToken({ sub: user.id, session_id: stranger });
      await t.get(`/admin/users/${user.id}`, { token: dead, as: 'admin with a dead session' });
      const alive = serviceToken({ sub: user.id, session_id: claims.session_id });
      await t.get(`/admin/users/${user.id}`, { token: alive, as: 'admin with a session' });
      await t.get('/admin/users', { token: serviceToken({ exp: 1 }), as: 'expired service token' });
      await t.post('/logout', undefined, { token: good });
      await t.get('/user', { token: good, as: 'after logout' });
      await t.post('/logout', undefined, { token: good, as: 'logout again' });
    },
  },
  {
    name: 'audiences',
    profile: 'autoconfirm',
    async run(t) {
      const { access_token: token } = await member(t, 'aud@a.test');
      for (const aud of ['authenticated', 'others', '']) {
        const headers = { 'x-jwt-aud': aud };
        await t.post(
          '/token?grant_type=password',
          { email: 'aud@a.test', password: 'correct horse 1' },
          { headers, as: `sign in to ${aud}` },
        );
        await t.get('/user', { headers, token, as: `GET /user of ${aud}` });
        await t.put('/user', { data: { aud } }, { headers, token, as: `PUT /user of ${aud}` });
        await t.get('/admin/users', { headers, token: t.service, as: `GET /admin/users of ${aud}` });
      }
      await t.post(
        '/signup',
        { email: 'aud@a.test', password: 'correct horse 1' },
        { headers: { 'x-jwt-aud': 'others' }, as: 'sign up to others' },
      );
      await t.post(
        '/token?grant_type=password',
        { email: 'aud@a.test', password: 'correct horse 1' },
        { headers: { 'x-jwt-aud': 'others' }, as: 'sign in to others' },
      );
    },
  },
  {
    name: 'no audience and no role',
    profile: 'unset',
    async run(t) {
      const { access_token: token } = await member(t, 'unset@a.test');
      await t.get('/user', { token });
      await t.get('/admin/users', { token: t.service });
      await t.get('/admin/users', { token });
    },
  },
  {
    name: 'asymmetric keys',
    profile: 'keys',
    async run(t) {
      const { access_token: token, user } = await member(t, 'keys@a.test');
      await t.get('/.well-known/jwks.json');
      await t.get('/.well-known/openid-configuration');
      await t.get('/user', { token });
      const claims = { sub: user.id, aud: 'authenticated', role: 'authenticated', exp: soon() };
      await t.get('/user', { token: jwt(claims), as: 'HS256 without kid' });
      await t.get('/user', { token: jwt(claims, { header: { kid: 'old' } }), as: 'HS256 by kid' });
      await t.get('/user', {
        token: jwt(claims, { header: { kid: 'none such' } }),
        as: 'HS256, unknown kid',
      });
      const confused = jwt(claims, { header: { kid: 'b81269f1-21d8-4f2e-b719-c2240a840d90' } });
      await t.get('/user', { token: confused, as: 'HS256 with the kid of an EC key' });
      await t.get('/user', { token: jwt(claims, { alg: 'RS256' }), as: 'RS256' });
      await t.get('/user', { token: jwt(claims, { secret: `${SECRET} ` }), as: 'another secret' });
      await t.get('/admin/users', { token: t.service });
    },
  },
];
