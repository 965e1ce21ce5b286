// The frame of every page in a real browser: guards, header, footer, theme, toasts, failures.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { smsCode } from '../harness.mjs';
import { expect, visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;
const at = (route) => `${world.stack.url}${route}`;
const pathOf = (page) => new URL(page.url()).pathname;

async function signIn(page, digits) {
  await page.goto(at('/auth/login'));
  await page.getByRole('textbox', { name: 'Phone number' }).fill(digits);
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByRole('textbox', { name: 'Verification code' }).waitFor();
  const code = await smsCode(world.stack.MAILPIT_URL, `+91${digits}`);
  await page.getByRole('textbox', { name: 'Verification code' }).fill(code);
  await page.waitForURL((url) => url.pathname !== '/auth/login');
  // The page comes a moment after its address, and closes any menu.
  await page.getByRole('heading', { level: 1, name: 'Welcome to Nilam' }).waitFor({ state: 'detached' });
}

it('sends strangers from every protected page to the login, and back with the query', async () => {
  const { page, close } = await visit();
  const guarded = [
    '/messages',
    '/viewings',
    '/settings',
    '/profile',
    '/contacted-properties',
    '/shortlisted-properties',
    '/dashboard',
    '/edit-listing/1',
    '/list-property',
    '/viewed-properties',
    '/my-listings',
    '/admin',
  ];
  for (const route of guarded) {
    await page.goto(at(`${route}?a=1`));
    await page.waitForURL('**/auth/login');
  }
  await page.goto(at('/settings?tab=two'));
  await page.waitForURL('**/auth/login');
  await signIn(page, '9876500001');
  assert.equal(page.url(), at('/settings?tab=two'));
  // Somebody signed in has nothing to do at the login.
  await page.goto(at('/auth/login'));
  await page.waitForURL('**/dashboard');
  await close();
});

it('shows a spinner, and nothing of the page, while it is not known who is there', async () => {
  const { page, close } = await visit();
  let answer;
  const held = new Promise((resolve) => (answer = resolve));
  await page.route('**/config.json', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(at('/profile'), { waitUntil: 'commit' });
  await page.getByRole('status').getByText('Loading...').waitFor();
  assert.equal(pathOf(page), '/profile');
  assert.equal(await page.getByRole('heading', { name: 'Profile' }).count(), 0);
  answer();
  await page.waitForURL('**/auth/login');
  await close();
});

it('lets nobody into the administration by a changed store, and administrators by the database', async () => {
  const { page, close } = await visit();
  await signIn(page, '9876500002');
  await page.evaluate(() => {
    const kept = JSON.parse(localStorage.getItem('nilam-app'));
    kept.state.user.role = 'admin';
    localStorage.setItem('nilam-app', JSON.stringify(kept));
  });
  await page.goto(at('/admin'));
  await page.waitForURL('**/dashboard');

  const id = await page.evaluate(() => JSON.parse(localStorage.getItem('nilam-app')).state.user.id);
  const promoted = await fetch(at(`/auth/v1/admin/users/${id}`), {
    method: 'PUT',
    headers: {
      'content-type': 'application/json',
      apikey: world.stack.SERVICE_ROLE_KEY,
      authorization: `Bearer ${world.stack.SERVICE_ROLE_KEY}`,
    },
    body: JSON.stringify({ app_metadata: { role: 'admin' } }),
  });
  assert.equal(promoted.status, 200);
  // The role is in tokens made from now on.
  await page.getByRole('button', { name: '919876500002' }).click();
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByText('Logged out successfully').waitFor();
  await page.waitForTimeout(1100);
  await signIn(page, '9876500002');
  await page.goto(at('/admin'));
  await page.getByRole('heading', { level: 1, name: 'Administration' }).waitFor();
  assert.equal(pathOf(page), '/admin');
  const stored = await page.evaluate(() => localStorage.getItem('nilam-app'));
  assert.equal(JSON.parse(stored).state.user.role, 'user');
  await close();
});

it('has a header that is clear at the top and white with a border below it', onePass, async () => {
  const { page, close } = await visit();
  await page.goto(at('/'));
  const header = page.locator('header');
  const colour = () => header.evaluate((element) => getComputedStyle(element).backgroundColor);
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.match(await colour(), /rgba\(0, 0, 0, 0\)|transparent/);
  await expect(header).toHaveCSS('position', 'fixed');
  await page.mouse.wheel(0, 600);
  await page.waitForFunction(
    () => getComputedStyle(document.querySelector('header')).backgroundColor === 'rgb(255, 255, 255)',
  );
  await page.getByRole('link', { name: 'Nilam', exact: true }).click();
  await page.waitForFunction(() => window.scrollY === 0);
  await page.goto(at('/coworking'));
  await page.getByRole('link', { name: 'Nilam', exact: true }).click();
  await page.waitForURL(at('/'));
  await page.getByRole('banner').getByRole('link', { name: 'List Your Property' }).click();
  await page.waitForURL('**/auth/login');
  await close();
});

it('offers the same account pages in the menu of a wide and of a narrow window', onePass, async () => {
  const { page, close } = await visit();
  await signIn(page, '9876500003');
  const names = [
    'Profile',
    'My Listings',
    'Dashboard',
    'UX Showcase',
    'Contacted Properties',
    'Shortlist',
    'Viewed',
    'Logout',
  ];
  await page.getByRole('button', { name: '919876500003' }).click();
  await page.getByRole('button', { name: 'Logout' }).waitFor();
  const list = page.getByRole('banner').getByRole('link', { name: 'List Your Property' });
  await expect(list.first()).toHaveAttribute('href', '/list-property');
  const items = page.getByRole('banner').locator('a, button').filter({ visible: true });
  const shown = async () => (await items.allInnerTexts()).filter((text) => names.includes(text));
  assert.deepEqual(await shown(), names);
  await page.keyboard.press('Escape');
  assert.deepEqual(await shown(), []);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.getByRole('button', { name: 'Menu' }).click();
  await page.getByRole('button', { name: 'Logout' }).waitFor();
  assert.deepEqual(await shown(), names);
  await shot(page, 'menu-320');
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  assert.ok(overflow <= 0);
  await close();
});

it('has a footer with its links, and three buttons that lead nowhere', onePass, async () => {
  const { page, close } = await visit();
  await page.goto(at('/about-us'));
  const footer = page.getByRole('contentinfo');
  await footer.getByText('The right space for every business in India.').waitFor();
  for (const [name, to] of [
    ['Home', '/'],
    ['Listings', '/commercial'],
    ['About us', '/about-us'],
    ['Contact', '/contact'],
    ['Privacy Policy', '/privacy-policy'],
  ])
    await expect(footer.getByRole('link', { name, exact: true })).toHaveAttribute('href', to);
  for (const name of ['Terms of Service', 'Privacy Policy', 'Cookie Policy'])
    await footer.getByRole('button', { name, exact: true }).waitFor();
  await expect(footer.locator('a[target=_blank][rel="noopener noreferrer"]')).toHaveCount(4);
  await expect(footer.locator('a[href^="tel:"], a[href^="mailto:info@"]')).toHaveCount(2);
  for (const name of ['Office Spaces', 'Retail Spaces', 'Industrial Properties', 'Warehouses']) {
    await footer.getByText(name, { exact: true }).waitFor();
    await expect(footer.getByRole('link', { name, exact: true })).toHaveCount(0);
  }
  await close();
});

it('starts every visit in light, and keeps the choice and the language', onePass, async () => {
  const { page, close } = await visit();
  const stored = () => page.evaluate(() => localStorage.getItem('vite-ui-theme'));
  const dark = () => page.evaluate(() => document.documentElement.classList.contains('dark'));
  await page.goto(at('/auth/login'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  assert.equal(await stored(), 'system');
  await page.getByRole('button', { name: 'Switch to dark theme' }).click();
  await page.waitForFunction(() => document.documentElement.classList.contains('dark'));
  assert.equal(await stored(), 'dark');
  await shot(page, 'login-dark');
  await page.reload();
  await page.getByRole('button', { name: 'Switch to dark theme' }).waitFor();
  assert.equal(await dark(), false);
  assert.equal(await stored(), 'dark');
  await page.getByLabel('Language').selectOption('hi');
  await page.getByRole('heading', { name: 'Nilam में आपका स्वागत है' }).waitFor();
  await expect(page.locator('html')).toHaveAttribute('lang', 'hi');
  await page.setViewportSize({ width: 375, height: 760 });
  await shot(page, 'login-hindi');
  await page.reload();
  await page.getByRole('heading', { name: 'Nilam में आपका स्वागत है' }).waitFor();
  await close();
});

it('has the coming-soon pages, each with a way back', onePass, async () => {
  const { page, close } = await visit();
  await page.goto(at('/help'));
  await page.getByText('Live chat coming soon').waitFor();
  for (const name of ['Contact Us', 'About', 'Privacy Policy', 'Back to Dashboard'])
    await page.getByRole('main').getByRole('link', { name, exact: true }).waitFor();
  await signIn(page, '9876500004');
  for (const [route, text] of [
    ['/messages', 'Messages Feature Coming Soon'],
    ['/viewings', 'Viewing Scheduler Coming Soon'],
    ['/settings', 'Advanced Settings Coming Soon'],
  ]) {
    await page.goto(at(route));
    await page.getByRole('heading', { name: text }).waitFor();
    await page.getByRole('link', { name: 'Back to Dashboard' }).waitFor();
  }
  await page.getByRole('link', { name: 'Go to Profile Settings' }).click();
  await page.waitForURL('**/profile');
  await close();
});

it('keeps the address of a page that is not there', onePass, async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/no/such/page?x=1'));
  await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor();
  assert.equal(page.url(), at('/no/such/page?x=1'));
  await expect(page.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex');
  assert.deepEqual(problems, []);
  await close();
});

it('shows the error screen when a page breaks, and goes on from there', onePass, async () => {
  const { page, close } = await visit();
  await page.route('**/assets/about-*.js', (route) =>
    route.fulfill({
      contentType: 'text/javascript',
      body: 'export const Component = () => { throw new Error("broken on purpose") }; export { Component as t };',
    }),
  );
  const codes = [];
  page.on('console', (message) => message.type() === 'error' && codes.push(message.text()));
  await page.goto(at('/about-us'));
  await page.getByRole('heading', { name: 'Something went wrong' }).waitFor();
  await page.getByText(/Error ID: [0-9A-Z]{8,}/).waitFor();
  await shot(page, 'error-screen');
  const before = codes.filter((text) => text === 'UNKNOWN_ERROR').length;
  await page.getByRole('button', { name: 'Report This Issue' }).click();
  await page.getByText('Thank you, the error was reported.').waitFor();
  assert.equal(codes.filter((text) => text === 'UNKNOWN_ERROR').length, before + 1);
  await page.unroute('**/assets/about-*.js');
  await page.getByRole('button', { name: 'Try Again' }).click();
  await page.getByRole('heading', { level: 1, name: 'About us' }).waitFor();
  await close();
});

it('has one toast at a time, top right, in a region that Alt+T reaches', onePass, async () => {
  const { page, close } = await visit();
  await page.goto(at('/'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  const region = page.locator('section[aria-label^="Notifications"]');
  await region.waitFor({ state: 'attached' });
  await page.evaluate(() => window.dispatchEvent(new Event('offline')));
  await page.getByText('You are offline. Some features may not work.').waitFor();
  const box = await page.locator('[data-sonner-toast]').first().boundingBox();
  assert.ok(box.x > 640 && box.y < 300, JSON.stringify(box));
  await page.evaluate(() => window.dispatchEvent(new Event('online')));
  await page.getByText('You are back online.').waitFor();
  await page.getByText('You are offline.').waitFor({ state: 'hidden' });
  await page.keyboard.press('Alt+KeyT');
  assert.ok(await region.evaluate((element) => element.contains(document.activeElement)));
  await close();
});

it('counts each page once, with its query', onePass, async () => {
  const { page, close } = await visit();
  await page.goto(at('/coworking?city=Chennai'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('contentinfo').getByRole('link', { name: 'About us' }).click();
  await page.getByRole('heading', { level: 1, name: 'About us' }).waitFor();
  const views = await page.evaluate(() =>
    window.dataLayer.filter(({ event }) => event === 'page_view').map(({ page_path }) => page_path),
  );
  assert.deepEqual(views, ['/coworking?city=Chennai', '/about-us']);
  const ratings = await page.evaluate(() =>
    window.dataLayer.filter(({ event }) => event === 'web_vital').map(({ rating }) => rating),
  );
  assert.ok(ratings.length && ratings.every((one) => ['good', 'needs-improvement', 'poor'].includes(one)));
  await close();
});

it('keeps who is signed in when the check of the session does not arrive', async () => {
  const { page, close } = await visit();
  await signIn(page, '9876500009');
  await page.route('**/auth/v1/user', (route) => route.abort());
  await page.goto(at('/profile'));
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
  await page.unroute('**/auth/v1/user');
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
  assert.equal(new URL(page.url()).pathname, '/profile');
  await close();
});
