// The owner's side: a property is listed, looked at, found and asked about; what is a draft stays one's own.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import { mailTo, root, smsCode, until } from '../harness.mjs';
import { inspect } from './axe.mjs';
import { expect, visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit } = world;
const PASSWORD = 'nilam-demo-2026';
const at = (route) => `${world.stack.url}${route}`;
const picture = (number) => ({
  name: `scene-0${number}.webp`,
  mimeType: 'image/webp',
  buffer: readFileSync(path.join(root, `sql/marketplace/seed/pictures/scene-0${number}.webp`)),
});

async function signedIn(email, viewport) {
  const session = await visit(viewport);
  const { page } = session;
  await page.goto(at('/auth/login'));
  await page.getByRole('tab', { name: 'Email' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname !== '/auth/login');
  return session;
}

async function client(email) {
  const supabase = createClient(world.stack.url, world.stack.ANON_KEY, { auth: { persistSession: false } });
  const { data, error } = await supabase.auth.signInWithPassword({ email, password: PASSWORD });
  assert.equal(error, null);
  return { supabase, id: data.user.id };
}

/** A draft of this account that could be submitted. */
async function draftOf({ supabase, id }, more = {}) {
  const { data, error } = await supabase
    .from('properties')
    .insert({
      owner_id: id,
      status: 'draft',
      intent: 'lease',
      property_type: 'office',
      title: 'A draft with a view of the hills',
      description: 'A quiet office on the second floor, with light from two sides.',
      carpet_area: 900,
      address: '1, Test Road',
      locality: 'Peelamedu',
      city: 'Coimbatore',
      state: 'Tamil Nadu',
      pincode: '641004',
      slug: '',
      ...more,
    })
    .select()
    .single();
  assert.equal(error, null);
  return data;
}

const next = (page) => page.getByRole('button', { name: 'Continue' }).click();
const step = (page, name) => page.getByRole('heading', { level: 2, name, exact: true }).waitFor();

it('keeps every letter and the focus while a new listing gets its address', async () => {
  const { page, problems, close } = await signedIn('owner3@demo.example.com');
  await page.goto(at('/list-property'));
  await page.getByText('For lease', { exact: true }).first().click();
  await page.getByText('Office', { exact: true }).first().click();
  await page.getByText('IT park', { exact: true }).click();
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/rest/v1/properties*', async (route) => {
    if (route.request().method() === 'POST') await held;
    await route.continue();
  });
  await next(page);
  await step(page, 'Location');
  const pin = page.getByLabel('PIN code');
  await pin.pressSequentially('641');
  release();
  await page.waitForURL(/\/edit-listing\//);
  // Typed into whatever has the focus.
  await page.keyboard.type('004', { delay: 60 });
  await expect(pin).toHaveValue('641004');
  // A page that waited to take the focus would have done so by now.
  await page.waitForTimeout(300);
  await expect(pin).toBeFocused();
  // Another new listing begins with nothing.
  await page.getByRole('banner').getByRole('link', { name: 'List Your Property' }).click();
  await step(page, 'Type');
  await expect(page.getByRole('radio', { checked: true })).toHaveCount(0);
  assert.deepEqual(problems, []);
  await close();
});

it('R4, R11, R17, R82, R107, R108: lists a property with photos, and approved it is found in the search', async () => {
  const { page, problems, close } = await signedIn('owner2@demo.example.com');
  await page.getByRole('banner').getByRole('link', { name: 'List Your Property' }).click();
  await page.getByRole('heading', { level: 1, name: 'List your property' }).waitFor();

  // Several things wrong: each in a line, and the summary has the focus.
  await next(page);
  const summary = page.locator('[data-slot=error-summary]');
  await summary.getByText('Please fix the following errors:').waitFor();
  await until('the summary has the focus', () =>
    page.evaluate(() => document.activeElement?.matches('[data-slot=error-summary]')),
  );
  await expect(summary.getByRole('link')).toHaveCount(2);
  await page.getByText('For lease', { exact: true }).first().click();
  await next(page);
  // One is named alone.
  assert.equal((await summary.innerText()).trim(), 'Property type: This field is required.');
  await page.getByText('Office', { exact: true }).first().click();
  await page.getByText('IT park', { exact: true }).click();
  await next(page);
  await page.waitForURL(/\/edit-listing\/[0-9a-f-]{36}\?step=place/);
  const id = new URL(page.url()).pathname.split('/').at(-1);

  await step(page, 'Location');
  await page.getByLabel('PIN code').fill('641004');
  await page.getByText('Coimbatore, Tamil Nadu').waitFor();
  await expect(page.getByLabel('City')).toHaveValue('Coimbatore');
  await expect(page.getByLabel('State')).toHaveValue('Tamil Nadu');
  await page.getByLabel('Locality').first().fill('Peelamedu');
  await page.getByLabel('Address').fill('12, Avinashi Road');
  await page.getByLabel('Coordinates or a map link').fill('https://maps.google.com/?q=11.0260,77.0029');
  await expect(page.getByLabel('Latitude')).toHaveValue('11.026000');
  await next(page);

  await step(page, 'Details');
  await page.getByLabel('Carpet area').fill('1,250');
  const builtUp = page.getByRole('textbox', { name: 'Built-up area', exact: true });
  await builtUp.fill('1000');
  await builtUp.blur();
  // On leaving the field, under it, and tied to it.
  const said = page.getByText('It cannot be smaller than the carpet area.');
  await said.waitFor();
  assert.ok((await builtUp.getAttribute('aria-describedby')).includes(await said.getAttribute('id')));
  await builtUp.fill('1600');
  await page.getByLabel('Property title').fill('Windmill Court office by the airport');
  await page.getByRole('button', { name: 'Suggest a description' }).click();
  // Written by itself, after a while.
  await page.getByText(/^Saved at/).waitFor();
  const owner = await client('owner2@demo.example.com');
  const draft = await owner.supabase.from('properties').select('*').eq('id', id).single();
  assert.equal(draft.data.status, 'draft');
  assert.equal(draft.data.title, 'Windmill Court office by the airport');
  await next(page);

  await step(page, 'Pricing');
  await page.getByLabel('Expected price').fill('1.25 lakh');
  await page.locator('[data-slot=price-hint]').getByText('Yours is ₹100 per sq ft.').waitFor();
  await next(page);

  await step(page, 'Photos');
  const choose = page.getByLabel('Choose photos');
  await choose.setInputFiles([
    picture(1),
    picture(2),
    { name: 'note.jpg', mimeType: 'image/jpeg', buffer: Buffer.from('this is no picture') },
    { name: 'huge.png', mimeType: 'image/png', buffer: pngOf(11 * 1024 * 1024) },
  ]);
  await page
    .getByText('Invalid file type. Please upload JPG, PNG, WebP or AVIF images.', { exact: true })
    .waitFor();
  await page.getByText('File is too large. Maximum size is 10 MB.', { exact: true }).waitFor();
  await page.getByText('2 of 20 photos').waitFor();
  await page.getByRole('button', { name: 'Dismiss note.jpg' }).click();
  await page.getByRole('button', { name: 'Dismiss huge.png' }).click();
  const order = async () => {
    const { data } = await owner.supabase
      .from('property_images')
      .select('*')
      .eq('property_id', id)
      .order('order');
    return data;
  };
  const [first, second] = await order();
  assert.match(first.path, new RegExp(`^${owner.id}/${id}/[0-9a-f-]{36}\\.webp$`));
  assert.ok(first.width <= 1920 && first.height > 0);
  await page.getByRole('button', { name: 'Move photo 2 forward' }).click();
  await page.getByText('Photo 2 is now number 1 of 2.').waitFor({ state: 'attached' });
  await until('the order is stored', async () => (await order())[0].id === second.id);
  await page.getByRole('button', { name: 'Use photo 2 as cover' }).click();
  await until('the cover is stored', async () => (await order())[1].is_cover);
  await page.getByLabel('What photo 2 shows').fill('The front from the road');
  await page.getByLabel('What photo 2 shows').blur();
  await until('the text is stored', async () => (await order())[1].alt === 'The front from the road');
  await page.getByRole('button', { name: 'Remove photo 1' }).click();
  await page.getByText('1 of 20 photos').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('2 of 20 photos').waitFor();
  // A paper of more than 6 MiB goes in pieces.
  const pieces = [];
  page.on(
    'request',
    (request) => request.url().includes('/upload/resumable') && pieces.push(request.method()),
  );
  await page.getByLabel('Choose papers').setInputFiles({
    name: 'Sale deed.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(7 * 1024 * 1024)]),
  });
  await page.getByRole('button', { name: 'Sale deed.pdf', exact: true }).waitFor();
  assert.ok(pieces.includes('POST') && pieces.includes('PATCH'), `in pieces: ${pieces}`);
  await next(page);

  await step(page, 'Review');
  await page.getByText('Everything we need is here.').waitFor();
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sent for review' }).waitFor();
  await page.getByText('within one working day').waitFor();

  const admin = await client('admin@demo.example.com');
  const moderated = await admin.supabase.rpc('moderate', { p_id: id, to: 'active' });
  assert.equal(moderated.error, null);
  await page.getByText('“Windmill Court office by the airport” was approved and is now public.').waitFor();
  assert.deepEqual(problems, []);
  await close();

  const guest = await visit();
  await guest.page.goto(at('/search?q=windmill+court'));
  await guest.page.getByRole('link', { name: 'Windmill Court office by the airport' }).first().click();
  await guest.page.getByRole('heading', { level: 1, name: 'Windmill Court office by the airport' }).waitFor();
  await guest.page.getByText('₹1.25 Lakh').filter({ visible: true }).first().waitFor();
  const cover = guest.page.locator('main img').first();
  await until('the photo is drawn', () => cover.evaluate((image) => image.naturalWidth > 0));
  assert.deepEqual(guest.problems, []);
  await guest.close();
});

/** Bytes that begin as a PNG does. */
function pngOf(size) {
  const bytes = Buffer.alloc(size);
  Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]).copy(bytes);
  return bytes;
}

it('D18, D44: somebody else’s draft cannot be reached, and neither can one that never was', async () => {
  const owner = await client('owner@demo.example.com');
  const draft = await draftOf(owner);
  const { page, close } = await signedIn('owner3@demo.example.com');
  for (const id of [draft.id, '00000000-0000-4000-8000-000000000000', 'nonsense']) {
    await page.goto(at(`/edit-listing/${id}`));
    await page.getByRole('heading', { level: 1, name: 'Listing not found' }).waitFor();
  }
  await page.goto(at(`/property/${draft.slug}`));
  await page.getByRole('heading', { level: 1, name: 'Property Not Found' }).waitFor();
  const other = await client('owner3@demo.example.com');
  const { data } = await other.supabase.from('properties').select('id').eq('id', draft.id);
  assert.deepEqual(data, []);
  const written = await other.supabase
    .from('properties')
    .update({ title: 'Not yours at all' })
    .eq('id', draft.id)
    .select();
  assert.deepEqual(written.data, []);
  // Also one that everybody may read is edited by its owner alone.
  const { data: shown } = await other.supabase
    .from('properties')
    .select('id')
    .eq('owner_id', owner.id)
    .eq('status', 'active')
    .limit(1)
    .single();
  await page.goto(at(`/edit-listing/${shown.id}`));
  await page.getByRole('heading', { level: 1, name: 'Listing not found' }).waitFor();
  await close();
});

it('R12: a guest who wants to edit signs in first and comes back', async () => {
  const owner = await client('owner@demo.example.com');
  const draft = await draftOf(owner, { title: 'A draft behind the login' });
  const { page, close } = await visit();
  await page.goto(at(`/edit-listing/${draft.id}?step=pricing`));
  await page.waitForURL('**/auth/login');
  await page.getByRole('tab', { name: 'Email' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill('owner@demo.example.com');
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(`**/edit-listing/${draft.id}?step=pricing`);
  await step(page, 'Pricing');
  await close();
});

it('D46, D61: what is typed without a connection is kept, and saved when it is back', async () => {
  const owner = await client('owner3@demo.example.com');
  const draft = await draftOf(owner);
  const { page, close } = await signedIn('owner3@demo.example.com');
  await page.goto(at(`/edit-listing/${draft.id}?step=details`));
  await step(page, 'Details');
  await page.context().setOffline(true);
  await page.getByLabel('Property title').fill('Typed without a connection');
  await page.getByText(/^Kept on this device/).waitFor();
  await page.getByRole('button', { name: 'Back' }).click();
  await step(page, 'Location');
  await page.context().setOffline(false);
  await page.getByText(/^Saved at/).waitFor();
  const title = async () =>
    (await owner.supabase.from('properties').select('title').eq('id', draft.id).single()).data.title;
  assert.equal(await title(), 'Typed without a connection');
  // A page that goes away before anything was saved.
  await page.route('**/rest/v1/properties*', (route) =>
    route.request().method() === 'PATCH' ? route.abort() : route.continue(),
  );
  await page.getByLabel('Address').fill('99, Typed just before the reload');
  await page.getByText(/^Kept on this device/).waitFor();
  await page.unroute('**/rest/v1/properties*');
  await page.reload();
  await step(page, 'Location');
  await expect(page.getByLabel('Address')).toHaveValue('99, Typed just before the reload');
  await close();
});

it('D19, D46: changes of a public listing ask before they are left, and say that they hide it', async () => {
  const owner = await client('owner@demo.example.com');
  const { data: listing } = await owner.supabase
    .from('properties')
    .select('id, title')
    .eq('owner_id', owner.id)
    .eq('status', 'active')
    .order('id')
    .limit(1)
    .single();
  const { page, problems, close } = await signedIn('owner@demo.example.com');
  await page.goto(at(`/edit-listing/${listing.id}?step=details`));
  await step(page, 'Details');
  await page.getByText('This listing is public.').waitFor();
  await page.getByLabel('Property title').fill('Another title for this property');
  await page.getByText('You have changes that are not saved yet.').waitFor();
  await page.getByRole('banner').getByRole('link', { name: 'Commercial' }).click();
  await page.getByRole('dialog', { name: 'Leave without saving?' }).waitFor();
  await page.getByRole('button', { name: 'Stay here' }).click();
  await page.getByRole('button', { name: 'Review', exact: false }).first().click();
  await page.getByText('These changes hide the listing until we have looked at it again.').waitFor();
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { level: 1, name: 'My Listings' }).waitFor();
  const { data: after } = await owner.supabase.from('properties').select().eq('id', listing.id).single();
  assert.equal(after.status, 'pending');
  assert.equal(after.title, 'Another title for this property');
  assert.deepEqual(problems, []);
  await close();
});

it('D52: My Listings shows each by its state and does what the state allows', async () => {
  const owner = await client('owner4@demo.example.com');
  const one = await draftOf(owner, { title: 'Listing to go through its states' });
  const { page, problems, close } = await signedIn('owner4@demo.example.com');
  await page.goto(at('/my-listings'));
  const card = page.locator('[data-slot=my-listing]');
  await card.first().waitFor();
  await page.getByLabel('Search your listings').fill('through its states');
  await page.waitForURL(/q=through/);
  await until('one is left', async () => (await card.count()) === 1);
  await page.getByRole('button', { name: 'Duplicate: Listing to go through its states' }).click();
  await page.waitForURL(/\/edit-listing\//);
  assert.notEqual(new URL(page.url()).pathname, `/edit-listing/${one.id}`);
  await page.goto(at('/my-listings?status=draft&q=through+its+states'));
  await until('two drafts', async () => (await card.count()) === 2);
  await page.getByRole('button', { name: 'Delete: Listing to go through its states (copy)' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('The draft was deleted.').waitFor();
  await until('one draft', async () => (await card.count()) === 1);

  await owner.supabase.from('properties').update({ status: 'pending' }).eq('id', one.id);
  await page.goto(at('/my-listings?status=pending'));
  await page.getByRole('button', { name: 'Withdraw: Listing to go through its states' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('The listing is a draft again.').waitFor();
  await owner.supabase.from('properties').update({ status: 'pending' }).eq('id', one.id);
  const admin = await client('admin@demo.example.com');
  const rejected = await admin.supabase.rpc('moderate', {
    p_id: one.id,
    to: 'rejected',
    reason: 'Please add a photo of the front.',
  });
  assert.equal(rejected.error, null);
  await page.goto(at('/my-listings?status=rejected'));
  await page.getByText('Please add a photo of the front.').first().waitFor();
  await page.getByRole('link', { name: 'Edit: Listing to go through its states' }).click();
  await page.getByRole('heading', { level: 1, name: 'Edit your listing' }).waitFor();
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sent for review' }).waitFor();
  assert.equal((await admin.supabase.rpc('moderate', { p_id: one.id, to: 'active' })).error, null);
  await page.goto(at('/my-listings?status=active&q=through+its+states'));
  await page.getByRole('button', { name: 'Archive: Listing to go through its states' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByText('The listing was archived.').waitFor();
  await page.goto(at('/my-listings?status=archived&q=through+its+states'));
  await page.getByRole('button', { name: 'Publish again: Listing to go through its states' }).click();
  await page.getByText('The listing was sent for review.').waitFor();
  // What happened is told again, among the notifications.
  await page.goto(at('/dashboard?tab=news'));
  await page
    .getByText('“Listing to go through its states” was rejected: Please add a photo of the front.')
    .waitFor();
  await page.getByText('“Listing to go through its states” was approved and is now public.').waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('D33, D52, U9: an enquiry arrives in the inbox by itself, and is answered there', async () => {
  const { page, problems, close } = await signedIn('owner@demo.example.com');
  const joined = [];
  page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => joined.push(String(payload))));
  await page.goto(at('/dashboard?tab=enquiries'));
  await page.locator('[data-slot=inbox]').waitFor();
  await until('the changes are followed', () =>
    joined.some((frame) => frame.includes('Subscribed to PostgreSQL')),
  );
  const owner = await client('owner@demo.example.com');
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
    phone: '+919876543210',
    message: 'Could we see it on Thursday afternoon?',
  });
  assert.equal(error, null);
  const entry = page
    .locator('[data-slot=enquiry]')
    .filter({ hasText: 'Could we see it on Thursday afternoon?' });
  await entry.waitFor();
  assert.match(
    await entry.getByRole('link', { name: /WhatsApp/ }).getAttribute('href'),
    /wa\.me\/919876543210/,
  );
  await entry.getByRole('button', { name: 'Mark as answered: Anjali Thomas' }).click();
  await entry.getByText('Answered', { exact: true }).waitFor();
  // Who asked sees how it stands, and how to reach the owner.
  const asker = await signedIn('buyer@demo.example.com');
  await asker.page.goto(at('/contacted-properties'));
  const sent = asker.page.getByRole('listitem').filter({ hasText: 'Could we see it on Thursday afternoon?' });
  await sent.getByText('Answered').waitFor();
  await sent.getByText('Owner: Lakshmi Subramanian').waitFor();
  assert.deepEqual(problems, []);
  await asker.close();
  await close();
});

it('D52: the profile keeps name, picture, number, settings and the wish to be forgotten', async () => {
  const { page, problems, close } = await signedIn('buyer2@demo.example.com');
  const buyer = await client('buyer2@demo.example.com');
  const profile = async () =>
    (await buyer.supabase.from('profiles').select().eq('id', buyer.id).single()).data;
  await page.goto(at('/profile'));
  await page.getByLabel('Full name').fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Full name: This field is required.').waitFor();
  await page.getByLabel('Full name').fill('Ravi of the Test');
  await page.getByLabel('City').fill('Salem');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Profile saved').waitFor();
  assert.equal((await profile()).city, 'Salem');
  await page.getByLabel('Choose a picture').setInputFiles(picture(3));
  await page.getByText('Picture saved.').waitFor();
  const { avatar_url: avatar } = await profile();
  assert.ok(avatar.includes(`/avatars/${buyer.id}/`));
  assert.equal((await fetch(avatar)).status, 200);
  await page.getByRole('textbox', { name: 'Phone', exact: true }).fill('98765 00077');
  await page.getByRole('button', { name: /^(Change|Verify) number$/ }).click();
  await page.getByLabel('Verification code').fill(await smsCode(world.stack.MAILPIT_URL, '+919876500077'));
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByText('Your number is verified.').waitFor();
  assert.equal((await profile()).phone, '+919876500077');
  await page.getByLabel('Text me new enquiries').check();
  await until('the choice is stored', async () => (await profile()).enquiry_sms);
  await page.getByRole('button', { name: 'Delete account' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete account' }).click();
  await page.getByText('You asked us to delete this account.').waitFor();
  await page.getByRole('button', { name: 'Keep my account' }).click();
  await page.getByRole('button', { name: 'Delete account' }).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('D52: another address counts once its mails were followed, and other devices are signed out', async () => {
  const email = `moves-${Date.now()}@example.com`;
  const { data: made } = await createClient(world.stack.url, world.stack.SERVICE_ROLE_KEY, {
    auth: { persistSession: false },
  }).auth.admin.createUser({ email, password: PASSWORD, email_confirm: true });
  const first = await signedIn(email);
  const second = await signedIn(email);
  const { page } = first;
  await page.goto(at('/profile'));
  await page.getByLabel('Email', { exact: true }).fill('not an address');
  await page.getByRole('button', { name: 'Change email' }).click();
  await page.getByText('Please enter a valid email address.').waitFor();
  const next = `moved-${Date.now()}@example.com`;
  await page.getByLabel('Email', { exact: true }).fill(next);
  await page.getByRole('button', { name: 'Change email' }).click();
  await page.getByRole('status').getByText(next).waitFor();
  // Whoever owns the old address agrees, and whoever owns the new one.
  for (const address of [email, next]) {
    const { HTML } = await mailTo(world.stack.MAILPIT_URL, address);
    const link = /href="([^"]+)"/.exec(HTML)[1].replaceAll('&amp;', '&');
    assert.equal((await fetch(link, { redirect: 'manual' })).status, 303);
  }
  const { supabase } = await client(next);
  assert.equal(
    (await supabase.from('profiles').select('email').eq('id', made.user.id).single()).data.email,
    next,
  );

  await page.getByRole('button', { name: 'Sign out other devices' }).click();
  await page.getByText('All other devices were signed out.').waitFor();
  // The other one learns of it when it asks anew; this one stays.
  await second.page.goto(at('/profile'));
  await second.page.waitForURL('**/auth/login**');
  await page.goto(at('/profile'));
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
  await first.close();
  await second.close();
});

it('D44: the pin is put where the map is pressed, dragged, and moved by keys', async () => {
  const owner = await client('owner4@demo.example.com');
  const draft = await draftOf(owner);
  const { page, problems, close } = await signedIn('owner4@demo.example.com');
  await page.goto(at(`/edit-listing/${draft.id}?step=place`));
  const map = page.getByRole('region', { name: 'Map to put the pin on' });
  // Where the city is, before there is a pin.
  await map.getByText('Peelamedu').waitFor();
  await page.getByRole('button', { name: 'Put the pin here' }).click();
  const pin = map.getByRole('button', { name: /^Pin of your property/ });
  await pin.waitFor();
  const point = async () => ({
    lat: Number(await page.getByLabel('Latitude').inputValue()),
    lng: Number(await page.getByLabel('Longitude').inputValue()),
  });
  const before = await point();
  assert.ok(Math.abs(before.lat - 11) < 0.3 && Math.abs(before.lng - 77) < 0.3, JSON.stringify(before));
  await until('the keys are on the pin', () => pin.evaluate((it) => it === document.activeElement));
  await page.keyboard.press('ArrowUp');
  await until('it moved north', async () => (await point()).lat > before.lat);
  await page.keyboard.press('Shift+ArrowRight');
  await until('it moved east', async () => (await point()).lng > before.lng);
  const moved = await point();
  const box = await pin.boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x - 40, y + 30, { steps: 5 });
  await page.mouse.up();
  await until('it was dragged', async () => {
    const now = await point();
    return now.lat < moved.lat && now.lng < moved.lng;
  });
  const dragged = await point();
  await map.click({ position: { x: 60, y: 60 } });
  await until('it is where the map was pressed', async () => (await point()).lng < dragged.lng);
  // What is typed is where the pin is, and all of it is stored.
  await page.getByLabel('Latitude').fill('11.0168');
  await page.getByLabel('Longitude').fill('76.9558');
  await until('it is stored', async () => {
    const { data } = await owner.supabase.from('properties').select('lat, lng').eq('id', draft.id).single();
    return data.lat === 11.0168 && data.lng === 76.9558;
  });
  assert.deepEqual(problems, []);
  await close();
});

it('D45: a photo is dropped, and called off on its way', async () => {
  const owner = await client('owner4@demo.example.com');
  const draft = await draftOf(owner);
  const { page, close } = await signedIn('owner4@demo.example.com');
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/storage/v1/object/upload/sign/property-images/**', async (route) => {
    if (route.request().method() === 'PUT') await held;
    await route.continue().catch(() => undefined);
  });
  await page.goto(at(`/edit-listing/${draft.id}?step=photos`));
  await page.getByLabel('Choose photos').waitFor({ state: 'attached' });
  const files = await page.evaluateHandle(
    (bytes) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], 'front.webp', { type: 'image/webp' }));
      return transfer;
    },
    [...picture(1).buffer],
  );
  const target = page.locator('[data-slot=drop-zone]').first();
  await target.dispatchEvent('dragover', { dataTransfer: files });
  await target.dispatchEvent('drop', { dataTransfer: files });
  await page.getByRole('button', { name: 'Cancel upload of front.webp' }).click();
  await page.locator('[data-slot=upload]').waitFor({ state: 'detached' });
  release();
  // Chosen again it arrives, and it alone.
  await page.getByLabel('Choose photos').setInputFiles(picture(2));
  await page.getByText('1 of 20 photos').waitFor();
  const { data } = await owner.supabase.from('property_images').select('id').eq('property_id', draft.id);
  assert.equal(data.length, 1);
  await close();
});

it('D24, D54: a search is kept, told of and dropped, and what a guest looked at comes along', async () => {
  const guest = await visit();
  await guest.page.goto(at('/commercial'));
  const link = guest.page.locator('[data-slot=property-card] a').first();
  const name = await link.innerText();
  await link.click();
  await guest.page.getByRole('heading', { level: 1, name }).waitFor();
  await guest.page.goto(at('/auth/login'));
  await guest.page.getByRole('tab', { name: 'Email' }).click();
  await guest.page.getByRole('textbox', { name: 'Email' }).fill('buyer@demo.example.com');
  await guest.page.getByLabel('Password').fill(PASSWORD);
  await guest.page.getByRole('button', { name: 'Sign in' }).click();
  await guest.page.waitForURL('**/dashboard');
  const buyer = await client('buyer@demo.example.com');
  await until('the view is the account’s', async () => {
    const { data } = await buyer.supabase
      .from('property_views')
      .select('property:properties(title)')
      .order('last_viewed_at', { ascending: false })
      .limit(1);
    return data[0]?.property?.title === name;
  });
  const { page } = guest;
  await page.goto(at('/search?city=Hosur&type=office'));
  await page.getByRole('button', { name: 'Save this search' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Offices in Hosur');
  await page.getByRole('dialog').getByRole('button', { name: 'Save this search' }).click();
  await page.getByText('Search saved. It is on your dashboard.').waitFor();
  await page.goto(at('/dashboard?tab=searches'));
  await page.getByLabel('Email alert: Offices in Hosur').selectOption('instant');
  await page.getByText('Alert changed.').waitFor();
  const { data: kept } = await buyer.supabase
    .from('saved_searches')
    .select()
    .eq('name', 'Offices in Hosur')
    .single();
  assert.equal(kept.alert, 'instant');
  assert.equal(kept.query.params, 'type=office&city=Hosur');
  await page.getByRole('link', { name: 'Offices in Hosur' }).click();
  await page.waitForURL('**/search?type=office&city=Hosur');
  await page.goto(at('/dashboard?tab=searches'));
  await page.getByRole('button', { name: 'Remove: Offices in Hosur' }).click();
  await page.getByText('Saved search removed.').waitFor();
  assert.deepEqual(guest.problems, []);
  await guest.close();
});

it(
  'D58: has no accessibility defect and no sideways scroll, in light and dark, narrow and wide',
  onePass,
  async () => {
    const owner = await client('owner@demo.example.com');
    const draft = await draftOf(owner, { title: 'A draft to look at', lat: 11.026, lng: 77.0029 });
    const { page, close } = await signedIn('owner@demo.example.com');
    const routes = [
      '/list-property',
      ...['place', 'details', 'pricing', 'photos', 'review'].map(
        (name) => `/edit-listing/${draft.id}?step=${name}`,
      ),
      '/edit-listing/nonsense',
      '/my-listings',
      '/my-listings?status=rejected&q=nothing-of-this-name',
      '/dashboard',
      ...['enquiries', 'news', 'searches'].map((name) => `/dashboard?tab=${name}`),
      '/profile',
    ];
    for (const route of routes) {
      await inspect(page, at(route));
      await page.setViewportSize({ width: 320, height: 700 });
      const over = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(over <= 0, `${route} is ${over} px too wide at 320`);
    }
    await close();
  },
);

it('D56: reads in Hindi and Tamil', onePass, async () => {
  const { page, problems, close } = await signedIn('owner@demo.example.com');
  for (const [language, listing, mine] of [
    ['hi', 'अपनी प्रॉपर्टी सूचीबद्ध करें', 'मेरी लिस्टिंग'],
    ['ta', 'உங்கள் சொத்தைப் பட்டியலிடுங்கள்', 'என் பட்டியல்கள்'],
  ]) {
    await page.goto(at(`/list-property?lang=${language}`));
    await page.getByRole('heading', { level: 1, name: listing }).waitFor();
    await page.goto(at('/my-listings'));
    await page.getByRole('heading', { level: 1, name: mine }).waitFor();
  }
  assert.deepEqual(problems, []);
  await close();
});
