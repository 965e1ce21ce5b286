// What every route has in common: bodies, methods, paths, headers.

import { confirmed } from '../people.mjs';

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
    name: 'JSON that our parser does not take',
    profile: 'plain',
    async run(t) {
      await t.send('POST', '/signup', { body: '{"email":"x@a.test","password":"\\ud800 surrogate"}' });
      await t.send('POST', '/signup', {
        body: `{"email":"deep@a.test","password":"password","data":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`,
        as: 'deep',
      });
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
];
