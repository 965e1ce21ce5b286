// Broadcast, presence, changes of rows and private channels, by the published client.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import pg from 'pg';
import { platform, smsCode } from '../harness.mjs';

let stack;
let database;
const clients = [];

/** A client whose sockets are closed when the tests are over. */
function client(key = stack.PUBLISHABLE_KEY) {
  const supabase = createClient(stack.url, key, { auth: { persistSession: false } });
  clients.push(supabase);
  return supabase;
}

/** Somebody who signed in by phone. */
async function person(phone) {
  const supabase = client();
  await supabase.auth.signInWithOtp({ phone });
  const token = await smsCode(stack.MAILPIT_URL, phone);
  const { data, error } = await supabase.auth.verifyOtp({ phone, token, type: 'sms' });
  assert.equal(error, null);
  await supabase.realtime.setAuth();
  return { supabase, id: data.user.id };
}

/** Subscribes; gives the status that the client ends with, and its error. */
const subscribed = (channel) =>
  new Promise((resolve) => {
    channel.subscribe((status, error) => {
      if (status !== 'CLOSED') resolve([status, error?.message]);
    });
  });

/** What a listener is called with, one after the other. */
function queue() {
  const waiting = [];
  const heard = [];
  return {
    take: (value) => (waiting.length ? waiting.shift()(value) : heard.push(value)),
    next: () =>
      heard.length ? Promise.resolve(heard.shift()) : new Promise((resolve) => waiting.push(resolve)),
    get isEmpty() {
      return heard.length === 0;
    },
  };
}

/** Listens to changes of a table; ready when they flow. */
async function changes(supabase, wanted) {
  const heard = queue();
  const system = queue();
  const channel = supabase
    .channel(randomUUID())
    .on('postgres_changes', wanted, heard.take)
    .on('system', {}, system.take);
  assert.deepEqual(await subscribed(channel), ['SUBSCRIBED', undefined]);
  const { status, message } = await system.next();
  assert.deepEqual([status, message], ['ok', 'Subscribed to PostgreSQL']);
  return heard;
}

before(async () => {
  stack = await platform();
  database = new pg.Client(stack.DB_URL.replace('postgres:postgres@', 'supabase_admin:postgres@'));
  await database.connect();
  await database.query(`
    create policy listen on realtime.messages for select to authenticated using (realtime.topic() like 'club:%');
    create policy speak on realtime.messages for insert to authenticated
      with check (realtime.topic() = 'club:' || (select auth.uid())::text)`);
});
after(async () => {
  for (const supabase of clients) await supabase.removeAllChannels();
  await database?.end();
  await stack?.close();
});

it('carries messages between clients, over sockets and by request', async () => {
  const topic = randomUUID();
  const [ann, bob] = [client(), client()];
  const heard = queue();
  const listening = bob.channel(topic).on('broadcast', { event: '*' }, heard.take);
  const sending = ann.channel(topic, { config: { broadcast: { ack: true } } });
  assert.deepEqual(await subscribed(listening), ['SUBSCRIBED', undefined]);
  assert.deepEqual(await subscribed(sending), ['SUBSCRIBED', undefined]);
  assert.equal(await sending.send({ type: 'broadcast', event: 'hello', payload: { text: 'வணக்கம்' } }), 'ok');
  const message = await heard.next();
  assert.deepEqual([message.event, message.payload], ['hello', { text: 'வணக்கம்' }]);
  const sent = await client().channel(topic).httpSend('by request', { n: 1 });
  assert.equal(sent.success, true);
  const other = await heard.next();
  assert.deepEqual([other.event, other.payload], ['by request', { n: 1 }]);
});

it('tells who is there', async () => {
  const topic = randomUUID();
  const join = async (supabase, key) => {
    const heard = queue();
    const channel = supabase.channel(topic, { config: { presence: { key } } });
    channel.on('presence', { event: 'sync' }, () => heard.take(Object.keys(channel.presenceState()).sort()));
    assert.deepEqual(await subscribed(channel), ['SUBSCRIBED', undefined]);
    assert.equal(await channel.track({ at: key }), 'ok');
    return { channel, heard };
  };
  const until = async ({ heard }, keys) => {
    while ((await heard.next()).join() !== keys.join());
  };
  const ann = await join(client(), 'ann');
  const bob = await join(client(), 'bob');
  await until(ann, ['ann', 'bob']);
  await until(bob, ['ann', 'bob']);
  await bob.channel.unsubscribe();
  await until(ann, ['ann']);
});

it('tells an owner of an enquiry at once, and nobody else', async () => {
  const owner = await person('+919876500041');
  const sender = await person('+919876500042');
  const stranger = await person('+919876500043');
  const { rows } = await database.query(
    `update public.properties set owner_id = $1 where id = (select id from public.properties where status = 'active' limit 1)
     returning id`,
    [owner.id],
  );
  const wanted = { event: 'INSERT', schema: 'public', table: 'enquiries' };
  const own = await changes(owner.supabase, { ...wanted, filter: `owner_id=eq.${owner.id}` });
  const all = await changes(stranger.supabase, wanted);
  const anonymous = await changes(client(), wanted);
  const ask = (message) =>
    sender.supabase.from('enquiries').insert({
      property_id: rows[0].id,
      sender_id: sender.id,
      name: 'Asha',
      phone: '+919876500042',
      message,
    });
  const { error } = await ask('Is the second floor still free, and from when?');
  assert.equal(error, null);
  const change = await own.next();
  assert.deepEqual([change.eventType, change.new.owner_id, change.new.name], ['INSERT', owner.id, 'Asha']);
  // What comes later has come when the owner's own next change is here.
  await ask('And is there parking for two cars in the basement?');
  await own.next();
  assert.equal(all.isEmpty, true);
  // Who may not read the table at all learns that something happened, and nothing of it.
  const blind = await anonymous.next();
  assert.deepEqual([blind.errors, blind.new], [['Error 401: Unauthorized'], {}]);
});

it('opens private channels by policies, also when these change', async () => {
  const ann = await person('+919876500044');
  const bob = await person('+919876500045');
  const topic = `club:${ann.id}`;
  const config = { config: { private: true, broadcast: { ack: true } } };
  const heard = queue();
  const listening = bob.supabase.channel(topic, config).on('broadcast', { event: '*' }, heard.take);
  assert.deepEqual(await subscribed(listening), ['SUBSCRIBED', undefined]);
  const speaking = ann.supabase.channel(topic, config);
  assert.deepEqual(await subscribed(speaking), ['SUBSCRIBED', undefined]);
  assert.equal(await speaking.send({ type: 'broadcast', event: 'mine', payload: {} }), 'ok');
  assert.equal((await heard.next()).event, 'mine');

  await database.query(`select realtime.send('{"n": 1}', 'from the database', $1)`, [topic]);
  const message = await heard.next();
  assert.deepEqual([message.event, message.payload.n], ['from the database', 1]);

  await bob.supabase.removeAllChannels();
  await database.query('drop policy listen on realtime.messages');
  const [status, reason] = await subscribed(bob.supabase.channel(topic, config));
  // The refusal comes late, so the client may have given up before.
  assert.ok(status === 'TIMED_OUT' || /You do not have permissions to read/.test(reason), reason);
});
