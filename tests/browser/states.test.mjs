// What every screen owes whoever looks at it, whatever it shows: a way on when its data does not come, and room for large letters.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { screens } from './screens.mjs';
import { visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;
const {
  ACCOUNT_SCREENS,
  DESKS,
  asAdmin,
  ask,
  asOwner,
  at,
  inThrees,
  isData,
  isOfDesk,
  onPhone,
  publicScreens,
} = screens(world);

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
