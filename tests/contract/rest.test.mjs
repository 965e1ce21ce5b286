// What the product asks of the data API, asked by the published client.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import { platform } from '../harness.mjs';

const options = { auth: { persistSession: false, autoRefreshToken: false } };
let stack;
let anon;
let service;

before(async () => {
  stack = await platform();
  anon = createClient(stack.url, stack.PUBLISHABLE_KEY, options);
  service = createClient(stack.url, stack.SECRET_KEY, options);
});
after(() => stack?.close());

describe('co-working spaces', () => {
  const list =
    '*, offerings:coworking_offering_type(id, offering_type, price_from, capacity), images:coworking_space_images(id, url, order)';
  const spaces = () =>
    anon
      .from('coworking_space')
      .select(list)
      .eq('active', true)
      .order('paid_listing', { ascending: false })
      .order('created_at', { ascending: false });

  it('lists the 56 active ones of 12 cities, paid ones first', async () => {
    const { data, error } = await spaces();
    assert.equal(error, null);
    assert.equal(data.length, 56);
    assert.equal(new Set(data.map((space) => space.city)).size, 12);
    const paid = data.map((space) => space.paid_listing);
    assert.deepEqual(
      paid,
      [...paid].sort((a, b) => Number(b) - Number(a)),
    );
    assert.equal(paid.filter(Boolean).length > 0, true);
    assert.ok(data.some((space) => space.offerings.length > 0 && space.images.length > 0));
  });

  it('filters by city whatever the case', async () => {
    const { data } = await spaces().ilike('city', '%chennai%');
    assert.ok(data.length > 0);
    assert.ok(data.every((space) => space.city === 'Chennai'));
  });

  it('gives one by its slug with offerings and ordered images', async () => {
    const { data: all } = await spaces().limit(1);
    const { data: space } = await anon
      .from('coworking_space')
      .select('*')
      .eq('slug', all[0].slug)
      .eq('active', true)
      .single();
    assert.equal(space.id, all[0].id);
    const { data: offerings } = await anon
      .from('coworking_offering_type')
      .select('*')
      .eq('coworking_space_id', space.id)
      .eq('available', true);
    assert.ok(offerings.length > 0);
    const { data: images } = await anon
      .from('coworking_space_images')
      .select('*')
      .eq('coworking_space_id', space.id)
      .order('order', { ascending: true });
    const orders = images.map((image) => image.order);
    assert.deepEqual(
      orders,
      [...orders].sort((a, b) => a - b),
    );
  });

  it('says PGRST116 for a slug that does not exist', async () => {
    const { data, error, status } = await anon
      .from('coworking_space')
      .select('*')
      .eq('slug', 'nowhere')
      .single();
    assert.equal(data, null);
    assert.equal(status, 406);
    assert.equal(error.code, 'PGRST116');
  });

  it('hides inactive ones from visitors and counts without fetching', async () => {
    const { data } = await anon.from('coworking_space').select('id').eq('active', false);
    assert.deepEqual(data, []);
    const { count } = await anon.from('coworking_space').select('*', { count: 'exact', head: true });
    assert.equal(count, 56);
  });
});

describe('the rest of the client', () => {
  it('answers the connection check although there is no column count', async () => {
    const { error } = await anon.from('profiles').select('count', { count: 'exact' }).limit(1);
    assert.equal(error, null);
  });

  it('pages with a range and says how many there are', async () => {
    const { data, count, status } = await anon
      .from('properties')
      .select('id', { count: 'exact' })
      .order('id')
      .range(10, 19);
    assert.equal(data.length, 10);
    assert.equal(count, 170);
    assert.equal(status, 206);
  });

  it('inserts, upserts, updates and deletes for who may, and gives back what changed', async () => {
    const table = () => service.from('coworking_offering_type');
    const { data: space } = await service
      .from('coworking_space')
      .insert({
        name: 'Contract',
        slug: `contract-${Date.now()}`,
        address: '1 Mill Road',
        locality: 'Fairlands',
        city: 'Salem',
        state: 'Tamil Nadu',
        active: false,
      })
      .select('id')
      .single();
    const row = {
      coworking_space_id: space.id,
      offering_type: 'virtual_office',
      price_from: 1234,
      available: false,
    };
    const { data: inserted, error } = await table().insert(row).select().single();
    assert.equal(error, null);
    assert.equal(inserted.price_from, 1234);
    const { data: upserted } = await table()
      .upsert({ ...inserted, price_from: 2345 })
      .select()
      .single();
    assert.equal(upserted.price_from, 2345);
    const { data: updated } = await table().update({ capacity: 7 }).eq('id', inserted.id).select('capacity');
    assert.deepEqual(updated, [{ capacity: 7 }]);
    const { data: deleted } = await table().delete().eq('id', inserted.id).select('id');
    assert.deepEqual(deleted, [{ id: inserted.id }]);
  });

  it('refuses a visitor who writes', async () => {
    const { error, status } = await anon.from('coworking_space').insert({ name: 'x', slug: 'x' });
    assert.equal(status, 401);
    assert.equal(error.code, '42501');
  });

  it('calls functions', async () => {
    const { data, error } = await anon.rpc('property_facets', {});
    assert.equal(error, null);
    assert.ok(Array.isArray(data) && data.length > 0);
  });
});

describe('wrong input', () => {
  const get = (path, headers = {}) =>
    fetch(`${stack.url}${path}`, {
      headers: { apikey: stack.ANON_KEY, ...headers },
    });
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const sign = async (header, claims, secret) => {
    const { createHmac } = await import('node:crypto');
    const text = `${encode(header)}.${encode(claims)}`;
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
  };
  const bearer = (token) => ({ authorization: `Bearer ${token}` });
  const HS256 = { alg: 'HS256', typ: 'JWT' };

  it("gives the original's error", async () => {
    const past = { role: 'anon', exp: 1_000_000_000 };
    const rows = [
      [
        'expired token',
        '/rest/v1/properties',
        bearer(await sign(HS256, past, stack.JWT_SECRET)),
        401,
        'PGRST303',
      ],
      [
        'wrong secret',
        '/rest/v1/properties',
        bearer(await sign(HS256, { role: 'service_role' }, 'x'.repeat(40))),
        401,
        'PGRST301',
      ],
      [
        'unsigned token',
        '/rest/v1/properties',
        bearer(`${encode({ alg: 'none' })}.${encode({ role: 'service_role' })}.`),
        401,
        'PGRST301',
      ],
      [
        'wrong algorithm',
        '/rest/v1/properties',
        bearer(await sign({ alg: 'RS256', typ: 'JWT' }, past, stack.JWT_SECRET)),
        401,
        'PGRST301',
      ],
      ['no token at all', '/rest/v1/properties', bearer('abc'), 401, 'PGRST301'],
      [
        'unknown role',
        '/rest/v1/properties',
        bearer(await sign(HS256, { role: 'nobody_at_all' }, stack.JWT_SECRET)),
        401,
        '22023',
      ],
      ['bad filter', '/rest/v1/properties?id=1', {}, 400, 'PGRST100'],
      ['bad value', '/rest/v1/properties?id=eq.x', {}, 400, '22P02'],
      ['unknown column', '/rest/v1/properties?nonsense=eq.1', {}, 400, '42703'],
      ['unknown table', '/rest/v1/nonsense', {}, 404, 'PGRST205'],
      ['unknown embed', '/rest/v1/properties?select=*,nonsense(*)', {}, 400, 'PGRST200'],
      ['unknown function', '/rest/v1/rpc/nonsense', {}, 404, 'PGRST202'],
      ['unknown schema', '/rest/v1/properties', { 'accept-profile': 'auth' }, 406, 'PGRST106'],
      ['unacceptable type', '/rest/v1/properties', { accept: 'text/nonsense' }, 406, 'PGRST107'],
      ['too deep a path', '/rest/v1/a/b/c', {}, 404, 'PGRST125'],
    ];
    for (const [what, path, headers, status, code] of rows) {
      const answer = await get(path, headers);
      const body = await answer.json();
      assert.deepEqual([answer.status, body.code], [status, code], `${what}: ${JSON.stringify(body)}`);
    }
  });

  it('gives it for bodies too', async () => {
    for (const [path, body, status, code] of [
      ['/rest/v1/properties', '{"a":', 400, 'PGRST102'],
      ['/rest/v1/properties', '[{"title":"a"},{"slug":"b"}]', 400, 'PGRST102'],
      ['/rest/v1/properties', '{"nonsense":1}', 400, 'PGRST204'],
    ]) {
      const answer = await fetch(`${stack.url}${path}`, {
        method: 'POST',
        headers: {
          apikey: stack.SECRET_KEY,
          'content-type': 'application/json',
        },
        body,
      });
      const found = await answer.json();
      assert.deepEqual([answer.status, found.code], [status, code], body);
    }
    const answer = await fetch(`${stack.url}/auth/v1/token?grant_type=password`, {
      method: 'POST',
      headers: { apikey: stack.ANON_KEY },
      body: '{',
    });
    assert.equal(answer.status, 400);
    assert.equal((await answer.json()).error_code, 'bad_json');
  });

  it('gives JSON for a route that nobody has', async () => {
    const answer = await fetch(`${stack.url}/nonsense`, {
      headers: { accept: 'application/json' },
    });
    assert.equal(answer.status, 404);
    assert.equal((await answer.json()).message, 'no Route matched with those values');
  });
});
