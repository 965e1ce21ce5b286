// The co-working pages in a real browser: filters in the address, failures, and what a space shows.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { expect, visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;
const count = (page, n) => page.getByText(new RegExp(`^${n} Co-working Spaces? Found`)).waitFor();
const query = (page) => Object.fromEntries(new URL(page.url()).searchParams);
const overflow = (page) => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

/** A slug of the seed that suits, asked of the platform itself. */
async function space(filter) {
  const answer = await fetch(`${world.stack.url}/rest/v1/coworking_space?active=eq.true&${filter}`, {
    headers: { apikey: world.stack.ANON_KEY },
  });
  const [row] = await answer.json();
  assert.ok(row, `no space for ${filter}`);
  return row;
}

it('keeps filters in the address and undoes them with the back button', async () => {
  const { page, problems, close } = await visit();
  await page.goto(`${world.stack.url}/coworking`);
  await count(page, 56);
  const cards = page.locator('[data-slot=space-card]');
  // The first three come first, the others right after.
  await cards.nth(55).waitFor();
  await expect(cards).toHaveCount(56);
  await page.getByLabel('City', { exact: true }).selectOption('Chennai');
  await page.getByText(/Found in Chennai/).waitFor();
  assert.deepEqual(query(page), { city: 'Chennai' });
  await page.getByLabel('Space type').selectOption('day_pass');
  assert.deepEqual(query(page), { city: 'Chennai', type: 'day_pass' });
  await cards.filter({ hasNotText: 'Day Pass' }).first().waitFor({ state: 'detached' });
  for (const card of await cards.all()) await expect(card).toHaveText(/Day Pass/, { useInnerText: true });
  await page.goBack();
  await page.waitForURL('**/coworking?city=Chennai');
  await page.goBack();
  await count(page, 56);
  await expect(page.getByLabel('City', { exact: true })).toHaveValue('');
  // Typing is one step, however many letters it has.
  await page.getByRole('searchbox').pressSequentially('PUNE');
  await page.getByText(/Found for "PUNE"/).waitFor();
  assert.deepEqual(query(page), { q: 'PUNE' });
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');
  await page.reload();
  await page.getByText(/Found for "PUNE"/).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('offers twelve cities to a visitor who arrives in one of them, and ignores nonsense', async () => {
  const { page, problems, close } = await visit();
  await page.goto(`${world.stack.url}/coworking?city=Erode&sort=sideways&max=-3&type=castle`);
  await page.getByText(/Found in Erode/).waitFor();
  const city = page.getByLabel('City', { exact: true });
  await city.locator('option').nth(12).waitFor({ state: 'attached' });
  const names = await city.locator('option').allInnerTexts();
  assert.equal(names.length, 13);
  assert.deepEqual(names.slice(1), [...names.slice(1)].sort());
  await city.selectOption('');
  await count(page, 56);
  assert.deepEqual(problems, []);
  await close();
});

it('sorts by price and name, and has paid ones first otherwise', async () => {
  const { page, problems, close } = await visit();
  await page.goto(`${world.stack.url}/coworking`);
  await count(page, 56);
  const cards = page.locator('[data-slot=space-card]');
  const featured = await cards.evaluateAll((all) => all.map((card) => card.innerText.includes('FEATURED')));
  assert.ok(featured[0]);
  assert.equal(featured.lastIndexOf(true) + 1, featured.filter(Boolean).length);
  const names = () => cards.locator('h2').allInnerTexts();
  await page.getByLabel('Sort by').selectOption('name');
  await page.waitForFunction(
    () => document.querySelector('[data-slot=space-card] h2').innerText === 'Amaltas Loft',
  );
  const sorted = await names();
  assert.deepEqual(
    sorted,
    [...sorted].sort((a, b) => a.localeCompare(b, 'en')),
  );
  await page.getByLabel('Sort by').selectOption('low');
  await cards.last().getByText('Price on request').waitFor();
  const last = await cards.last().innerText();
  assert.match(last, /Price on request/);
  const prices = await cards.evaluateAll((all) =>
    all
      .map((card) => /(?:^|\n)(?:From )?₹([\d,.]+)(k?)(?: - .*)?\n/.exec(card.innerText))
      .filter(Boolean)
      .map(([, figure, k]) => Number(figure.replaceAll(',', '')) * (k ? 1000 : 1)),
  );
  assert.ok(prices.length > 40);
  assert.deepEqual(
    prices,
    [...prices].sort((a, b) => a - b),
  );
  await page.getByLabel('Price', { exact: true }).selectOption('500');
  await page.getByText('56 Co-working Spaces Found').waitFor({ state: 'detached' });
  assert.equal(query(page).max, '500');
  assert.deepEqual(problems, []);
  await close();
});

it('says that nothing was found, and clears every filter at once', async () => {
  const { page, problems, close } = await visit();
  await page.goto(`${world.stack.url}/coworking?city=Salem&q=zzzz&amenity=wifi`);
  await page.getByRole('heading', { name: 'No co-working spaces found' }).waitFor();
  await page.getByText('Try adjusting your search criteria').waitFor();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await count(page, 56);
  assert.deepEqual(query(page), {});
  assert.deepEqual(problems, []);
  await close();
});

it('says why a list did not come, and gets it on the next try', async () => {
  const { page, close } = await visit();
  await page.route('**/rest/v1/coworking_space*', (route) => route.abort());
  await page.goto(`${world.stack.url}/coworking`);
  await page.getByText('Loading co-working spaces...').waitFor();
  await page
    .getByRole('alert')
    .getByText('Connection failed. Please check your internet connection.')
    .waitFor();
  await page.getByText('No co-working spaces found').waitFor();
  await shot(page, 'coworking-failed');
  await page.unroute('**/rest/v1/coworking_space*');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await count(page, 56);
  await close();
});

it('shows a space: gallery by keyboard, prices, hours, place and neighbours', async () => {
  const { page, problems, close } = await visit();
  const rows = await (
    await fetch(
      `${world.stack.url}/rest/v1/coworking_space?select=*,images:coworking_space_images(url)&active=eq.true&coordinates=not.is.null&min_price=not.is.null`,
      { headers: { apikey: world.stack.ANON_KEY } },
    )
  ).json();
  const row = rows.find(({ images, opening_hours: hours }) => images.length > 3 && !hours.sunday);
  await page.goto(`${world.stack.url}/coworking/${row.slug}`);
  await page.getByRole('heading', { level: 1, name: row.name }).waitFor();
  const gallery = page.locator('[data-slot=gallery]');
  const main = gallery.locator('img').first();
  assert.equal((await main.boundingBox()).height, 400);
  const thumbnail = (n) => gallery.getByRole('button', { name: `Show image ${n}` });
  await expect(thumbnail(3).locator('img')).toHaveAttribute('loading', 'eager');
  await expect(thumbnail(4).locator('img')).toHaveAttribute('loading', 'lazy');
  await thumbnail(1).focus();
  await page.keyboard.press('ArrowRight');
  await expect(thumbnail(2)).toHaveAttribute('aria-pressed', 'true');
  await expect(thumbnail(2)).toBeFocused();
  await expect(main).toHaveAttribute('alt', /image 2 of/);
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowRight');
  await expect(thumbnail(1)).toHaveAttribute('aria-pressed', 'true');
  await gallery.getByRole('button', { name: 'Previous image' }).click();
  await expect(thumbnail(row.images.length)).toHaveAttribute('aria-pressed', 'true');

  const card = page.getByRole('complementary').filter({ hasText: 'Pricing & Contact' });
  await expect(card).toHaveText(/Starting price\s+₹[\d,.]+(k| Lakh)?/, { useInnerText: true });
  await expect(card).toHaveText(/(Open|Closed) now/, { useInnerText: true });
  assert.equal(
    await card
      .getByRole('link', { name: row.booking_phone.replace(/^(\+91)(\d{5})/, '$1 $2 ') })
      .getAttribute('href'),
    `tel:${row.booking_phone}`,
  );
  await card.getByRole('link', { name: 'View all hours' }).click();
  assert.equal(new URL(page.url()).hash, '#hours');
  const hours = await page.locator('#hours dl > div').allInnerTexts();
  assert.equal(hours.length, 7);
  assert.match(hours[6], /Sunday[^]*Closed/);
  const book = page.getByRole('link', { name: /Book on website/ }).first();
  await expect(book).toHaveAttribute('rel', 'noopener noreferrer');
  await expect(book).toHaveAttribute('target', '_blank');
  await expect(page.locator('iframe')).toHaveAttribute('src', /z=15/);
  await page.getByRole('heading', { name: 'Nearby spaces' }).waitFor();
  await page
    .getByRole('navigation', { name: 'Breadcrumb' })
    .getByRole('link', { name: 'Co-working Spaces' })
    .waitFor();

  const data = (await page.locator('script[type="application/ld+json"]').allInnerTexts()).map((text) =>
    JSON.parse(text),
  );
  assert.deepEqual(data[0]['@type'], ['LocalBusiness', 'CoworkingSpace']);
  assert.ok(data[0].geo.latitude);
  assert.ok(data[0].openingHours.length >= 5);
  assert.equal(data[1]['@type'], 'BreadcrumbList');
  assert.equal(
    await page.locator('link[rel=canonical]').getAttribute('href'),
    `${world.stack.url}/coworking/${row.slug}`,
  );
  await expect(page.locator('link[rel=alternate][hreflang]')).toHaveCount(4);
  assert.deepEqual(problems, []);
  await close();
});

it('does without coordinates and images, and says when an image fails', onePass, async () => {
  const { page, close } = await visit();
  const bare = await space('coordinates=is.null&limit=1');
  await page.goto(`${world.stack.url}/coworking/${bare.slug}`);
  await page.getByRole('heading', { name: 'Location' }).waitFor();
  await expect(page.locator('iframe')).toHaveCount(0);
  const blank = await space('image_url=is.null&limit=1');
  await page.goto(`${world.stack.url}/coworking/${blank.slug}`);
  await page.getByText('No images available').waitFor();
  await page.route('**/render/image/**', (route) => route.abort());
  const pictured = await space('image_url=not.is.null&limit=1');
  await page.goto(`${world.stack.url}/coworking/${pictured.slug}`);
  await page.getByText('Failed to load image').first().waitFor();
  await close();
});

it('tells a space that is not there from one that could not be loaded', async () => {
  const { page, close } = await visit();
  await page.goto(`${world.stack.url}/coworking/no-such-space`);
  await page.getByRole('heading', { name: 'Co-working Space Not Found' }).waitFor();
  await page.getByText('Failed to load co-working space').waitFor();
  await expect(page.getByRole('button', { name: 'Try Again' })).toHaveCount(0);
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');
  const { slug, name } = await space('limit=1');
  await page.route('**/rest/v1/coworking_space*', (route) => route.abort());
  await page.goto(`${world.stack.url}/coworking/${slug}`);
  await page.getByRole('button', { name: 'Try Again' }).waitFor();
  await page.unroute('**/rest/v1/coworking_space*');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.goto(`${world.stack.url}/coworking/no-such-space`);
  await page.getByRole('link', { name: 'Browse all co-working spaces' }).click();
  await count(page, 56);
  await close();
});

it('reads in Hindi and Tamil, fits a small phone and keeps the contact at hand', onePass, async () => {
  const { page, problems, close } = await visit({ width: 320, height: 640 });
  const { slug } = await space('image_url=not.is.null&booking_phone=not.is.null&limit=1');
  for (const [language, hours] of [
    ['hi', 'खुलने का समय'],
    ['ta', 'திறந்திருக்கும் நேரம்'],
    ['en', 'Opening Hours'],
  ]) {
    await page.goto(`${world.stack.url}/coworking/${slug}?lang=${language}`);
    await page.getByRole('heading', { name: hours }).waitFor();
    if (language !== 'en') await expect(page.locator('html')).toHaveAttribute('lang', language);
    assert.ok((await overflow(page)) <= 0, `${language}: detail too wide`);
    await shot(page, `coworking-detail-${language}-320`);
    await page.goto(`${world.stack.url}/coworking?lang=${language}`);
    await page.locator('[data-slot=space-card]').first().waitFor();
    assert.ok((await overflow(page)) <= 0, `${language}: list too wide`);
    await shot(page, `coworking-${language}-320`);
    await page.goto(`${world.stack.url}/?lang=${language}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    assert.ok((await overflow(page)) <= 0, `${language}: home too wide`);
  }
  await page.goto(`${world.stack.url}/coworking/${slug}`);
  const bar = page.locator('[data-slot=contact-bar]');
  await bar.waitFor();
  const box = await bar.boundingBox();
  assert.ok(box.y + box.height <= 641, 'the contact bar is in view');
  assert.deepEqual(problems, []);
  await close();
});

it(
  'says on a card and on a page all that is known of a space (R31, R33, R38 to R43, R48, R49, R75, R78, R184)',
  onePass,
  async () => {
    const known = await space(
      'select=*,offerings:coworking_offering_type(offering_type,price_from)&slug=eq.marina-works-t-nagar-chennai',
    );
    const { page, problems, close } = await visit();
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route('**/rest/v1/coworking_space?**', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(`${world.stack.url}/coworking`);
    await page.getByText('Loading co-working spaces...').waitFor();
    release();
    await count(page, 56);

    const cards = page.locator('[data-slot=space-card]');
    await cards.nth(55).waitFor();
    const tops = await cards.evaluateAll((all) => all.slice(0, 4).map((card) => card.offsetTop));
    assert.ok(
      tops[0] === tops[1] && tops[1] === tops[2] && tops[3] > tops[2],
      `three beside each other: ${tops}`,
    );
    const card = cards.filter({ hasText: known.name });
    await card.getByText(`${known.address}, ${known.locality}, ${known.city}`).waitFor();
    await card.getByText('Available Spaces').waitFor();
    const OFFERINGS = {
      day_pass: 'Day Pass',
      meeting_room: 'Meeting Room',
      dedicated_desk: 'Dedicated Desk',
      private_office: 'Private Office',
      virtual_office: 'Virtual Office',
    };
    const chips = await card.locator('li').allInnerTexts();
    assert.ok(known.offerings.length >= 2);
    for (const { offering_type: type, price_from: price } of known.offerings)
      assert.ok(
        chips.includes(`${OFFERINGS[type]} ₹${price.toLocaleString('en-IN')}`),
        `${type} ${price} in ${chips}`,
      );
    const site = card.getByRole('link', { name: 'Visit Site' });
    await expect(site).toHaveAttribute('href', known.website_url);
    assert.deepEqual(
      [await site.getAttribute('target'), await site.getAttribute('rel')],
      ['_blank', 'noopener noreferrer'],
    );
    assert.equal(
      await card.getByRole('link', { name: `Call ${known.name}` }).getAttribute('href'),
      `tel:${known.booking_phone}`,
    );
    assert.equal(
      await card.getByRole('link', { name: `Email ${known.name}` }).getAttribute('href'),
      `mailto:${known.booking_email}`,
    );
    const picture = card.locator('img').first();
    assert.deepEqual(
      [await picture.getAttribute('width'), await picture.getAttribute('height')],
      ['400', '300'],
    );

    await card.getByRole('heading').getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: known.name }).waitFor();
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
    assert.deepEqual(
      await crumbs.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href'))),
      ['/', '/coworking'],
    );
    await crumbs.getByText(known.name).waitFor();
    await page.getByText(known.description).waitFor();
    const AMENITIES = {
      wifi: 'WiFi',
      parking: 'Parking',
      cafeteria: 'Cafeteria/Pantry',
      meeting_rooms: 'Meeting Rooms',
      printer: 'Printer/Scanner',
      reception: 'Reception',
      security: '24/7 Security',
      air_conditioning: 'Air Conditioning',
      power_backup: 'Power Backup',
      locker: 'Lockers',
      cleaning_service: 'Cleaning Service',
      phone_booth: 'Phone Booths',
    };
    const amenities = page
      .locator('section')
      .filter({ has: page.getByRole('heading', { name: 'Amenities' }) });
    assert.deepEqual(
      (await amenities.locator('li').allInnerTexts()).map((text) => text.trim()).sort(),
      Object.keys(AMENITIES)
        .filter((name) => known.amenities[name])
        .map((name) => AMENITIES[name])
        .sort(),
    );
    await page.getByRole('heading', { name: 'Day Pass / Hot Desk' }).waitFor();
    const gallery = page.locator('[data-slot=gallery] img').first();
    assert.equal((await gallery.boundingBox()).height, 400);
    assert.deepEqual(problems, []);
    await close();
  },
);
