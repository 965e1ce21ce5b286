// A visitor in a real browser: finds co-working spaces, opens one, signs in with a phone code.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { smsCode } from '../harness.mjs';
import { inspect } from './axe.mjs';
import { expect, visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;

it('lists 56 spaces, paid ones first, and narrows them by city and text', async () => {
  const { page, problems, close } = await visit();
  await page.goto(`${world.stack.url}/coworking`);
  await page.getByRole('heading', { name: 'Find Your Perfect Co-working Space' }).waitFor();
  await page.getByText('56 Co-working Spaces Found').waitFor();
  await shot(page, 'coworking');
  const badges = page.getByText('FEATURED', { exact: true });
  assert.ok((await badges.count()) >= 1);
  const city = page.getByLabel('City', { exact: true });
  await expect(city.locator('option')).toHaveCount(13);
  await city.selectOption('Chennai');
  await page
    .getByText(/\d Co-working Spaces? Found/)
    .filter({ hasNotText: '56' })
    .waitFor();
  await page.getByRole('searchbox').or(page.getByRole('textbox')).first().fill('no such place anywhere');
  await page.getByText('No co-working spaces found').waitFor();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await page.getByText('56 Co-working Spaces Found').waitFor();
  // A link to one city still offers the others.
  await page.goto(`${world.stack.url}/coworking?city=Pune&q=a`);
  await page.getByText(/Found for "a" in Pune/).waitFor();
  await city.locator('option').nth(12).waitFor({ state: 'attached' });
  await expect(city).toHaveValue('Pune');
  assert.deepEqual(problems, []);
  await close();
});

it('shows one with its gallery, prices and hours', async () => {
  const { page, problems, close } = await visit();
  await page.goto(`${world.stack.url}/coworking`);
  await page.getByText('56 Co-working Spaces Found').waitFor();
  await page.locator('a[href^="/coworking/"]').first().click();
  await page.getByText('Pricing & Contact').waitFor();
  await page.getByText('Available Space Types').waitFor();
  await page.getByText('Opening Hours').first().waitFor();
  await shot(page, 'coworking-detail');
  assert.deepEqual(problems, []);
  // A failure to load writes its code to the console, and nothing else.
  await page.goto(`${world.stack.url}/coworking/no-such-space`);
  await page.getByText('Co-working Space Not Found').first().waitFor();
  await close();
});

it('signs in with a phone code, returns to the page asked for, survives a reload and signs out', async () => {
  const { page, close } = await visit();
  await page.goto(`${world.stack.url}/profile?from=test`);
  await page.waitForURL('**/auth/login');
  await shot(page, 'login');
  await page.getByRole('textbox', { name: 'Phone number' }).fill('9876512345');
  await page.getByRole('button', { name: /code/i }).first().click();
  const code = await smsCode(world.stack.MAILPIT_URL, '+919876512345');
  await page.getByRole('textbox', { name: /code/i }).fill(code);
  await page.waitForURL('**/profile?from=test');
  await page.reload();
  await page.waitForURL('**/profile?from=test');
  // Not the address alone: it changes before the page does, and the menu closes with the page.
  await page.getByRole('heading', { level: 1, name: 'Profile' }).waitFor();
  await shot(page, 'profile');
  // The account's button is named for whoever is signed in.
  await page.getByRole('button', { name: '919876512345' }).click();
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('link', { name: 'Login' }).first().waitFor();
  await page.goto(`${world.stack.url}/profile`);
  await page.waitForURL('**/auth/login');
  await close();
});

it(
  'has a home page, a not-found page in place, and no sideways scroll on a small phone',
  onePass,
  async () => {
    const { page, problems, close } = await visit({ width: 320, height: 640 });
    for (const route of [
      '/',
      '/coworking',
      '/auth/login',
      '/about-us',
      '/contact',
      '/help',
      '/privacy-policy',
      '/nothing-here',
    ]) {
      await page.goto(`${world.stack.url}${route}`);
      await page.getByRole('heading', { level: 1 }).first().waitFor();
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      assert.ok(overflow <= 0, `${route} is ${overflow} px too wide`);
      assert.equal(new URL(page.url()).pathname, route);
    }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${world.stack.url}/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.waitForLoadState('networkidle');
    await shot(page, 'home');
    assert.deepEqual(problems, []);
    await close();
  },
);

it('has no accessibility defect, in light and dark', onePass, async () => {
  const { page, close } = await visit();
  await page.goto(`${world.stack.url}/coworking`);
  const detail = await page.locator('a[href^="/coworking/"]').first().getAttribute('href');
  for (const route of ['/', '/coworking', detail, '/auth/login', '/help', '/contact', '/nothing-here'])
    await inspect(page, `${world.stack.url}${route}`);
  await close();
});
