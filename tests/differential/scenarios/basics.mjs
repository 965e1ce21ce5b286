// What every route has in common: bodies, methods, paths, tokens, headers.

const garbage = ['', 'x', '{', 'null', '[]', '"text"', '7', '{}', '{"email":7}', '{"email":null,"password":[]}'];
const posts = ['/signup', '/token?grant_type=password', '/otp', '/magiclink', '/recover', '/resend', '/verify'];

export default [
  {
    name: 'bodies that are no JSON or have wrong types',
    profile: 'plain',
    async run(t) {
      for (const path of posts) for (const body of garbage) await t.send('POST', path, { body });
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
        '/health/',
        '/settings/',
        '/user/',
        '/signup/',
        '/admin/users/',
      ])
        await t.get(path);
    },
  },
];
