// SCIM, as far as it is there.

const PATHS = ['ServiceProviderConfig', 'ResourceTypes', 'Schemas', 'Users', ''];

async function ask(t) {
  for (const path of PATHS) {
    await t.get(`/scim/v2/${path}`);
    await t.get(`/scim/v2/${path}?filter=name%20eq%20%22x%22`);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) await t.send(method, `/scim/v2/${path}`);
  }
  await t.get('/scim/v2');
  await t.get('/scim/v2/Schemas/');
  await t.get('/scim/v2/Schemas/x');
  await t.get('/scim/v1/Schemas');
  await t.get('/scim');
}

export default [
  { name: 'off', profile: 'plain', run: ask },
  { name: 'on', profile: 'scim', run: ask },
];
