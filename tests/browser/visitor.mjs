// A visitor's browser on the platform: one Chromium per test file, one context per visit.

import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { after, before } from 'node:test';
import { expect as web } from '@playwright/test';
import { chromium } from 'playwright-core';
import { mode, platform, root, until } from '../harness.mjs';
import { executablePath } from './chromium.mjs';

/** For what looks at pages alone, and long: they are the same however the services run. */
export const onePass = { skip: mode === 'apart' && 'looks at pages alone' };

/** What must be true of a page soon: it is looked at until it is, for as long as any other wait. */
export const expect = web.configure({ timeout: 30_000 });

const artifacts = path.join(root, 'tests/.artifacts');

/** The pictures of the demonstration come a moment after the platform; a page that is opened before lacks some. */
async function pictures({ url, SERVICE_ROLE_KEY: key }) {
  const headers = { apikey: key, authorization: `Bearer ${key}` };
  const urls = new Set();
  for (const table of ['property_images', 'coworking_space_images']) {
    const answer = await fetch(`${url}/rest/v1/${table}?select=url`, { headers });
    for (const row of await answer.json()) urls.add(row.url);
  }
  for (const each of urls)
    await until(
      `the picture ${each}`,
      async () => (await fetch(new URL(each, url), { method: 'HEAD' })).ok,
      90_000,
    );
}

/** Starts the platform and the browser before the file's tests, and ends them after. */
export function visitor() {
  const world = { stack: undefined, browser: undefined };
  before(async () => {
    world.stack = await platform();
    await pictures(world.stack);
    await mkdir(artifacts, { recursive: true });
    world.browser = await chromium.launch({
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
    await world.browser?.close();
    await world.stack?.close();
  });

  /**
   * A page of its own context, with what went wrong in it. The outside world (maps) is cut off. The service worker is off
   * unless asked for: what goes through it cannot be intercepted.
   */
  world.visit = async (
    viewport = { width: 1280, height: 900 },
    { serviceWorkers = 'block', storageState } = {},
  ) => {
    const context = await world.browser.newContext({
      viewport,
      locale: 'en-IN',
      serviceWorkers,
      storageState,
    });
    const page = await context.newPage();
    const problems = [];
    await page.route('**/*', (route) =>
      route.request().url().startsWith(world.stack.url)
        ? route.continue()
        : route.fulfill({ status: 200, contentType: 'text/html', body: '' }),
    );
    page.on('pageerror', (error) => problems.push(`page error: ${error.message}`));
    page.on(
      'console',
      (message) =>
        message.type() === 'error' && problems.push(`console: ${message.text()} ${message.location().url}`),
    );
    return { page, problems, close: () => context.close() };
  };
  world.shot = (page, name) =>
    page.screenshot({ path: path.join(artifacts, `${name}.png`), fullPage: false });
  return world;
}
