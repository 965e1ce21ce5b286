// D35: the product's own four functions, each under plain Deno against the platform, as functions-svc runs them.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import { freePort, mailTo, platform, root, trust, until } from '../harness.mjs';

const PASSWORD = 'nilam-demo-2026';
const SITE = 'https://nilam.example';
const deno = [process.env.DENO_BIN, path.join(root, 'node_modules/.bin/deno')].find(
  (candidate) => candidate && existsSync(candidate),
);

describe('the functions of the product', { skip: deno ? false : 'there is no Deno' }, () => {
  let stack;
  let service;
  const running = {};

  async function run(name) {
    const port = await freePort();
    const smtp = new URL(stack.SMTP_URL);
    const child = spawn(
      deno,
      ['run', '--quiet', '--allow-net', '--allow-env', '--allow-read', `functions/${name}/index.ts`],
      {
        cwd: root,
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          ...trust,
          DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
          SUPABASE_URL: stack.url,
          SUPABASE_ANON_KEY: stack.ANON_KEY,
          SUPABASE_SERVICE_ROLE_KEY: stack.SERVICE_ROLE_KEY,
          SITE_URL: SITE,
          SMTP_HOST: smtp.hostname,
          SMTP_PORT: smtp.port,
          CONTACT_TO: 'team@nilam.example',
        },
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    );
    const url = `http://127.0.0.1:${port}/${name}`;
    await until(
      `${name} answers`,
      async () => (await fetch(url, { method: 'OPTIONS' })).status < 500,
      120_000,
    );
    running[name] = { child, url };
  }

  const call = (name, { key, body, ...more } = {}) =>
    fetch(running[name].url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...more,
    });

  async function signIn(email) {
    const supabase = createClient(stack.url, stack.ANON_KEY, { auth: { persistSession: false } });
    const { data, error } = await supabase.auth.signInWithPassword({ email, password: PASSWORD });
    assert.equal(error, null);
    return { supabase, id: data.user.id };
  }

  before(async () => {
    stack = await platform();
    service = createClient(stack.url, stack.SERVICE_ROLE_KEY, { auth: { persistSession: false } });
    // One after the other: the first fetches what all of them import.
    for (const name of ['contact', 'enquiry-notify', 'sitemap', 'saved-search-alerts']) await run(name);
  });
  after(async () => {
    for (const { child } of Object.values(running)) child.kill();
    await stack?.close();
  });

  it('contact: stores and mails a message, tells what is wrong, and takes five an hour', async () => {
    const body = {
      name: 'Meena Raghavan',
      email: 'meena@example.com',
      phone: '+91 98765 43210',
      subject: 'A question\r\nBcc: everybody@example.com',
      message: 'Do you also list plots near the airport?',
    };
    const wrong = await call('contact', { body: { ...body, email: 'meena', message: 'Hi' } });
    assert.equal(wrong.status, 400);
    assert.deepEqual(Object.keys((await wrong.json()).fields), ['email', 'message']);
    // A field that only programs fill in: answered, and forgotten.
    assert.equal((await call('contact', { body: { ...body, website: 'https://spam.example' } })).status, 200);
    for (let attempt = 0; attempt < 5; attempt++)
      assert.equal((await call('contact', { body })).status, 200, `message ${attempt + 1}`);
    const sixth = await call('contact', { body });
    assert.equal(sixth.status, 429);
    assert.match((await sixth.json()).error, /Too many messages/);
    const { data } = await service.from('contact_messages').select('*').eq('email', body.email);
    assert.equal(data.length, 5);
    assert.equal(data[0].message, body.message);
    assert.match(data[0].sender_hash, /^[0-9a-f]{64}$/);
    const mail = await mailTo(stack.MAILPIT_URL, 'team@nilam.example');
    assert.match(mail.Subject, /Contact form: A question/);
    assert.match(mail.Text, /plots near the airport/);
    assert.equal(mail.Bcc?.length ?? 0, 0);
  });

  it('contact: nobody but the service stores messages past the count', async () => {
    const anyone = createClient(stack.url, stack.ANON_KEY, { auth: { persistSession: false } });
    const { error } = await anyone.rpc('take_contact_message', {
      name: 'x',
      email: 'x@example.com',
      phone: '',
      subject: '',
      message: 'A long enough message.',
      sender_hash: 'x',
    });
    assert.equal(error.code, '42501');
  });

  it('enquiry-notify: tells the owner once, as the owner wants it', async () => {
    const owner = await signIn('owner@demo.example.com');
    const buyer = await signIn('buyer@demo.example.com');
    const { data: listings } = await buyer.supabase
      .from('properties')
      .select('id, title')
      .eq('owner_id', owner.id)
      .eq('status', 'active')
      .limit(2);
    const ask = async ({ id }, message) => {
      const { data, error } = await service
        .from('enquiries')
        .insert({ property_id: id, sender_id: buyer.id, owner_id: owner.id, name: 'Anjali Thomas', message })
        .select()
        .single();
      assert.equal(error, null);
      return { type: 'INSERT', table: 'enquiries', schema: 'public', record: data };
    };
    const payload = await ask(listings[0], 'Is the ground floor free from May?');
    assert.equal((await call('enquiry-notify', { body: payload })).status, 403);
    assert.equal((await call('enquiry-notify', { body: payload, key: stack.ANON_KEY })).status, 403);
    const key = stack.SERVICE_ROLE_KEY;
    assert.equal((await call('enquiry-notify', { body: { record: { id: 'x' } }, key })).status, 400);
    // The database's own trigger calls it as well, and either may be the first.
    const first = await (await call('enquiry-notify', { body: payload, key })).json();
    assert.ok(first.told[0] === 'mail' || first.reason === 'already', JSON.stringify(first));
    const again = await call('enquiry-notify', { body: payload, key });
    assert.deepEqual(await again.json(), { told: [], reason: 'already' });
    const mail = await mailTo(stack.MAILPIT_URL, 'owner@demo.example.com');
    assert.ok(mail.Subject.includes(listings[0].title));
    assert.match(mail.Text, /Is the ground floor free from May\?/);
    assert.match(mail.Text, /https:\/\/nilam\.example\/dashboard\?tab=enquiries/);
    const mails = async () => {
      const query = encodeURIComponent('to:owner@demo.example.com');
      return (await (await fetch(`${stack.MAILPIT_URL}/api/v1/search?query=${query}`)).json()).messages
        .length;
    };
    assert.equal(await mails(), 1);

    const { error } = await owner.supabase
      .from('profiles')
      .update({ enquiry_mail: false })
      .eq('id', owner.id);
    assert.equal(error, null);
    const quiet = await ask(listings[1] ?? listings[0], 'And is there room for a generator?');
    const answer = await (await call('enquiry-notify', { body: quiet, key })).json();
    assert.deepEqual(answer.told, []);
    const { data: marked } = await service
      .from('enquiries')
      .select('notified_at')
      .eq('id', quiet.record.id)
      .single();
    assert.ok(marked.notified_at);
    assert.equal(await mails(), 1);
  });

  it('sitemap: lists what is public, and nothing else', async () => {
    const answer = await call('sitemap', { method: 'GET' });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type'), /^application\/xml/);
    const xml = await answer.text();
    const places = [...xml.matchAll(/<loc>([^<]+)<\/loc>/g)].map(([, place]) => place);
    const under = (prefix) => places.filter((place) => place.startsWith(`${SITE}${prefix}`)).length;
    assert.equal(under('/property/'), 170);
    assert.equal(under('/coworking/'), 56);
    assert.ok(places.includes(`${SITE}/commercial/office-spaces`));
    assert.ok(places.includes(`${SITE}/commercial/office-spaces-in-coimbatore`));
    assert.equal(new Set(places).size, places.length);
    const { data: hidden } = await service.from('properties').select('slug').neq('status', 'active');
    for (const { slug } of hidden) assert.ok(!places.includes(`${SITE}/property/${slug}`), slug);
    assert.equal((await call('sitemap')).status, 405);
  });

  it('saved-search-alerts: mails what is new in a kept search, once', async () => {
    const buyer = await signIn('buyer@demo.example.com');
    const keep = async (name, params, alert) => {
      const { error } = await buyer.supabase
        .from('saved_searches')
        .insert({ name, query: { params }, alert });
      assert.equal(error, null);
    };
    // What the demonstration brought along is not what this is about.
    await service.from('saved_searches').delete().neq('id', '00000000-0000-0000-0000-000000000000');
    await keep('Sheds in Hosur', 'for=lease&type=industrial&city=Hosur&min=50000', 'instant');
    await keep('Silent', 'city=Hosur', 'off');
    const key = stack.SERVICE_ROLE_KEY;
    assert.equal((await call('saved-search-alerts')).status, 403);
    assert.deepEqual(await (await call('saved-search-alerts', { key })).json(), { sent: 0, failed: 0 });
    const owner = await signIn('owner@demo.example.com');
    const list = async (title, price) => {
      const { error } = await service.from('properties').insert({
        owner_id: owner.id,
        slug: title.toLowerCase().replaceAll(' ', '-'),
        status: 'active',
        intent: 'lease',
        property_type: 'industrial',
        title,
        description: 'A shed with a crane and a wide gate, close to the highway.',
        price,
        carpet_area: 4000,
        address: '1, SIPCOT Road',
        locality: 'SIPCOT',
        city: 'Hosur',
        state: 'Tamil Nadu',
        pincode: '635126',
      });
      assert.equal(error, null);
    };
    await list('A shed that is new', 90_000);
    await list('A shed that is too cheap', 20_000);
    assert.deepEqual(await (await call('saved-search-alerts', { key })).json(), { sent: 1, failed: 0 });
    const mail = await mailTo(stack.MAILPIT_URL, 'buyer@demo.example.com');
    assert.match(mail.Subject, /1 new for “Sheds in Hosur”/);
    assert.match(mail.Text, /A shed that is new, Hosur/);
    assert.doesNotMatch(mail.Text, /too cheap/);
    assert.deepEqual(await (await call('saved-search-alerts', { key })).json(), { sent: 0, failed: 0 });
  });
});
