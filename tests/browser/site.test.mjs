// The pages around the marketplace in a real browser: what they say, in three languages, with and without a connection.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inspect, overflow } from './axe.mjs';
import { expect, visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;
const at = (route) => `${world.stack.url}${route}`;

const PAGES = [
  '/',
  '/old-home',
  '/about-us',
  '/contact',
  '/help',
  '/privacy-policy',
  '/comprehensive-platform',
  '/property-description-demo',
  '/ux-showcase',
  '/compare',
  '/auth/login',
  '/nothing-here',
];

it('says in the contact form what is missing, and offers a mail when it does not get through (D35, U11, U12)', async () => {
  const { page, close } = await visit();
  await page.route('**/functions/v1/contact', (route) => route.abort());
  await page.goto(at('/contact'));
  for (const text of ['+91 4344 000 000', 'info@nilam.example', 'Monday to Friday, 9 am to 6 pm'])
    await page.getByRole('main').getByText(text).waitFor();
  const form = page.locator('[data-slot=contact-form]');
  await form.getByRole('button', { name: 'Send message' }).click();
  await form.getByText('Please fill this in.').first().waitFor();
  await expect(form.getByLabel('Your name')).toBeFocused();
  await form.getByLabel('Your name').fill('Kavitha');
  await form.getByLabel('Email').fill('kavitha@example.com');
  await form.getByLabel('Message').fill('Do you list plots near Hosur?');
  await form.getByRole('button', { name: 'Send message' }).click();
  await form.getByText('The message could not be sent. Nothing of it is lost.').waitFor();
  const mail = new URL(
    await form.getByRole('link', { name: 'Send it as an email instead' }).getAttribute('href'),
  );
  assert.equal(mail.pathname, 'info@nilam.example');
  assert.match(mail.searchParams.get('body'), /Do you list plots near Hosur\?/);
  await expect(form.getByLabel('Message')).toHaveValue('Do you list plots near Hosur?');
  await shot(page, 'contact');
  await close();
});

it('mentions free listing and verified buyers, and where it works from (R1, R2, R3)', onePass, async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/about-us'));
  const main = page.getByRole('main');
  await main.getByText('Listing a property is free', { exact: false }).waitFor();
  await main.getByRole('heading', { name: 'Verified buyers' }).waitFor();
  await main.getByText('Hosur, Tamil Nadu', { exact: false }).waitFor();
  const meta = (name) =>
    page.locator(`meta[property="${name}"], meta[name="${name}"]`).first().getAttribute('content');
  assert.equal(await meta('og:locale'), 'en_IN');
  assert.match(await meta('geo.placename'), /Tamil Nadu/);
  assert.equal(await meta('revisit-after'), '7 days');
  await page.goto(at('/'));
  await page.getByRole('img', { name: 'Free listing' }).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('tells search engines which page is which, and which to leave out (D55)', onePass, async () => {
  const { page, close } = await visit();
  for (const [route, indexed] of [
    ['/about-us', true],
    ['/contact', true],
    ['/help', true],
    ['/privacy-policy', true],
    ['/comprehensive-platform', true],
    ['/old-home', false],
    ['/ux-showcase', false],
    ['/property-description-demo', false],
  ]) {
    await page.goto(at(route));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await expect(page.locator('meta[name=robots][content=noindex]')).toHaveCount(indexed ? 0 : 1);
    if (!indexed) continue;
    await expect(page.locator('link[rel=canonical]')).toHaveAttribute('href', at(route));
    assert.deepEqual(
      await page.locator('link[rel=alternate]').evaluateAll((links) => links.map((link) => link.hreflang)),
      ['en-IN', 'hi', 'ta', 'x-default'],
    );
    assert.ok((await page.locator('meta[name=description]').getAttribute('content')).length > 20, route);
  }
  await close();
});

it('reads in Hindi and Tamil on every page, and fits a small phone (D56, D58)', onePass, async () => {
  const { page, problems, close } = await visit({ width: 320, height: 640 });
  for (const [language, name, script] of [
    ['hi', 'हिन्दी', /[\u0900-\u097f]/],
    ['ta', 'தமிழ்', /[\u0b80-\u0bff]/],
  ]) {
    await page.goto(at('/'));
    await page.locator('header select').first().selectOption({ label: name });
    await page.waitForFunction((code) => document.documentElement.lang === code, language);
    for (const route of PAGES) {
      await page.goto(at(route));
      const heading = page.getByRole('heading', { level: 1 }).first();
      await heading.waitFor();
      await page.waitForFunction((code) => document.documentElement.lang === code, language);
      // The words of a section come with their page, a moment before or after those of the shell.
      await page.waitForFunction(
        (source) => new RegExp(source).test(document.querySelector('main h1')?.textContent ?? ''),
        script.source,
      );
      assert.ok((await overflow(page)) <= 0, `${route} in ${language} is too wide`);
    }
  }
  assert.deepEqual(problems, []);
  await close();
});

it(
  'shows every button, toast, loader, input and picture, and the error screen (R60, R93, R95, R96, R174, R175, D51)',
  onePass,
  async () => {
    const { page, close } = await visit();
    await page.goto(at('/ux-showcase'));
    for (const variant of ['default', 'destructive', 'outline', 'secondary', 'ghost', 'link']) {
      const row = page.locator(`[data-variant=${variant}]`);
      for (const size of ['default', 'sm', 'lg', `${variant} icon`])
        await row.getByRole('button', { name: size, exact: true }).waitFor();
      await expect(row.getByRole('button', { name: 'Disabled' })).toBeDisabled();
    }
    const sizes = await page
      .locator('#loaders [data-slot=spinner] svg')
      .evaluateAll((icons) => icons.map((icon) => icon.getBoundingClientRect().width));
    assert.deepEqual(
      [...sizes].sort((a, b) => a - b),
      sizes,
    );
    assert.equal(new Set(sizes).size, 5);
    // Pictures are asked for when they come near.
    await page.locator('#images').scrollIntoViewIfNeeded();
    await page.getByText('Failed to load image').first().waitFor();
    await page.getByText('No images available').waitFor();
    const toasts = page.locator('#toasts');
    for (const kind of ['success', 'error', 'warning', 'info']) {
      await toasts.getByRole('button', { name: kind, exact: true }).click();
      await page.locator(`[data-sonner-toast][data-type=${kind}]`).first().waitFor();
    }
    await toasts.getByRole('button', { name: 'loading' }).click();
    await page.locator('[data-sonner-toast][data-type=loading]').first().waitFor();
    await page.getByText('All done').waitFor();
    await toasts.getByRole('button', { name: 'network' }).click();
    await page.getByText('🌐 This is a notification: network').waitFor();
    await shot(page, 'showcase');
    await page.getByRole('button', { name: 'Break this page' }).click();
    await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
    await page.getByRole('button', { name: 'Go to Homepage' }).click();
    await page.waitForURL(at('/'));
    await close();
  },
);

it('writes a listing from its facts (D51)', onePass, async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/property-description-demo'));
  await page.getByLabel('Property type').selectOption('warehouse');
  await page.getByLabel('Locality').fill('Sulur');
  await page.getByLabel('Area (sq ft)').fill('12,000');
  await page.getByLabel('Seats').fill('');
  await page.getByRole('heading', { level: 2, name: 'Warehouse for lease in Sulur, Coimbatore' }).waitFor();
  const text = await page
    .getByRole('main')
    .getByText('Warehouse of 12,000 sq ft for lease.', { exact: false })
    .innerText();
  assert.doesNotMatch(text, /seat/);
  assert.deepEqual(problems, []);
  await close();
});

it('says so while there is no connection, stays readable, refuses changes, and goes on after (R156, D61)', async () => {
  const { page, close } = await visit(undefined, { serviceWorkers: 'allow' });
  await page.goto(at('/coworking'));
  await page.getByText('56 Co-working Spaces Found').waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  // Once more, with the worker in charge of it.
  await page.goto(at('/contact'));
  await page.getByRole('heading', { level: 1, name: 'Contact' }).waitFor();
  await page.getByRole('link', { name: 'Co-working Spaces' }).first().click();
  await page.getByText('56 Co-working Spaces Found').waitFor();
  await page.context().setOffline(true);
  const bar = page.locator('[data-slot=offline]');
  await bar.getByText('You are offline. Some features may not work.').waitFor();
  // What was read stays there, also by way of another page.
  await page.getByRole('contentinfo').getByRole('link', { name: 'Contact' }).click();
  const form = page.locator('[data-slot=contact-form]');
  await form.getByLabel('Your name').fill('Kavitha');
  await form.getByLabel('Email').fill('kavitha@example.com');
  await form.getByLabel('Message').fill('Written on a train without a signal.');
  await form.getByRole('button', { name: 'Send message' }).click();
  await form.getByText('The message could not be sent. Nothing of it is lost.').waitFor();
  await page.goBack();
  await page.getByText('56 Co-working Spaces Found').waitFor();
  // The application itself opens without a connection.
  await page.reload();
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await bar.waitFor();
  await page.context().setOffline(false);
  await page.getByText('You are back online.').waitFor();
  await bar.waitFor({ state: 'detached' });
  await page.getByText('56 Co-working Spaces Found').waitFor();
  await close();
});

it(
  'has no accessibility defect on any public page, in light and dark, narrow and wide (D5, D58)',
  onePass,
  async () => {
    const { page, close } = await visit();
    for (const route of PAGES) await inspect(page, at(route));
    await close();
  },
);

it('allows no script but its own, and asks nobody else for anything (D62, R61)', async () => {
  const answer = await fetch(at('/about-us'), { headers: { accept: 'text/html' } });
  const policy = answer.headers.get('content-security-policy');
  assert.match(policy, /script-src 'self';/);
  assert.match(policy, /object-src 'none'/);
  const { page, problems, close } = await visit();
  const asked = new Set();
  page.on('request', (request) => asked.add(request.url()));
  for (const route of ['/', '/coworking', '/commercial', '/about-us']) {
    await page.goto(at(route));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
  }
  const outside = [...asked].filter((url) => !url.startsWith(world.stack.url) && !url.startsWith('data:'));
  assert.deepEqual(outside, []);
  // What the product is known by comes with it.
  for (const file of [
    'logo.svg',
    'hero.svg',
    'avatar.svg',
    'free-listing.svg',
    'coworking-placeholder.svg',
  ]) {
    const found = await fetch(at(`/${file}`));
    assert.match(found.headers.get('content-type'), /^image\/svg/, file);
  }
  const links = await page.locator('a[target=_blank]').evaluateAll((all) => all.map(({ rel }) => rel));
  assert.ok(links.length >= 4 && links.every((rel) => rel === 'noopener noreferrer'), links.join());
  assert.deepEqual(problems, []);
  await close();
});
