// What the project's own server side does.

import { PASSWORD, confirmed, member, signIn } from '../people.mjs';

const nobody = '00000000-0000-0000-0000-000000000001';

export default [
  {
    name: 'making users',
    profile: 'plain',
    async run(t) {
      const token = t.service;
      for (const body of [
        {
          email: 'm1@a.test',
          password: PASSWORD,
          email_confirm: true,
          user_metadata: { a: 1 },
          app_metadata: { r: 'x' },
        },
        { email: 'm1@a.test' },
        { email: 'M1@A.test', password: PASSWORD },
        { email: 'm2@a.test' },
        { phone: '+15551110001', phone_confirm: true },
        { phone: '15551110001' },
        {
          email: 'm3@a.test',
          phone: '15551110003',
          password: PASSWORD,
          email_confirm: true,
          phone_confirm: true,
        },
        { id: '00000000-0000-0000-0000-0000000000aa', email: 'm4@a.test' },
        { id: '00000000-0000-0000-0000-0000000000aa', email: 'm5@a.test' },
        { id: '00000000-0000-0000-0000-000000000000', email: 'm6@a.test' },
        { id: 'x', email: 'm7@a.test' },
        { email: 'm8@a.test', role: 'editor', aud: 'others' },
        { email: 'm9@a.test', role: '' },
        { email: 'm10@a.test', ban_duration: '1h' },
        { email: 'm11@a.test', ban_duration: 'none' },
        { email: 'm12@a.test', ban_duration: 'forever' },
        { email: 'm13@a.test', ban_duration: '-1h' },
        { email: 'm14@a.test', password: PASSWORD, password_hash: '$2a$10$x' },
        { email: 'm15@a.test', password_hash: 'plain' },
        {
          email: 'm16@a.test',
          password_hash: '$2a$10$LmLvmCp5dk0eW3EqQkBJX.bYFJk5zXjDFzB1NYkZ0qgGCXx0dm2nW',
          email_confirm: true,
        },
        {
          email: 'm17@a.test',
          password_hash: '$argon2id$v=19$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g',
        },
        {
          email: 'm18@a.test',
          password_hash: '$argon2id$v=16$m=16,t=2,p=1$bGJRWThNOHJJTVBSdHl2dQ$NfEnUOuUpb7F2fQkgFUG4g',
        },
        { email: 'm19@a.test', password: '' },
        { email: 'm20@a.test', password: '1' },
        { email: 'bad' },
        { phone: 'bad' },
        {},
        { email_confirm: true },
        { user_metadata: { a: 1 } },
        { email: 'm21@a.test', app_metadata: { provider: 'x', providers: ['y'] } },
        { email: 'm22@a.test', user_metadata: null, app_metadata: null },
        { email: 'm23@a.test', user_metadata: 'x' },
        { email: 'm24@a.test', email_confirm: 'yes' },
        { email: 'm25@a.test', user_metadata: { a: null, b: 1 } },
      ])
        await t.post('/admin/users', body, { token });
      await signIn(t, 'm1@a.test');
      await signIn(t, 'm16@a.test', 'test');
    },
  },
  {
    name: 'changing users',
    profile: 'plain',
    async run(t) {
      const token = t.service;
      const session = await confirmed(t, 'c1@a.test', { data: { a: 1 } });
      await confirmed(t, 'c2@a.test');
      const path = `/admin/users/${session.user.id}`;
      for (const body of [
        {},
        { user_metadata: { b: 2, a: null } },
        { app_metadata: { role: 'x', provider: null } },
        { email: 'C3@a.test' },
        { email: 'c3@a.test' },
        { email: 'bad' },
        { email: '' },
        { email: 'c4@a.test', email_confirm: true },
        { phone: '+15551110001' },
        { phone: '15551110002', phone_confirm: true },
        { phone: 'bad' },
        { phone: '' },
        { password: 'x' },
        { password: '' },
        { password: 'changed 1' },
        { password: 'changed 1', password_hash: 'x' },
        { password_hash: '$2a$10$LmLvmCp5dk0eW3EqQkBJX.bYFJk5zXjDFzB1NYkZ0qgGCXx0dm2nW' },
        { role: 'editor' },
        { role: '' },
        { aud: 'others' },
        { ban_duration: '1h30m' },
        { ban_duration: '10' },
        { ban_duration: 'none' },
        { ban_duration: '0s' },
        { id: nobody },
        { email_confirm: false },
        { phone_confirm: true },
        { nonce: 'x' },
        { user_metadata: 'x' },
        { data: { ignored: 1 } },
      ])
        await t.put(path, body, { token });
      await t.get(path, { token });
      await t.get('/user', { token: session.access_token });
      await t.put(`/admin/users/${nobody}`, { email: 'x@a.test' }, { token });
      await t.put('/admin/users/x', { email: 'x@a.test' }, { token });
      await t.put(path, { email: 'c2@a.test' }, { token, as: 'a taken address' });
      await t.send('PUT', path, { body: 'x', token });
      await t.send('PUT', path, { body: '', token });
    },
  },
  {
    name: 'reading and deleting users',
    profile: 'plain',
    async run(t) {
      const token = t.service;
      const session = await confirmed(t, 'd1@a.test');
      const { user } = await confirmed(t, 'd2@a.test');
      for (const id of [session.user.id, nobody, 'x', '', session.user.id.toUpperCase()])
        await t.get(`/admin/users/${id}`, { token });
      await t.get(`/admin/users/${user.id}/factors`, { token });
      await t.get(`/admin/users/${nobody}/factors`, { token });
      await t.put(`/admin/users/${user.id}/factors/${nobody}`, { friendly_name: 'x' }, { token });
      await t.put(`/admin/users/${user.id}/factors/x`, { friendly_name: 'x' }, { token });
      await t.delete(`/admin/users/${user.id}/factors/${nobody}`, { token });
      await t.get(`/admin/users/${user.id}/passkeys`, { token });
      await t.delete(`/admin/users/${user.id}/passkeys/${nobody}`, { token });
      await t.delete(`/admin/users/${user.id}/passkeys/x`, { token });
      for (const body of ['x', '[]', '{"should_soft_delete":"yes"}', 'null'])
        await t.send('DELETE', `/admin/users/${user.id}`, { body, token });
      await t.delete(`/admin/users/${nobody}`, { token });
      await t.delete('/admin/users/x', { token });
      await t.send('DELETE', `/admin/users/${session.user.id}`, {
        json: { should_soft_delete: true },
        token,
        as: 'soft',
      });
      await t.get(`/admin/users/${session.user.id}`, { token });
      await t.send('DELETE', `/admin/users/${session.user.id}`, {
        json: { should_soft_delete: true },
        token,
        as: 'soft again',
      });
      await signIn(t, 'd1@a.test');
      await t.get('/user', { token: session.access_token });
      await t.post('/signup', { email: 'd1@a.test', password: PASSWORD });
      await t.send('DELETE', `/admin/users/${session.user.id}`, {
        json: { should_soft_delete: false },
        token,
        as: 'hard',
      });
      await t.get(`/admin/users/${session.user.id}`, { token });
    },
  },
  {
    name: 'lists',
    profile: 'autoconfirm',
    async run(t) {
      const token = t.service;
      await t.get('/admin/users', { token, as: 'nobody yet' });
      await t.get('/admin/audit', { token, as: 'nothing yet' });
      for (let index = 1; index <= 12; index += 1)
        await member(t, `list${index}@a.test`, { data: { full_name: `Person ${index}`, name: `N${index}` } });
      for (const query of [
        '',
        '?page=1&per_page=5',
        '?page=2&per_page=5',
        '?page=3&per_page=5',
        '?page=4&per_page=5',
        '?page=0&per_page=5',
        '?page=-1',
        '?page=x',
        '?per_page=x',
        '?per_page=0',
        '?per_page=-5',
        '?per_page=1000000',
        '?page=99999999999999999999',
        '?page=2',
        '?per_page=12',
        '?sort=created_at asc',
        '?sort=created_at%20asc&per_page=2',
        '?sort=created_at%20desc&per_page=2',
        '?sort=created_at&per_page=2',
        '?sort=email%20asc',
        '?sort=created_at%20sideways',
        '?sort=email,created_at%20asc',
        '?filter=list1',
        '?filter=LIST1',
        '?filter=Person%201',
        '?filter=person%201',
        '?filter=%25',
        '?filter=_',
        "?filter='%22%5C",
        '?filter=list1&per_page=1',
        '?per_page=5&extra=1&page=1',
        '?cursor=x',
        '?limit=2',
        '?keywords=x',
      ]) {
        const { body } = await t.get(`/admin/users${query.replaceAll(' ', '%20')}`, { token });
        t.note(`order of ${query}`, body.users?.map(({ email }) => email) ?? body);
      }
      for (const query of [
        '?per_page=3',
        '?page=2&per_page=3',
        '?page=x',
        '?query=author:list1',
        '?query=action:login',
        '?query=action:user_signedup&per_page=2',
        '?query=type:account',
        '?query=x:y',
        '?query=author',
        '?query=author:%25',
        '?query=',
        '?sort=created_at%20asc&per_page=3',
      ])
        await t.get(`/admin/audit${query}`, { token });
    },
  },
  {
    name: 'links',
    profile: 'plain',
    async run(t) {
      const token = t.service;
      await confirmed(t, 'g1@a.test');
      await t.post('/signup', { email: 'g2@a.test', password: PASSWORD });
      for (const type of [
        'signup',
        'invite',
        'magiclink',
        'recovery',
        'email_change_current',
        'email_change_new',
        'x',
        '',
      ])
        for (const email of ['g1@a.test', 'g2@a.test', `fresh-${type}@a.test`, 'bad', ''])
          for (const more of [
            {},
            {
              password: PASSWORD,
              new_email: `new-${type}@a.test`,
              data: { a: 1 },
              redirect_to: 'https://app.test/x?y=1',
            },
          ])
            await t.post('/admin/generate_link', { type, email, ...more }, { token });
      for (const body of [
        {},
        { type: 'signup', email: 'g3@a.test', password: '1' },
        { type: 'signup', email: 'g3@a.test', password: 'x'.repeat(73) },
        { type: 'email_change_new', email: 'g1@a.test', new_email: 'g2@a.test' },
        { type: 'email_change_new', email: 'g1@a.test', new_email: 'bad' },
        { type: 'email_change_new', email: 'g1@a.test', new_email: 'g1@a.test' },
        { type: 'recovery', email: 'g1@a.test', redirect_to: 'https://evil.test' },
        { type: 'invite', email: 'g4@a.test', data: 'x' },
      ])
        await t.post('/admin/generate_link', body, { token });
      await t.post(
        '/admin/generate_link',
        { type: 'recovery', email: 'g1@a.test' },
        { token, headers: { redirect_to: 'https://app.test/header' } },
      );
      const { body: link } = await t.post(
        '/admin/generate_link',
        { type: 'magiclink', email: 'g1@a.test' },
        { token },
      );
      await t.post('/verify', { type: 'magiclink', token_hash: link.hashed_token });
      const { body: second } = await t.post(
        '/admin/generate_link',
        { type: 'recovery', email: 'g1@a.test' },
        { token },
      );
      await t.post('/verify', { type: 'recovery', email: 'g1@a.test', token: second.email_otp });
      const { body: third } = await t.post(
        '/admin/generate_link',
        { type: 'invite', email: 'g5@a.test' },
        { token },
      );
      const url = new URL(third.action_link);
      await t.get(`${url.pathname}${url.search}`, { as: 'follows an invitation' });
    },
  },
  {
    name: 'invitations',
    profile: 'plain',
    async run(t) {
      const token = t.service;
      await confirmed(t, 'i1@a.test');
      for (const body of [
        {},
        { email: 'bad' },
        { email: 'i1@a.test' },
        { email: 'i2@a.test', data: { a: 1 } },
        { email: 'I2@a.test', data: { b: 1 } },
      ])
        await t.post('/invite', body, { token });
      await t.post('/invite?redirect_to=https://app.test/welcome', { email: 'i3@a.test' }, { token });
      await t.post('/signup', { email: 'i2@a.test', password: PASSWORD, data: { c: 1 } });
      await signIn(t, 'i2@a.test');
      await t.post('/recover', { email: 'i2@a.test' });
      await t.post('/otp', { email: 'i3@a.test' });
    },
  },
];
