// What is seen before the application is there: pages made ahead, what is done to them meanwhile, and what they ask.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../harness.mjs';
import { onePass, visitor } from './visitor.mjs';

const world = visitor();
const { visit } = world;
const at = (path) => `${world.stack.url}${path}`;

const HEADINGS = {
  '/': 'Find the space your business grows in',
  '/coworking': 'Find Your Perfect Co-working Space',
  '/commercial': 'Commercial Property for Lease and Sale',
  '/commercial/office-spaces': 'Office Spaces',
  '/auth/login': null,
  '/about-us': null,
  '/contact': 'Contact',
  '/privacy-policy': 'Privacy Policy',
  '/help': 'Help &amp; Support',
};

/** Holds the application back until released. */
async function hold(page) {
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route('**/assets/start-*.js', async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

it('is in the page itself, with its title, before any code runs (D55)', async () => {
  const titles = new Set();
  for (const [path, heading] of Object.entries(HEADINGS)) {
    const answer = await fetch(at(path), { headers: { accept: 'text/html' } });
    const text = await answer.text();
    const [, found] = /<h1[^>]*>([^<]+)<\/h1>/.exec(text) ?? [];
    assert.ok(found, `${path} has no heading`);
    if (heading) assert.equal(found, heading, path);
    titles.add(/<title>([^<]+)/.exec(text)[1]);
    assert.equal(/name="robots" content="noindex"/.test(text), path === '/auth/login', path);
    assert.doesNotMatch(text, /<script>/, path);
  }
  assert.equal(titles.size, Object.keys(HEADINGS).length);
});

it('keeps what is typed and clicked before the application is there, and then does it', onePass, async () => {
  const { page, problems, close } = await visit({ width: 390, height: 844 });
  const release = await hold(page);
  await page.goto(at('/'));
  const box = page.locator('[data-slot=suggest-box]').getByRole('combobox');
  await box.fill('coimb');
  await page.getByRole('button', { name: 'Menu' }).click();
  assert.equal(await page.getByRole('navigation', { name: 'Menu' }).count(), 0);
  release();
  await page.getByRole('navigation', { name: 'Menu' }).waitFor();
  assert.equal(await box.inputValue(), 'coimb');
  await page.getByRole('button', { name: 'Menu' }).click();
  await box.press('Enter');
  await page.waitForURL('**/commercial?q=coimb&for=lease');
  assert.deepEqual(problems, []);
  await close();
});

it('keeps every field of a form that was filled before the application was there', onePass, async () => {
  const { page, problems, close } = await visit({ width: 390, height: 844 });
  const release = await hold(page);
  await page.goto(at('/contact'));
  const typed = { name: 'Asha', email: 'asha@example.com', message: 'A question about the hall.' };
  for (const [name, value] of Object.entries(typed)) await page.locator(`[name=${name}]`).fill(value);
  await page.getByRole('button', { name: 'Menu' }).click();
  release();
  // What was clicked last is done last: everything before it has been done again.
  await page.getByRole('navigation', { name: 'Menu' }).waitFor();
  for (const [name, value] of Object.entries(typed))
    assert.equal(await page.locator(`[name=${name}]`).inputValue(), value, name);
  await page.keyboard.press('Escape');
  await page.getByRole('navigation', { name: 'Menu' }).waitFor({ state: 'detached' });
  await page.locator('[name=phone]').fill('+919876543210');
  for (const [name, value] of Object.entries(typed))
    assert.equal(await page.locator(`[name=${name}]`).inputValue(), value, `${name} after more`);
  assert.deepEqual(problems, []);
  await close();
});

it(
  'keeps the page, and answers around it, while the code of the page itself is on its way',
  onePass,
  async () => {
    const { page, problems, close } = await visit({ width: 390, height: 844 });
    await page.goto(at('/auth/login'));
    await page.getByRole('tab', { name: 'Email' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('owner@demo.example.com');
    await page.getByLabel('Password').fill('nilam-demo-2026');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname !== '/auth/login');
    let release;
    const held = new Promise((resolve) => (release = resolve));
    await page.route('**/assets/contact-*.js', async (route) => {
      await held;
      await route.continue();
    });
    const signedIn = page.waitForResponse('**/auth/v1/user');
    await page.goto(at('/contact'));
    await signedIn;
    await page.getByRole('button', { name: 'Menu' }).click();
    // With the account in it: the session was known, and the page did not give way to nothing for it.
    await page.getByRole('navigation', { name: 'Menu' }).getByText('Dashboard').waitFor();
    await page.getByRole('heading', { level: 1, name: 'Contact' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[name=message]').fill('A question about the hall.');
    release();
    await page.locator('[name=name]').and(page.locator(':not([value=""])')).waitFor();
    assert.equal(await page.locator('[name=message]').inputValue(), 'A question about the hall.');
    assert.deepEqual(problems, []);
    await close();
  },
);

it('says so when the application does not come, and how to go on', onePass, async () => {
  const { page, close } = await visit();
  let cut = 0;
  await page.route('**/assets/start-*.js', (route) => {
    cut += 1;
    return route.abort();
  });
  await page.goto(at('/contact'));
  // Fetched anew once by itself: a newer build would have other files.
  const again = page.getByRole('alert').getByRole('link', { name: 'Try again' });
  await again.waitFor();
  assert.ok(cut >= 2);
  await page.unroute('**/assets/start-*.js');
  await again.click();
  await again.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Send' }).click();
  await page.locator('[aria-invalid=true]').first().waitFor();
  await close();
});

it('sends a search that was begun before the application was there', onePass, async () => {
  const { page, problems, close } = await visit();
  const release = await hold(page);
  await page.goto(at('/'));
  const box = page.locator('[data-slot=suggest-box]').getByRole('combobox');
  await box.fill('godown');
  await box.press('Enter');
  assert.equal(new URL(page.url()).search, '');
  release();
  await page.waitForURL('**/commercial?q=godown&for=lease');
  assert.deepEqual(problems, []);
  await close();
});

it('asks once for what it shows, and in the name of whoever looks', async () => {
  const { page, problems, close } = await visit();
  const asked = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith('/rest/v1/')) asked.push({ url, headers: request.headers() });
  });
  const rows = async (route) =>
    (await fetch(at(`/rest/v1/${route}`), { headers: { apikey: world.stack.ANON_KEY } })).json();
  const [property] = await rows('properties?select=slug&order=id&limit=1');
  const [space] = await rows('coworking_space?select=slug&order=id&limit=1');
  for (const [path, table] of [
    ['/coworking', 'coworking_space'],
    [`/coworking/${space.slug}`, 'coworking_space'],
    ['/commercial', 'rpc/search_properties'],
    ['/search', 'rpc/search_properties'],
    [`/property/${property.slug}`, 'properties'],
  ]) {
    asked.length = 0;
    await page.goto(at(path));
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.waitForLoadState('networkidle');
    const first = asked.filter(({ url }) => url.pathname === `/rest/v1/${table}`);
    const seen = first.map(({ url }) => url.search);
    assert.equal(new Set(seen).size, seen.length, `${path} asks twice: ${seen.join('\n')}`);
    assert.match(first[0].headers['x-client-info'], /^supabase-js\/.*runtime=web$/);
    assert.ok(first[0].headers.apikey, path);
  }
  // An address with filters is not asked about without them.
  asked.length = 0;
  await page.goto(at('/commercial?city=Pune'));
  await page.locator('[data-slot=property-card]').first().waitFor();
  const searches = asked.filter(({ url }) => url.pathname.endsWith('/search_properties'));
  assert.ok(searches.length > 0 && searches.every(({ url }) => url.searchParams.get('city') === 'eq.Pune'));
  assert.deepEqual(problems, []);
  await close();
});

it('shows the first picture before the application is there', onePass, async () => {
  const { page, problems, close } = await visit({ width: 390, height: 844 });
  const release = await hold(page);
  await page.goto(at('/coworking'));
  await page.locator('[data-slot=skeletons]').waitFor();
  const picture = page.locator('img[data-early]');
  await until('the picture', () =>
    picture.evaluate((image) => image.currentSrc.includes('/render/image/') && image.naturalWidth > 0),
  );
  const source = await picture.evaluate((image) => image.currentSrc);
  release();
  const card = page.locator('[data-slot=space-card] img').first();
  await card.waitFor();
  assert.equal(await card.evaluate((image) => image.currentSrc), source);
  assert.deepEqual(problems, []);
  await close();
});

it('does not show English to whoever reads another language', onePass, async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/logo.svg'));
  await page.evaluate(() => localStorage.setItem('nilam-language', 'hi'));
  const release = await hold(page);
  await page.goto(at('/contact'), { waitUntil: 'commit' });
  await page.locator('h1').waitFor({ state: 'attached' });
  assert.equal(await page.locator('h1').isVisible(), false);
  release();
  await page.getByRole('heading', { level: 1, name: 'संपर्क' }).waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), 'hi');
  assert.deepEqual(problems, []);
  await close();
});
