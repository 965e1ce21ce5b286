// What a visitor waits for: the size of what is sent, and how fast pages are there on a mid-range phone.
//
//   make bench-web                      five visits per page
//   RUNS=1 node benches/web.mjs         one
//
// Lighthouse is fetched from npm if it can be had; without it its line is left out. Figures, not tests: the budgets
// stand beside them.

import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { executablePath } from '../tests/browser/chromium.mjs';
import { platform, root, until } from '../tests/harness.mjs';

const RUNS = Number(process.env.RUNS ?? 5);
const KB = 1024;
const dist = path.join(root, 'frontend/dist');
const lines = [];
const note = (what, figure, unit) => lines.push([what, `${figure}${unit}`, '', '']);
const line = (what, figure, budget, unit) => {
  const mark = figure <= budget ? 'ok' : 'over';
  lines.push([what, `${figure}${unit}`, `${budget}${unit}`, mark]);
};

// Sizes, as they go over the wire.
const gzip = (file) => gzipSync(readFileSync(path.join(dist, file)), { level: 9 }).length / KB;
const round = (value, digits = 1) => Number(value.toFixed(digits));
const assets = readdirSync(path.join(dist, 'assets'));
// The page for any address names what every page runs before its own code.
const html = readFileSync(path.join(dist, '_.html'), 'utf8');
const first = [...html.matchAll(/"\/(assets\/[^"]+\.js)"/g)].map(([, file]) => file);
const size = (start) =>
  assets
    .filter((name) => name.startsWith(start) && name.endsWith('.js'))
    .reduce((most, name) => Math.max(most, gzip(`assets/${name}`)), 0);
line('JS before first paint', round(first.reduce((sum, file) => sum + gzip(file), 0)), 130, ' KB');
line(
  'the same with supabase-js',
  round(first.reduce((sum, file) => sum + gzip(file), 0) + size('dist-')),
  195,
  ' KB',
);
line('map', round(size('property-map-') + size('base-map-')), 60, ' KB');
line('administration', round(size('admin-') + size('spaces-')), 45, ' KB');
line(
  'largest other chunk',
  round(
    Math.max(
      ...assets
        .filter((name) => name.endsWith('.js') && !/^(dist|property-map|base-map)-/.test(name))
        .filter((name) => !first.includes(`assets/${name}`))
        .map((name) => gzip(`assets/${name}`)),
    ),
  ),
  25,
  ' KB',
);
line(
  'CSS of every page',
  round([...html.matchAll(/"\/(assets\/[^"]+\.css)"/g)].reduce((sum, [, file]) => sum + gzip(file), 0)),
  18,
  ' KB',
);

// Visits: a phone with a quarter of the speed, 1.6 Mbit/s and 150 ms.
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
const stack = await platform();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });

const FAST = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };

async function visit(use, storageState) {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
    serviceWorkers: 'block',
    storageState,
  });
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: (1.6 * 1024 * 1024) / 8,
    uploadThroughput: (0.75 * 1024 * 1024) / 8,
  });
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(() => {
    globalThis.seen = { lcp: 0, cls: 0, inp: 0, tbt: 0 };
    const watch = (type, use, more = {}) =>
      new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({
        type,
        buffered: true,
        ...more,
      });
    watch('largest-contentful-paint', (entry) => (globalThis.seen.lcp = entry.startTime));
    watch('layout-shift', (entry) => {
      if (!entry.hadRecentInput) globalThis.seen.cls += entry.value;
    });
    watch('longtask', (entry) => (globalThis.seen.tbt += Math.max(0, entry.duration - 50)));
    watch(
      'event',
      (entry) => {
        if (entry.interactionId) globalThis.seen.inp = Math.max(globalThis.seen.inp, entry.duration);
      },
      { durationThreshold: 16 },
    );
  });
  try {
    return await use(page, cdp);
  } finally {
    await context.close();
  }
}
const seen = (page) => page.evaluate(() => globalThis.seen);

try {
  const headers = {
    apikey: stack.SERVICE_ROLE_KEY,
    authorization: `Bearer ${stack.SERVICE_ROLE_KEY}`,
  };
  const ask = async (route) => (await fetch(`${stack.url}/rest/v1/${route}`, { headers })).json();
  const [{ url }] = await ask('property_images?order=id&limit=1&select=url');
  await until('the pictures', async () => (await fetch(new URL(url, stack.url))).ok);
  const [{ slug }] = await ask('properties?status=eq.active&order=id&limit=1&select=slug');

  const routes = ['/', '/coworking', `/property/${slug}`, '/search'];
  const nameOf = (route) => (route.startsWith('/property') ? '/property/*' : route);
  for (const route of routes) {
    const once = () =>
      visit(async (page) => {
        await page.goto(`${stack.url}${route}`);
        await page.waitForLoadState('networkidle');
        await page.waitForTimeout(500);
        return seen(page);
      });
    // The pictures of a size are made for the first visitor who asks for it, and kept.
    await once();
    const found = [];
    for (let run = 0; run < RUNS; run++) found.push(await once());
    const name = nameOf(route);
    line(`LCP ${name}`, Math.round(median(found.map(({ lcp }) => lcp))), 2000, ' ms');
    line(`CLS ${name}`, round(median(found.map(({ cls }) => cls)), 3), 0.02, '');
    note(`long tasks beyond 50 ms ${name}`, Math.round(median(found.map(({ tbt }) => tbt))), ' ms');
  }

  const view = await visit(async (page) => {
    const asked = [];
    page.on('requestfinished', (request) => asked.push(request));
    await page.goto(`${stack.url}/coworking`);
    await page.waitForLoadState('networkidle');
    const bytesOf = async (type) => {
      let bytes = 0;
      for (const request of asked)
        if (request.resourceType() === type) bytes += (await request.sizes()).responseBodySize;
      return bytes / KB;
    };
    return { requests: asked.length, images: await bytesOf('image'), fonts: await bytesOf('font') };
  });
  line('requests of the first view of /coworking', view.requests, 20, '');
  line('its pictures', round(view.images), 350, ' KB');
  line('its fonts', round(view.fonts), 45, ' KB');

  /** From the click to the other page's heading, with its code and data there already. */
  const change = await visit(async (page, cdp) => {
    await page.goto(`${stack.url}/coworking`);
    await page.waitForLoadState('networkidle');
    await cdp.send('Network.emulateNetworkConditions', FAST);
    const link = (href) => page.locator(`footer a[href="${href}"], header a[href="${href}"]`).first();
    const go = async (href) => {
      await page.evaluate((path) => {
        const before = document.querySelector('h1');
        const began = performance.now();
        document.querySelector(`footer a[href="${path}"], header a[href="${path}"]`).click();
        globalThis.changed = new Promise((resolve) => {
          const look = () => {
            const heading = document.querySelector('h1');
            if (heading && heading !== before) resolve(performance.now() - began);
            else requestAnimationFrame(look);
          };
          look();
        });
      }, href);
      return page.evaluate(() => globalThis.changed);
    };
    const times = [];
    for (let run = 0; run < RUNS + 1; run++)
      for (const href of ['/commercial', '/about-us', '/']) {
        if (!(await link(href).count())) continue;
        const took = await go(href);
        await page.waitForLoadState('networkidle');
        if (run > 0) times.push(took);
      }
    return median(times);
  });
  line('change to a page that is there', Math.round(change), 200, ' ms');

  /** The longest of the interactions of a visit, once its first page is at rest and nothing waits for the network. */
  async function longest(page, cdp, use) {
    await page.waitForLoadState('networkidle');
    await cdp.send('Network.emulateNetworkConditions', FAST);
    await page.evaluate(() => (globalThis.seen.inp = 0));
    await use();
    await page.waitForTimeout(300);
    return (await seen(page)).inp;
  }
  const searching = () =>
    visit(async (page, cdp) => {
      await page.goto(`${stack.url}/commercial`);
      await page.locator('[data-slot=property-card]').nth(2).waitFor();
      return longest(page, cdp, async () => {
        await page
          .locator('[data-slot=suggest-box]')
          .getByRole('combobox')
          .pressSequentially('coimb', { delay: 120 });
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Menu' }).click();
        await page.getByRole('button', { name: 'Menu' }).click();
        await page.locator('[data-slot=compare-toggle]').first().click();
        await page.locator('[data-slot=compare-tray]').waitFor();
      });
    });
  const owner = await visit(async (page, cdp) => {
    await cdp.send('Network.emulateNetworkConditions', FAST);
    await page.goto(`${stack.url}/auth/login`);
    await page.getByRole('tab', { name: 'Email' }).click();
    await page.getByRole('textbox', { name: 'Email' }).fill('owner@demo.example.com');
    await page.getByLabel('Password').fill('nilam-demo-2026');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname !== '/auth/login');
    return page.context().storageState();
  });
  const listing = () =>
    visit(async (page, cdp) => {
      await page.goto(`${stack.url}/list-property`);
      await page.getByRole('heading', { level: 1, name: 'List your property' }).waitFor();
      const next = () => page.getByRole('button', { name: 'Continue' }).click();
      const typed = (label, text) => page.getByLabel(label).first().pressSequentially(text, { delay: 60 });
      return longest(page, cdp, async () => {
        await next();
        await page.locator('[data-slot=error-summary]').waitFor();
        await page.getByText('For lease', { exact: true }).first().click();
        await page.getByText('Office', { exact: true }).first().click();
        await page.getByText('IT park', { exact: true }).click();
        await next();
        await page.getByRole('heading', { level: 2, name: 'Location', exact: true }).waitFor();
        await typed('PIN code', '641004');
        await page.getByText('Coimbatore, Tamil Nadu').waitFor();
        await typed('Locality', 'Peelamedu');
        await typed('Address', '12, Avinashi Road');
        await next();
        await page.getByRole('heading', { level: 2, name: 'Details', exact: true }).waitFor();
        await typed('Carpet area', '1250');
        await typed('Property title', 'Windmill Court office');
      });
    }, owner);
  for (const [name, interaction] of [
    ['typing, menu and compare', searching],
    ['three steps of a listing', listing],
  ]) {
    const inps = [];
    for (let run = 0; run < RUNS; run++) inps.push(await interaction());
    line(`INP of ${name}`, Math.round(median(inps)), 120, ' ms');
  }

  const folder = await mkdtemp(path.join(tmpdir(), 'nilam-lighthouse-'));
  try {
    for (const route of routes) {
      const name = nameOf(route);
      const report = path.join(folder, 'report.json');
      await promisify(execFile)(
        'npm',
        [
          ...['exec', '--yes', '--package=lighthouse@12', '--', 'lighthouse', `${stack.url}${route}`],
          ...['--quiet', '--output=json', `--output-path=${report}`],
          '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
        ],
        { env: { ...process.env, CHROME_PATH: executablePath }, timeout: 240_000 },
      );
      const { audits, categories, environment } = JSON.parse(await readFile(report, 'utf8'));
      for (const [what, audit, budget] of [
        ['TBT', 'total-blocking-time', 150],
        ['FCP', 'first-contentful-paint', 1500],
        ['TTFB', 'server-response-time', 50],
      ])
        line(`Lighthouse ${what} ${name}`, Math.round(audits[audit].numericValue), budget, ' ms');
      for (const [category, least] of [
        ['performance', 95],
        ['accessibility', 100],
        ['best-practices', 96],
        ['seo', 100],
      ]) {
        const score = Math.round(categories[category].score * 100);
        const verdict = score >= least ? 'ok' : 'under';
        lines.push([`Lighthouse ${category} ${name}`, String(score), `≥ ${least}`, verdict]);
      }
      // Its own measure of how fast a machine is: a phone of the middle is taken for a quarter of one of 1,000 and more.
      note(`speed of this machine, ${name}`, Math.round(environment.benchmarkIndex), '');
    }
  } catch (error) {
    console.error(`Lighthouse did not run: ${error.message.split('\n')[0]}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
} finally {
  await browser.close();
  await stack.close();
}

const widths = [0, 1, 2].map((column) => Math.max(...lines.map((cells) => cells[column].length)));
for (const cells of lines)
  console.log(cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
