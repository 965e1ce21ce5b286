// What every screen owes whoever looks at it, whatever it shows: its shape while its data is on its way, a way on when there
// is none or it does not come, and room for large letters.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;
const at = (path) => world.stack.url + path;

async function ask(query) {
  const headers = { apikey: world.stack.ANON_KEY };
  return (await fetch(at(`/rest/v1/${query}`), { headers })).json();
}
async function publicScreens() {
  const properties = await ask('properties?status=eq.active&select=id,slug&order=id&limit=2');
  const [space] = await ask('coworking_space?active=eq.true&select=slug&limit=1');
  return [
    '/',
    '/coworking',
    `/coworking/${space.slug}`,
    '/commercial',
    '/commercial/warehouses',
    '/commercial/warehouses-in-chennai',
    '/search?q=office',
    `/property/${properties[0].slug}`,
    `/compare?ids=${properties.map(({ id }) => id).join(',')}`,
  ];
}
const ACCOUNT_LISTS = [
  '/dashboard?tab=enquiries',
  '/dashboard?tab=news',
  '/dashboard?tab=searches',
  '/my-listings',
  '/shortlisted-properties',
  '/viewed-properties',
  '/contacted-properties',
];
const ACCOUNT_SCREENS = ['/dashboard', ...ACCOUNT_LISTS, '/profile'];
const DESKS = [
  '/admin',
  ...['listings', 'users', 'coworking', 'enquiries', 'reports', 'messages', 'audit'].map(
    (tab) => `/admin?tab=${tab}`,
  ),
];
const OWNER = 'owner@demo.example.com';
const ADMIN = 'admin@demo.example.com';

async function signedIn(email) {
  const visitor = await visit();
  const { page } = visitor;
  await page.goto(at('/auth/login'));
  await page.getByRole('tab', { name: 'Email' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByLabel('Password').fill('nilam-demo-2026');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname !== '/auth/login');
  return visitor;
}
const asOwner = () => signedIn(OWNER);
const asAdmin = () => signedIn(ADMIN);
const onPhone = () => visit({ width: 390, height: 844 });

const isData = (url) => url.pathname.startsWith('/rest/v1/');
/** What a desk shows, and not whether one may see it. */
const isOfDesk = (url) => isData(url) && !url.pathname.endsWith('/is_admin');

/** Opens a screen whose data does not come, looks for the reason and the way on, and goes it. */
async function failsAndRecovers(page, path, isData) {
  const cut = (route) => route.abort();
  await page.route(isData, cut);
  await page.goto(at(path));
  const reason = page.getByText('Connection failed').filter({ visible: true }).first();
  await reason.waitFor({ timeout: 15_000 }).catch((error) => {
    throw new Error(`${path} does not say why`, { cause: error });
  });
  const again = page.getByRole('button', { name: 'Try Again' });
  await again.first().waitFor();
  await shot(page, `states-${path.replaceAll(/\W+/g, '-')}`);
  await page.unroute(isData, cut);
  // A screen of several parts has a way on in each.
  while ((await again.count()) > 0) {
    const left = await again.count();
    await again.first().click();
    await page.waitForFunction(
      (most) =>
        [...document.querySelectorAll('button')].filter((each) => each.textContent === 'Try Again').length <
        most,
      left,
    );
  }
  const alerts = page.getByRole('main').getByRole('alert').filter({ hasText: /\S/ });
  assert.equal(await alerts.count(), 0, path);
}

/**
 * Opens a screen whose data lets itself be waited for: meanwhile it has its shape, says that it loads, and claims nothing. What
 * comes then takes its place without moving what is in view.
 */
async function waitsInShape(page, path, isData) {
  let release;
  const released = new Promise((resolve) => (release = resolve));
  const hold = (route) => released.then(() => route.continue()).catch(() => {});
  await page.route(isData, hold);
  await page.goto(at(path));
  const main = page.getByRole('main');
  const shape = main.locator('[data-slot=skeleton], [data-slot=skeletons], [data-slot=detail-skeleton]');
  await shape
    .first()
    .waitFor()
    .catch((error) => {
      throw new Error(`${path} has no shape while it waits`, { cause: error });
    });
  await main
    .getByRole('status')
    .filter({ hasText: /loading/i })
    .first()
    .waitFor({ state: 'attached' });
  assert.equal(await main.locator(EMPTY).count(), 0, `${path} says that there is nothing`);
  assert.equal(await main.getByRole('alert').count(), 0, `${path} says that something is wrong`);
  await shot(page, `waits-${path.replaceAll(/\W+/g, '-')}`);
  release();
  await page.waitForFunction(
    () => document.querySelector('main [data-slot^=skeleton], main [data-slot=detail-skeleton]') === null,
  );
  await page.unroute(isData, hold);
  await page.waitForLoadState('networkidle');
  const moved = await shifted(page);
  assert.ok(moved < MOST_SHIFTED, `${path} moves what is in view by ${moved.toFixed(3)}`);
}

/** How much of what was in view has moved since the page was opened, as browsers reckon it. */
const shifted = (page) =>
  page.evaluate(async () => {
    let sum = 0;
    const observer = new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) sum += value;
    });
    observer.observe({ type: 'layout-shift', buffered: true });
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    observer.disconnect();
    return sum;
  });
/** Up to which browsers' makers call it good. */
const MOST_SHIFTED = 0.1;

const EMPTY = '[data-slot=empty], [data-slot=nothing-found]';

/** Opens a list of which nothing is there: it says so, and has something to do about it. */
async function saysThatNothingIsThere(page, path) {
  const isRead = (url) => isOfDesk(url) && !/\/(owner_card|admin_counts)$/.test(url.pathname);
  const empty = (route) => {
    const request = route.request();
    const one = request.headers().accept?.includes('pgrst.object');
    const isProfile =
      request.url().includes('/profiles?') && !new URL(request.url()).searchParams.has('offset');
    if (one || isProfile) return route.continue();
    return route.fulfill({ json: [], headers: { 'content-range': '*/0' } });
  };
  await page.route(isRead, empty);
  await page.goto(at(path));
  const nothing = page.getByRole('main').locator(EMPTY).first();
  await nothing.waitFor().catch((error) => {
    throw new Error(`${path} does not say that there is nothing`, { cause: error });
  });
  assert.match(await nothing.innerText(), /[a-z]{3}/, path);
  const ways = nothing.getByRole('link').or(nothing.getByRole('button'));
  assert.ok((await ways.count()) > 0, `${path} leads nowhere when there is nothing`);
  assert.equal(await page.getByRole('main').getByRole('alert').count(), 0, path);
  await shot(page, `empty-${path.replaceAll(/\W+/g, '-')}`);
  await page.unroute(isRead, empty);
}

/** So that the waits of some are the work of others: three visitors of one kind, each at a screen of their own. */
async function inThrees(open, paths, look) {
  const queue = [...paths];
  const worker = async () => {
    const { page, close } = await open();
    for (let path = queue.shift(); path; path = queue.shift()) await look(page, path);
    await close();
  };
  await Promise.all([worker(), worker(), worker()]);
}

it(
  'D2: says on every public screen why its data did not come, and gets it on the next try',
  onePass,
  async () => {
    await inThrees(onPhone, await publicScreens(), (page, path) => failsAndRecovers(page, path, isData));
  },
);

it('D2: says so on the screens of an account, too', onePass, async () => {
  await inThrees(asOwner, ACCOUNT_SCREENS, (page, path) => failsAndRecovers(page, path, isData));
});

it('D2: says so on every desk of the administration, and at its door', onePass, async () => {
  const [space] = await ask('coworking_space?active=eq.true&select=id&limit=1');
  const screens = [...DESKS, `/admin?tab=coworking&id=${space.id}`];
  await inThrees(asAdmin, screens, (page, path) => failsAndRecovers(page, path, isOfDesk));
  const { page, close } = await asAdmin();
  await failsAndRecovers(page, '/admin', isData);
  await page.locator('[data-slot=review]').waitFor();
  await close();
});

it('D2: has its shape on every screen while its data is on its way', onePass, async () => {
  await inThrees(onPhone, await publicScreens(), (page, path) => waitsInShape(page, path, isData));
  await inThrees(asOwner, ACCOUNT_SCREENS, (page, path) => waitsInShape(page, path, isData));
  await inThrees(asAdmin, DESKS, (page, path) => waitsInShape(page, path, isOfDesk));
});

it('D2: keeps a reason that is half written when a later look at the queue fails', onePass, async () => {
  const { page, close } = await asAdmin();
  await page.goto(at('/admin'));
  await page.locator('[data-slot=review]').waitFor();
  await page.keyboard.press('r');
  const reason = page.locator('[data-slot=confirm]').getByRole('textbox');
  await reason.fill('The photos show another building.');
  await page.route(isOfDesk, (route) => route.abort());
  await page.getByRole('button', { name: 'Reject', exact: true }).last().click();
  await page.locator('[data-slot=confirm]').getByText('Connection failed').waitFor();
  assert.equal(await reason.inputValue(), 'The photos show another building.');
  await close();
});

it('D2: claims no number before it is known', onePass, async () => {
  const { page, close } = await asOwner();
  let release;
  const released = new Promise((resolve) => (release = resolve));
  await page.route(isData, (route) => released.then(() => route.continue()).catch(() => {}));
  await page.goto(at('/dashboard'));
  const main = page.getByRole('main');
  const count = main.getByRole('link', { name: 'Public listings' });
  await count.waitFor();
  assert.doesNotMatch(await main.innerText(), /\d/);
  release();
  await count.getByText(/[1-9]/).waitFor();
  await close();
});

it('D2: says in every list that nothing is there, and what to do about it', onePass, async () => {
  const lists = ['/coworking', '/commercial', '/commercial/warehouses', '/search?q=office', '/compare'];
  await inThrees(onPhone, lists, saysThatNothingIsThere);
  await inThrees(asOwner, ACCOUNT_LISTS, saysThatNothingIsThere);
  await inThrees(asAdmin, [...DESKS, '/admin?tab=listings&q=office'], saysThatNothingIsThere);
});

it('D56: has the letters that owners write in, wherever they are read', onePass, async () => {
  const titles = await ask('properties?status=eq.active&select=id,title');
  const { id } = titles.find(({ title }) => /\p{Script=Tamil}/u.test(title));
  const { page, close } = await visit();
  await page.goto(at(`/compare?ids=${id}`));
  await page.getByRole('main').getByRole('table').waitFor();
  await page.waitForFunction(() =>
    [...document.fonts].some(({ family, status }) => family.includes('Nilam Tamil') && status === 'loaded'),
  );
  await close();
});

it(
  'D58: reflows at 400 % in a window of 1280 by 1024, with headings clear of the header',
  onePass,
  async () => {
    const { page, close } = await visit({ width: 320, height: 256 });
    for (const path of [
      ...(await publicScreens()),
      '/about-us',
      '/contact',
      '/help',
      '/privacy-policy',
      '/auth/login',
    ]) {
      await page.goto(at(path));
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const { width, top, header } = await page.evaluate(() => {
        const heading = document.querySelector('h1');
        heading.scrollIntoView({ block: 'start', behavior: 'instant' });
        return {
          width: document.documentElement.scrollWidth,
          top: heading.getBoundingClientRect().top,
          header: document.querySelector('header').getBoundingClientRect().bottom,
        };
      });
      assert.equal(width, 320, `${path} is wider than its window`);
      assert.ok(top >= header - 1, `${path}: the heading is at ${top}, the header ends at ${header}`);
    }
    await close();
  },
);
