// A visitor in a real browser: finds co-working spaces, opens one, signs in with a phone code.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { chromium } from 'playwright-core';
import { platform, root, smsCode } from '../harness.mjs';

const executablePath = [
  process.env.NILAM_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((candidate) => candidate && existsSync(candidate));
const artifacts = path.join(root, 'tests/.artifacts');

let stack;
let browser;

before(async () => {
  stack = await platform();
  await mkdir(artifacts, { recursive: true });
  browser = await chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
});
after(async () => {
  await browser?.close();
  await stack?.close();
});

/** A page of its own context, with what went wrong in it. The outside world (maps) is cut off. */
async function visit(viewport = { width: 1280, height: 900 }) {
  const context = await browser.newContext({ viewport, locale: 'en-IN' });
  const page = await context.newPage();
  const problems = [];
  await page.route('**/*', (route) =>
    route.request().url().startsWith(stack.url)
      ? route.continue()
      : route.fulfill({ status: 200, contentType: 'text/html', body: '' }),
  );
  page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
  page.on('console', (message) => message.type() === 'error' && problems.push(`console: ${message.text()}`));
  return { page, problems, close: () => context.close() };
}

const shot = (page, name) =>
  page.screenshot({
    path: path.join(artifacts, `${name}.png`),
    fullPage: false,
  });

it('lists 56 spaces, paid ones first, and narrows them by city and text', async () => {
  const { page, problems, close } = await visit();
  await page.goto(`${stack.url}/coworking`);
  await page.getByRole('heading', { name: 'Find Your Perfect Co-working Space' }).waitFor();
  await page.getByText('56 Co-working Spaces Found').waitFor();
  await shot(page, 'coworking');
  const badges = page.getByText('FEATURED', { exact: true });
  assert.ok((await badges.count()) >= 1);
  const city = page.getByLabel('City', { exact: true });
  assert.equal(await city.locator('option').count(), 13);
  await city.selectOption('Chennai');
  await page
    .getByText(/\d Co-working Spaces? Found/)
    .filter({ hasNotText: '56' })
    .waitFor();
  await page.getByRole('searchbox').or(page.getByRole('textbox')).first().fill('no such place anywhere');
  await page.getByText('No co-working spaces found').waitFor();
  await page.getByRole('button', { name: 'Clear Filters' }).click();
  await page.getByText('56 Co-working Spaces Found').waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('shows one with its gallery, prices and hours', async () => {
  const { page, problems, close } = await visit();
  await page.goto(`${stack.url}/coworking`);
  await page.getByText('56 Co-working Spaces Found').waitFor();
  await page.locator('a[href^="/coworking/"]').first().click();
  await page.getByText('Pricing & Contact').waitFor();
  await page.getByText('Available Space Types').waitFor();
  await page.getByText('Opening Hours').first().waitFor();
  await shot(page, 'coworking-detail');
  assert.deepEqual(problems, []);
  // A failure to load writes its code to the console, and nothing else.
  await page.goto(`${stack.url}/coworking/no-such-space`);
  await page.getByText('Co-working Space Not Found').first().waitFor();
  await close();
});

it('signs in with a phone code, returns to the page asked for, survives a reload and signs out', async () => {
  const { page, close } = await visit();
  await page.goto(`${stack.url}/profile?from=test`);
  await page.waitForURL('**/auth/login');
  await shot(page, 'login');
  await page.getByRole('textbox', { name: 'Phone number' }).fill('9876512345');
  await page.getByRole('button', { name: /code/i }).first().click();
  const code = await smsCode(stack.MAILPIT_URL, '+919876512345');
  await page.getByRole('textbox', { name: /code/i }).fill(code);
  await page.waitForURL('**/profile?from=test');
  await page.reload();
  await page.waitForURL('**/profile?from=test');
  await page.getByRole('heading', { level: 1 }).waitFor();
  await shot(page, 'profile');
  // The account's button is named for whoever is signed in.
  await page.getByRole('button', { name: '919876512345' }).click();
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('link', { name: 'Login' }).first().waitFor();
  await page.goto(`${stack.url}/profile`);
  await page.waitForURL('**/auth/login');
  await close();
});

it('has a home page, a not-found page in place, and no sideways scroll on a small phone', async () => {
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
    await page.goto(`${stack.url}${route}`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `${route} is ${overflow} px too wide`);
    assert.equal(new URL(page.url()).pathname, route);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`${stack.url}/`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.waitForLoadState('networkidle');
  await shot(page, 'home');
  assert.deepEqual(problems, []);
  await close();
});
