// What every screen with data shows while that is on its way, and when there is none.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { screens } from './screens.mjs';
import { visitor, onePass } from './visitor.mjs';

const world = visitor();
const { shot } = world;
const {
  ACCOUNT_LISTS,
  ACCOUNT_SCREENS,
  DESKS,
  asAdmin,
  asOwner,
  at,
  inThrees,
  isData,
  isOfDesk,
  onPhone,
  publicScreens,
} = screens(world);

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
  const { sum, moved } = await shifted(page);
  assert.ok(sum < MOST_SHIFTED, `${path} moves what is in view by ${sum.toFixed(3)}: ${moved.join(', ')}`);
}

/** How much of what was in view has moved since the page was opened, as browsers reckon it, and what. */
const shifted = (page) =>
  page.evaluate(async () => {
    let sum = 0;
    const moved = [];
    const observer = new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries()) {
        if (hadRecentInput) continue;
        sum += value;
        for (const { node, previousRect, currentRect } of sources)
          moved.push(
            `${node?.nodeName} "${node?.textContent?.slice(0, 30)}" ${previousRect.y}-${previousRect.bottom} to ${currentRect.y}-${currentRect.bottom}`,
          );
      }
    });
    observer.observe({ type: 'layout-shift', buffered: true });
    for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
    observer.disconnect();
    return { sum, moved };
  });
/** Half of what browsers' makers call good: answers that are held back are the worst that a page meets. */
const MOST_SHIFTED = 0.05;

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

it('D2: has its shape on every screen while its data is on its way', onePass, async () => {
  await inThrees(onPhone, await publicScreens(), (page, path) => waitsInShape(page, path, isData));
  await inThrees(asOwner, ACCOUNT_SCREENS, (page, path) => waitsInShape(page, path, isData));
  await inThrees(asAdmin, DESKS, (page, path) => waitsInShape(page, path, isOfDesk));
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
