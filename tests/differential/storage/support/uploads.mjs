// What scenarios about uploads share.

export const service = (t) => t.tokens.service;
export const file = (body = 'file content', more = {}) => [
  '',
  { name: 'up.txt', type: 'text/plain', body, ...more },
];

/** Reads an object and what is known of it. */
export async function seen(t, path) {
  await t.get(`/object/info/${path}`, { token: service(t) });
  await t.get(`/object/authenticated/${path}`, { token: service(t) });
}
