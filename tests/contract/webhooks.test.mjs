// A row that supabase-js inserts reaches a server through a trigger, as the dashboard's webhooks do.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import pg from 'pg';
import { platform, until } from '../harness.mjs';

let stack;
let database;
let receiver;
const received = [];

before(async () => {
  stack = await platform();
  database = new pg.Client(stack.DB_URL);
  await database.connect();
  receiver = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({ method: request.method, url: request.url, headers: request.headers, body });
    response.setHeader('content-type', 'text/plain').end('thanks');
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
});
after(async () => {
  receiver?.close();
  await database?.end();
  await stack?.close();
});

it('calls a server when a row is inserted', async () => {
  const url = `http://127.0.0.1:${receiver.address().port}/hook`;
  await database.query(`
    create table public.tickets (id int primary key, title text);
    create trigger "tell somebody" after insert on public.tickets for each row
      execute function supabase_functions.http_request(
        '${url}', 'POST', '{"Content-type":"application/json","Authorization":"Bearer t"}', '{"v":"1"}', '5000')`);
  const service = createClient(stack.url, stack.SERVICE_ROLE_KEY, {
    auth: { persistSession: false },
  });
  // There may be several copies of rest, and each learns of it by itself.
  let known = 0;
  await until('the new table, everywhere', async () => {
    known = (await service.from('tickets').select()).error ? 0 : known + 1;
    return known === 10;
  });
  const { error } = await service.from('tickets').insert({ id: 7, title: 'leaking tap' });
  assert.equal(error, null);
  const [call] = await until('the call', () => received.length && received);
  assert.equal(call.method, 'POST');
  assert.equal(call.url, '/hook?v=1');
  assert.equal(call.headers.authorization, 'Bearer t');
  assert.equal(call.headers['content-type'], 'application/json');
  assert.deepEqual(JSON.parse(call.body), {
    type: 'INSERT',
    table: 'tickets',
    schema: 'public',
    record: { id: 7, title: 'leaking tap' },
    old_record: null,
  });
  const answer = await until('the answer', async () => {
    const found = await database.query(
      'select r.status_code, r.content, h.hook_name from net._http_response r join supabase_functions.hooks h on h.request_id = r.id',
    );
    return found.rows[0];
  });
  assert.deepEqual(answer, { status_code: 200, content: 'thanks', hook_name: 'tell somebody' });
});
