// Commercial property in a real browser: lists by filters and category, the page of one, and the way to its owner.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { smsCode, until } from '../harness.mjs';
import { inspect } from './axe.mjs';
import { expect, visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;
const at = (route) => `${world.stack.url}${route}`;
const query = (page) => Object.fromEntries(new URL(page.url()).searchParams);
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
const cards = (page) => page.locator('[data-slot=property-card]');
const found = (page, n) =>
  page.getByText(n === 1 ? '1 property found' : `${n} properties found`, { exact: true }).waitFor();

/** Rows as the database has them, whoever may see them. */
async function rows(route) {
  const answer = await fetch(at(`/rest/v1/${route}`), {
    headers: {
      apikey: world.stack.SERVICE_ROLE_KEY,
      authorization: `Bearer ${world.stack.SERVICE_ROLE_KEY}`,
    },
  });
  assert.equal(answer.status, 200, route);
  return answer.json();
}
async function property(filter = '') {
  const [row] = await rows(`properties?status=eq.active&order=id&limit=1&${filter}`);
  assert.ok(row, `no property for ${filter}`);
  return row;
}

/** From the login on, with a code. */
async function enterCode(page, digits) {
  await page.getByRole('textbox', { name: 'Phone number' }).fill(digits);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByRole('textbox', { name: 'Verification code' }).waitFor();
  const code = await smsCode(world.stack.MAILPIT_URL, `+91${digits}`);
  await page.getByRole('textbox', { name: 'Verification code' }).fill(code);
  await page.waitForURL((url) => url.pathname !== '/auth/login');
}

it('narrows 170 properties by filters that the address keeps', async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/commercial?type=castle&min=-1&page=x&sort=sideways'));
  await found(page, 170);
  await cards(page).nth(23).waitFor();
  await expect(cards(page)).toHaveCount(24);
  await page.goto(at('/commercial'));
  await found(page, 170);
  await expect(cards(page).first()).toHaveText(/FEATURED/, { useInnerText: true });
  await page.getByLabel('Property type', { exact: true }).selectOption('office');
  await found(page, 60);
  assert.deepEqual(query(page), { type: 'office' });
  await page.getByLabel('Lease or sale').selectOption('sale');
  await page.waitForURL('**/commercial?for=sale&type=office');
  await page.goBack();
  await found(page, 60);
  await page.getByLabel('Sort by').filter({ visible: true }).selectOption('price_asc');
  await page.waitForURL('**sort=price_asc');
  const [cheapest] = await rows(
    'properties?status=eq.active&property_type=eq.office&order=price.asc.nullslast,id&limit=1',
  );
  await cards(page).first().getByText(cheapest.title).waitFor();
  await page.getByRole('button', { name: 'Remove filter: Office' }).click();
  await found(page, 170);
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');
  const stored = await page.evaluate(() => JSON.parse(localStorage.getItem('nilam-app')).state.searchFilters);
  assert.deepEqual(stored, { sort: 'price_asc' });
  assert.deepEqual(problems, []);
  await close();
});

it('searches from the home page, for a lease first, and for co-working too', async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/'));
  const warehouses = page.getByRole('link', { name: /Warehouses\s+29 properties/ });
  await warehouses.waitFor();
  const box = page.getByRole('combobox', { name: 'Search by name, city or locality' });
  await box.fill('chenn');
  await page.locator('[role=option]').getByText('Chennai', { exact: true }).click();
  await page.waitForURL('**/commercial?for=lease&city=Chennai');
  // An address is there before its page: what is chosen on a page that is about to go goes with it.
  await warehouses.waitFor({ state: 'detached' });
  await page.goBack();
  await warehouses.waitFor();
  await page.getByText('Co-working', { exact: true }).click();
  await box.fill('studio');
  await box.press('Enter');
  await page.waitForURL('**/coworking?q=studio');
  assert.deepEqual(problems, []);
  await close();
});

it('has numbered pages, and the last one for numbers beyond it', async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/commercial?sort=newest'));
  const pages = page.getByRole('navigation', { name: 'Pages' });
  await pages.getByRole('link', { name: 'Page 2' }).click();
  await page.getByText('page 2 of 8').waitFor();
  await expect(pages.getByRole('link', { name: 'Previous' })).toHaveAttribute('rel', 'prev');
  await expect(pages.getByRole('link', { name: 'Next' })).toHaveAttribute('rel', 'next');
  await expect(pages.getByRole('link', { name: 'Page 2' })).toHaveAttribute('aria-current', 'page');
  const before = problems.length;
  await page.goto(at('/commercial?page=99'));
  await page.getByText('page 8 of 8').waitFor();
  await expect(cards(page)).toHaveCount(2);
  // The browser itself writes an answer of 416 to the console.
  assert.ok(
    problems.slice(before).every((problem) => problem.includes('416')),
    problems.join('\n'),
  );
  await close();
});

it('offers places while somebody types, spelt like it or not', async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/commercial'));
  const box = page.getByRole('combobox', { name: 'Search by name, city or locality' });
  await box.pressSequentially('coimb');
  await page.locator('[role=option]').getByText('Coimbatore').waitFor();
  await expect(box).toHaveAttribute('aria-expanded', 'true');
  await box.press('ArrowDown');
  await box.press('Enter');
  await page.waitForURL('**/commercial?city=Coimbatore');
  await found(page, 13);
  await box.fill('banglore office');
  await box.press('Enter');
  await page.waitForURL((url) => url.searchParams.get('q') === 'banglore office');
  await page.getByRole('button', { name: 'Remove filter: Coimbatore' }).click();
  await page.waitForURL((url) => !url.searchParams.has('city'));
  await cards(page).filter({ hasText: 'Bengaluru' }).first().waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('counts in the sheet of a small phone before anything is applied', async () => {
  const { page, problems, close } = await visit({ width: 390, height: 844 });
  await page.goto(at('/commercial'));
  await found(page, 170);
  await page.getByRole('button', { name: 'Filter' }).click();
  const sheet = page.getByRole('dialog', { name: 'Filters' });
  await sheet.getByRole('button', { name: 'Show 170 results' }).waitFor();
  await sheet.getByRole('checkbox', { name: /^Office/ }).check();
  await sheet.getByRole('button', { name: 'Show 60 results' }).waitFor();
  await sheet.getByLabel('At most').first().fill('1.5 Cr');
  await sheet.getByRole('checkbox', { name: 'IT park' }).check();
  await sheet.getByRole('button', { name: 'Show 60 results' }).waitFor({ state: 'detached' });
  assert.deepEqual(query(page), {});
  await shot(page, 'filter-sheet-390');
  await sheet.getByRole('button', { name: /^Show \d+ results?$/ }).click();
  await page.waitForURL((url) => url.searchParams.get('max') === '15000000');
  assert.deepEqual(query(page), { type: 'office', sub: 'it_park', max: '15000000' });
  await page.getByRole('button', { name: 'Filter (3)' }).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('says which filter to drop when nothing is left', async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/commercial?type=office&city=Chennai&min=900000000000'));
  await page.getByRole('heading', { name: 'No properties found' }).waitFor();
  const offices = await rows('properties?status=eq.active&property_type=eq.office&city=eq.Chennai&select=id');
  await page.getByRole('button', { name: new RegExp(`^Without From .*: ${offices.length} propert`) }).click();
  await found(page, offices.length);
  assert.deepEqual(query(page), { type: 'office', city: 'Chennai' });
  assert.deepEqual(problems, []);
  await close();
});

it('says why a list did not come, and gets it on the next try', async () => {
  const { page, close } = await visit();
  await page.route('**/rpc/search_properties*', (route) => route.abort());
  await page.goto(at('/commercial'));
  await page
    .getByRole('alert')
    .getByText('Connection failed. Please check your internet connection.')
    .waitFor();
  await page.unroute('**/rpc/search_properties*');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await found(page, 170);
  await close();
});

it('has a page for each category and city, and knows a property by the same kind of address', async () => {
  const { page, problems, close } = await visit();
  const canonical = () => page.locator('link[rel=canonical]').getAttribute('href');
  await page.goto(at('/commercial/warehouses'));
  await page.getByRole('heading', { level: 1, name: 'Warehouses' }).waitFor();
  await found(page, 29);
  assert.equal(await canonical(), at('/commercial/warehouses'));
  await page
    .getByRole('navigation', { name: 'Warehouses by city' })
    .getByRole('link', { name: 'Hosur' })
    .click();
  await page.getByRole('heading', { level: 1, name: 'Warehouses in Hosur' }).waitFor();
  assert.equal(page.url(), at('/commercial/warehouses-in-hosur'));
  // Another type is another page.
  await page.getByLabel('Property type', { exact: true }).selectOption('retail');
  await page.waitForURL('**/commercial?type=retail&city=Hosur');
  const one = await property();
  await page.goto(at(`/commercial/${one.slug}`));
  await page.getByRole('heading', { level: 1, name: one.title }).waitFor();
  assert.equal(await canonical(), at(`/property/${one.slug}`));
  assert.deepEqual(problems, []);
  await close();
});

it('shows a property: price, facts, cost, legal and what search engines read', async () => {
  const { page, problems, close } = await visit();
  const lease = await property('intent=eq.lease&price=gte.100000&price=lt.10000000&rera_number=not.is.null');
  await page.goto(at(`/property/${lease.slug}`));
  await page.getByRole('heading', { level: 1, name: lease.title }).waitFor();
  const lakhs = Number((lease.price / 100_000).toFixed(2));
  await page.getByText(`₹${lakhs} Lakh/month`).filter({ visible: true }).first().waitFor();
  for (const name of ['Facts', 'Monthly cost', 'Legal', 'Location', 'Contact owner', 'Similar properties'])
    await page.getByRole('heading', { name, exact: true }).waitFor();
  await page.getByText(lease.rera_number).waitFor();
  const data = await page.locator('script[type="application/ld+json"]').allInnerTexts();
  const listing = data.map((text) => JSON.parse(text)).find((item) => item['@type'] === 'RealEstateListing');
  assert.equal(listing.offers.price, lease.price);
  assert.equal(listing.offers.priceCurrency, 'INR');
  await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', at(`/property/${lease.slug}`));
  await shot(page, 'property');
  await page.getByRole('button', { name: 'RERA' }).click();
  await page.getByText('RERA: registered with the real estate authority of its state.').waitFor();

  const sale = await property('intent=eq.sale&price=not.is.null');
  await page.goto(at(`/property/${sale.slug}`));
  await page.getByText(/A loan of ₹.* costs about ₹.* a month\./).waitFor();
  const silent = await property('price=is.null');
  await page.goto(at(`/property/${silent.slug}`));
  await page.getByText('Price on request').filter({ visible: true }).first().waitFor();
  const vague = await property('location_precision=eq.locality');
  await page.goto(at(`/property/${vague.slug}`));
  await page.getByText('The owner shows the locality only; the map is approximate.').waitFor();
  await expect(page.getByText(vague.address)).toHaveCount(0);
  assert.deepEqual(problems, []);
  await close();
});

it('shows pictures on the whole screen, by keyboard too', onePass, async () => {
  const { page, problems, close } = await visit();
  const images = await rows('property_images?select=property_id&order=order.desc&limit=1');
  const one = await property(`id=eq.${images[0].property_id}`);
  await page.goto(at(`/property/${one.slug}`));
  const enlarge = page.getByRole('button', { name: 'Show on the whole screen' });
  await enlarge.click();
  const viewer = page.locator('[data-slot=lightbox]');
  await viewer.getByText(/^1 of \d+$/).waitFor();
  await page.keyboard.press('ArrowRight');
  await viewer.getByText(/^2 of \d+$/).waitFor();
  await page.keyboard.press('Home');
  await viewer.getByText(/^1 of \d+$/).waitFor();
  await page.keyboard.press('Escape');
  await viewer.waitFor({ state: 'detached' });
  await expect(enlarge).toBeFocused();
  assert.deepEqual(problems, []);
  await close();
});

it('tells a property that is not there from one that could not be loaded', async () => {
  const { page, close } = await visit();
  await page.goto(at('/property/no-such-thing'));
  await page.getByRole('heading', { name: 'Property Not Found' }).waitFor();
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');
  await expect(page.getByRole('button', { name: 'Try Again' })).toHaveCount(0);
  const [draft] = await rows('properties?status=eq.draft&limit=1');
  await page.goto(at(`/property/${draft.slug}`));
  await page.getByRole('heading', { name: 'Property Not Found' }).waitFor();
  const one = await property();
  await page.route('**/rest/v1/properties*', (route) => route.abort());
  await page.goto(at(`/property/${one.slug}`));
  await page.getByRole('button', { name: 'Try Again' }).waitFor({ timeout: 60_000 });
  await page.unroute('**/rest/v1/properties*');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await page.getByRole('heading', { level: 1, name: one.title }).waitFor();
  await close();
});

it('leads from a search to the owner, over the login, without losing the message', async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/commercial?type=office&for=lease'));
  const card = cards(page).nth(3);
  await card.waitFor();
  const title = await card.getByRole('heading').innerText();
  await card.getByRole('link').click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  const slug = decodeURIComponent(new URL(page.url()).pathname.split('/').at(-1));
  const form = page.locator('[data-slot=contact-card]');
  await form.getByLabel('Message').fill('short');
  await form.getByLabel('Phone (optional)').fill('12');
  await form.getByRole('button', { name: 'Sign in and contact owner' }).click();
  await form.getByText('Please write at least 10 characters.').waitFor();
  await form.getByText('Please enter a valid phone number.').waitFor();
  await form.getByLabel('Full name').fill('Asha Menon');
  await form.getByLabel('Phone (optional)').fill('98765 11122');
  await form.getByLabel('Message').fill('Is this office free from March? We are nine people.');
  await form.getByRole('button', { name: 'Sign in and contact owner' }).click();
  await page.waitForURL('**/auth/login');
  await enterCode(page, '9876511122');
  await page.waitForURL(`**/property/${encodeURIComponent(slug)}#contact`);
  assert.equal(
    await form.getByLabel('Message').inputValue(),
    'Is this office free from March? We are nine people.',
  );
  assert.ok(
    await form.evaluate((element) => element.getBoundingClientRect().top < window.innerHeight),
    'the form is in view',
  );
  await form.getByRole('button', { name: 'Contact owner' }).click();
  await form.getByText('Your enquiry was sent.').waitFor();
  const [one] = await rows(`properties?slug=eq.${encodeURIComponent(slug)}`);
  const [sent] = await rows(`enquiries?property_id=eq.${one.id}&order=created_at.desc&limit=1`);
  assert.equal(sent.name, 'Asha Menon');
  assert.equal(sent.phone, '+919876511122');
  assert.equal(sent.owner_id, one.owner_id);
  const [owner] = await rows(`profiles?id=eq.${one.owner_id}`);
  await form.getByText(owner.email).waitFor();
  await shot(page, 'enquiry-sent');
  // What the account looked at is remembered in it.
  const views = await rows(`property_views?property_id=eq.${one.id}&user_id=eq.${sent.sender_id}`);
  assert.equal(views.length, 1);
  await page.goto(at('/contacted-properties'));
  await page.getByText('Is this office free from March? We are nine people.').waitFor();
  await page.getByText('Sent, not read yet').waitFor();
  await page.goto(at('/viewed-properties'));
  await cards(page).getByRole('heading', { name: title }).waitFor();
  await page.getByRole('button', { name: 'Clear history' }).click();
  await page.getByRole('button', { name: 'Clear history' }).click();
  await page.getByText('You have not looked at any property yet.').waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('keeps a shortlist without an account, and takes it along into one', async () => {
  const { page, problems, close } = await visit();
  const one = await property('intent=eq.sale&property_type=eq.retail');
  await page.goto(at(`/property/${one.slug}`));
  const heart = page.getByRole('button', { name: 'Shortlist', exact: true });
  await heart.click();
  await page.getByText('Added to your shortlist.').waitFor();
  const counter = page.getByRole('banner').getByRole('link', { name: 'Shortlist, 1 kept' });
  await counter.waitFor();
  await page.reload();
  await counter.waitFor();
  await page.locator('[data-slot=property-actions] [data-slot=heart][aria-pressed=true]').waitFor();
  await page.goto(at('/auth/login'));
  await enterCode(page, '9876511133');
  await page.goto(at(`/property/${one.slug}`));
  await page.locator('[data-slot=property-actions] [data-slot=heart][aria-pressed=true]').waitFor();
  const kept = await rows(`shortlists?property_id=eq.${one.id}&select=user_id`);
  const me = await page.evaluate(() => JSON.parse(localStorage.getItem('nilam-app')).state.user.id);
  assert.ok(kept.some(({ user_id: user }) => user === me));
  await until("the guest's list is given up", () =>
    page.evaluate(() => localStorage.getItem('nilam-guest-shortlist') === null),
  );
  await heart.click();
  await page.getByText('Removed from your shortlist.').waitFor();
  await counter.waitFor({ state: 'detached' });
  await page.locator('[data-slot=property-actions] [data-slot=heart][aria-pressed=false]').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.locator('[data-slot=property-actions] [data-slot=heart][aria-pressed=true]').waitFor();
  await page.goto(at('/shortlisted-properties'));
  await cards(page).getByRole('heading', { name: one.title }).waitFor();
  await expect(cards(page)).toHaveCount(1);
  await page.goto(at(`/property/${one.slug}`));
  // A refusal takes back what was shown.
  await page.route('**/rest/v1/shortlists*', (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({
          status: 403,
          contentType: 'application/json',
          body: '{"message":"no","code":"42501"}',
        })
      : route.continue(),
  );
  // Before it is known that the property is kept, the heart would keep it.
  await page.locator('[data-slot=property-actions] [data-slot=heart][aria-pressed=true]').waitFor();
  await heart.click();
  await page.getByText('🔒').waitFor();
  await page.locator('[data-slot=property-actions] [data-slot=heart][aria-pressed=true]').waitFor();
  assert.ok(
    problems.every((problem) => /403|ERROR/.test(problem)),
    problems.join('\n'),
  );
  await close();
});

it('comes back to the place in the list', async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/commercial?page=2'));
  await page.getByText('page 2 of 8').waitFor();
  const card = cards(page).nth(16);
  await card.scrollIntoViewIfNeeded();
  const before = await page.evaluate(() => window.scrollY);
  assert.ok(before > 800);
  await card.getByRole('link').click();
  await page.waitForURL('**/property/**');
  await page.waitForFunction(() => window.scrollY === 0);
  await page.goBack();
  await page.getByText('page 2 of 8').waitFor();
  await page.waitForFunction((y) => Math.abs(window.scrollY - y) < 50, before);
  assert.deepEqual(problems, []);
  await close();
});

it('reads in Hindi and Tamil, and fits a small phone', onePass, async () => {
  const { page, problems, close } = await visit({ width: 320, height: 640 });
  const tamil = await property('title=like.*அ*');
  for (const [language, facts] of [
    ['hi', 'मुख्य बातें'],
    ['ta', 'முக்கிய விவரங்கள்'],
    ['en', 'Facts'],
  ]) {
    for (const route of ['/commercial', '/commercial/mixed-use-properties', `/property/${tamil.slug}`]) {
      await page.goto(at(`${route}?lang=${language}`));
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (route.startsWith('/property')) await page.getByRole('heading', { name: facts }).waitFor();
      else await cards(page).first().waitFor();
      assert.ok((await overflow(page)) <= 0, `${language} ${route} is too wide`);
      await shot(page, `320-${language}-${route.split('/')[1]}`);
    }
  }
  const bar = await page.locator('[data-slot=contact-bar]').boundingBox();
  assert.ok(bar.y + bar.height <= 641, 'the contact bar is in view');
  assert.deepEqual(problems, []);
  await close();
});

it('has no accessibility defect, in light and dark, narrow and wide', onePass, async () => {
  const one = await property('featured=is.true');
  const { page, close } = await visit();
  for (const width of [390, 1280])
    await inspect(
      page,
      at('/commercial'),
      (each) => each.getByRole('button', { name: width < 768 ? 'Filter' : 'More filters' }).click(),
      [width],
    );
  for (const route of [
    '/commercial/office-spaces?view=list',
    '/search?q=zzzz&city=Salem',
    `/property/${one.slug}`,
    '/property/none',
  ])
    await inspect(page, at(route));
  await close();
});
