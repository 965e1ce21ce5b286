// What is told while it happens: enquiries and decisions to owners, listings that wait to administrators, and how
// many look at a property.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import { until } from '../harness.mjs';
import { inspect } from './axe.mjs';
import { visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit } = world;
const PASSWORD = 'nilam-demo-2026';
const at = (route) => `${world.stack.url}${route}`;

/** A page on which this account is signed in, and the realtime frames that it sent. */
async function signedIn(email, route) {
  const session = await visit();
  const { page } = session;
  const sent = [];
  page.on('websocket', (socket) => {
    if (socket.url().includes('/realtime/'))
      socket.on('framesent', ({ payload }) => sent.push(String(payload)));
  });
  await page.goto(at('/auth/login'));
  await page.getByRole('tab', { name: 'Email' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname !== '/auth/login');
  // Within the page, so that the socket stays.
  if (route) await page.getByRole('link', { name: route }).first().click();
  await until('the channel is joined', () => sent.some((frame) => frame.includes('phx_join')));
  // The service answers a join before it listens to the database.
  await page.waitForTimeout(1500);
  return { ...session, sent };
}

async function client(email) {
  const supabase = createClient(world.stack.url, world.stack.ANON_KEY, { auth: { persistSession: false } });
  const { data, error } = await supabase.auth.signInWithPassword({ email, password: PASSWORD });
  assert.equal(error, null);
  return { supabase, id: data.user.id };
}

it('tells an owner of an enquiry at once, counts it, and leaves with the session', async () => {
  const { page, problems, sent, close } = await signedIn('owner@demo.example.com');
  const badge = page.locator('[data-slot=badge]').filter({ visible: true });
  await badge.waitFor();
  const before = Number(await badge.innerText());
  const buyer = await client('buyer@demo.example.com');
  const owner = await client('owner@demo.example.com');
  const { data: listings } = await buyer.supabase
    .from('properties')
    .select('id')
    .eq('owner_id', owner.id)
    .eq('status', 'active');
  const { data: asked } = await buyer.supabase
    .from('enquiries')
    .select('property_id')
    .eq('sender_id', buyer.id);
  const listing = listings.find(({ id }) => !asked.some((each) => each.property_id === id));
  const { error } = await buyer.supabase.rpc('contact_owner', {
    property_id: listing.id,
    name: 'Anjali Thomas',
    phone: '',
    message: 'May we come and look at it on Monday?',
  });
  assert.equal(error, null);
  await page.getByText('New enquiry from Anjali Thomas').waitFor();
  await badge.getByText(String(before + 1), { exact: true }).waitFor();
  await page.getByText('May we come and look at it on Monday?').waitFor();
  await page.getByRole('button', { name: 'Mark as read: Anjali Thomas' }).first().click();
  await badge.getByText(String(before), { exact: true }).waitFor();
  assert.equal(sent.filter((frame) => frame.includes('phx_join')).length, 1, 'one channel');
  await page.getByRole('button', { name: /Lakshmi Subramanian/ }).click();
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByText('Logged out successfully').waitFor();
  await until('the channel is left', () => sent.some((frame) => frame.includes('phx_leave')));
  assert.deepEqual(problems, []);
  await close();
});

it('tells an owner what was decided about a listing', async () => {
  const admin = await client('admin@demo.example.com');
  const { data: waiting } = await admin.supabase
    .from('properties')
    .select('id, title, owner:profiles(email)')
    .eq('status', 'pending');
  const byOwner = new Map();
  for (const each of waiting) byOwner.set(each.owner.email, [...(byOwner.get(each.owner.email) ?? []), each]);
  const [email, [first]] = [...byOwner].find(([address]) => address);
  const { page, problems, close } = await signedIn(email);
  const { error } = await admin.supabase.rpc('moderate', {
    p_id: first.id,
    to: 'rejected',
    reason: 'The pictures are of another place.',
  });
  assert.equal(error, null);
  await page.getByText(`“${first.title}” was rejected: The pictures are of another place.`).waitFor();
  const owner = await client(email);
  assert.equal(
    (await owner.supabase.from('properties').update({ status: 'pending' }).eq('id', first.id)).error,
    null,
  );
  assert.equal((await admin.supabase.rpc('moderate', { p_id: first.id, to: 'active' })).error, null);
  await page.getByText(`“${first.title}” was approved and is now public.`).waitFor();
  await page.getByRole('button', { name: 'View' }).click();
  await page.getByRole('heading', { level: 1, name: first.title }).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('tells an administrator what came to wait, from the administration on', async () => {
  const { page, sent, close } = await signedIn('admin@demo.example.com');
  const joins = () => sent.filter((frame) => frame.includes('phx_join')).length;
  const before = joins();
  await page.goto(at('/admin'));
  // The right is asked for there, and the channel is joined anew with what it allows.
  await until('the queue is followed', () =>
    sent.slice(before).some((frame) => frame.includes('phx_join') && frame.includes('status=eq.pending')),
  );
  await page.waitForTimeout(1500);
  const owner = await client('owner@demo.example.com');
  const { data, error } = await owner.supabase
    .from('properties')
    .insert({
      owner_id: owner.id,
      status: 'pending',
      intent: 'lease',
      property_type: 'office',
      title: 'A quiet office that waits',
      description: 'A quiet office on the second floor, with light from two sides.',
      carpet_area: 900,
      address: '1, Test Road',
      locality: 'Peelamedu',
      city: 'Coimbatore',
      state: 'Tamil Nadu',
      pincode: '641004',
      slug: 'unused',
    })
    .select('id')
    .single();
  assert.equal(error, null);
  await page.getByText('“A quiet office that waits” is waiting for review.').waitFor();
  assert.ok(data.id);
  await close();
});

it('says how many look at a property when there are two or more', async () => {
  const first = await visit();
  const second = await visit();
  await first.page.goto(at('/commercial'));
  const link = first.page.locator('[data-slot=property-card] a').first();
  const address = await link.getAttribute('href');
  await first.page.goto(at(address));
  await first.page.locator('[data-slot=viewers]').waitFor({ state: 'attached' });
  await first.page.waitForTimeout(3000);
  assert.equal(await first.page.getByText(/people? viewing/).count(), 0);
  await second.page.goto(at(address));
  await first.page.getByText('2 people viewing').waitFor();
  await second.page.getByText('2 people viewing').waitFor();
  await second.page.getByRole('link', { name: 'Nilam', exact: true }).click();
  await first.page.getByText('2 people viewing').waitFor({ state: 'detached' });
  assert.deepEqual([...first.problems, ...second.problems], []);
  await first.close();
  await second.close();
});

it('has no accessibility defect on the pages of an account, with something new', onePass, async () => {
  const { page, close } = await signedIn('owner2@demo.example.com');
  for (const route of [
    '/dashboard',
    '/shortlisted-properties',
    '/viewed-properties',
    '/contacted-properties',
  ])
    await inspect(page, at(route), (each) =>
      each.locator('[data-slot=badge]').filter({ visible: true }).waitFor(),
    );
  await close();
});

it('catches up with what happened while the connection was away', async () => {
  const { page, close } = await visit();
  const sockets = [];
  let away = false;
  await page.routeWebSocket(/\/realtime\//, (socket) => {
    sockets.push(socket);
    // Neither side hears of the other while it is away.
    if (away) void socket.close();
    else socket.connectToServer();
  });
  await page.goto(at('/auth/login'));
  await page.getByRole('tab', { name: 'Email' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill('owner3@demo.example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL('**/dashboard');
  await until('the socket is open', () => sockets.length > 0);
  await page.waitForTimeout(2000);
  away = true;
  const [first] = sockets;
  await first.close();
  const owner = await client('owner3@demo.example.com');
  const buyer = await client('buyer@demo.example.com');
  const { data: listings } = await buyer.supabase
    .from('properties')
    .select('id')
    .eq('owner_id', owner.id)
    .eq('status', 'active');
  const { error } = await buyer.supabase.from('enquiries').insert({
    property_id: listings[0].id,
    sender_id: buyer.id,
    owner_id: owner.id,
    name: 'Anjali Thomas',
    message: 'This was asked while the connection was away.',
  });
  assert.equal(error, null);
  assert.equal(await page.getByText('This was asked while the connection was away.').count(), 0);
  away = false;
  await page.getByText('This was asked while the connection was away.').waitFor();
  await close();
});
