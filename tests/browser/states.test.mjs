// What every screen owes whoever looks at it, whatever it shows: a way on when its data does not come, and room for large letters.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;
const at = (path) => world.stack.url + path;

async function publicScreens() {
  const headers = { apikey: world.stack.ANON_KEY };
  const ask = async (query) => (await fetch(at(`/rest/v1/${query}`), { headers })).json();
  const properties = await ask('properties?status=eq.active&select=id,slug&order=id&limit=2');
  const [space] = await ask('coworking_space?active=eq.true&select=slug&limit=1');
  return [
    '/',
    '/coworking',
    `/coworking/${space.slug}`,
    '/commercial',
    '/commercial/warehouses',
    '/search?q=office',
    `/property/${properties[0].slug}`,
    `/compare?ids=${properties.map(({ id }) => id).join(',')}`,
  ];
}
const ACCOUNT_SCREENS = [
  '/dashboard',
  '/my-listings',
  '/shortlisted-properties',
  '/viewed-properties',
  '/contacted-properties',
  '/profile',
];

/** Opens a screen whose data does not come, looks for the reason and the way on, and goes it. */
async function failsAndRecovers(page, path) {
  const isData = (url) => url.pathname.startsWith('/rest/v1/');
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
  assert.equal(await page.getByRole('main').getByRole('alert').count(), 0, path);
}

/** So that the waits of some are the work of others. */
async function inThrees(paths, look) {
  const queue = [...paths];
  const worker = async () => {
    for (let path = queue.shift(); path; path = queue.shift()) await look(path);
  };
  await Promise.all([worker(), worker(), worker()]);
}

it(
  'D2: says on every public screen why its data did not come, and gets it on the next try',
  onePass,
  async () => {
    await inThrees(await publicScreens(), async (path) => {
      const { page, close } = await visit({ width: 390, height: 844 });
      await failsAndRecovers(page, path);
      await close();
    });
  },
);

it('D2: says so on the screens of an account, too', onePass, async () => {
  const { page, close } = await visit();
  await page.goto(at('/auth/login'));
  await page.getByRole('tab', { name: 'Email' }).click();
  await page.getByRole('textbox', { name: 'Email' }).fill('owner@demo.example.com');
  await page.getByLabel('Password').fill('nilam-demo-2026');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL((url) => url.pathname !== '/auth/login');
  for (const path of ACCOUNT_SCREENS) await failsAndRecovers(page, path);
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
