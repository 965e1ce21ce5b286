// Finding, comparing and asking in a real browser; and the same results on a map.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { smsCode, until } from '../harness.mjs';
import { inspect } from './axe.mjs';
import { expect, visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;
const at = (route) => `${world.stack.url}${route}`;
const cards = (page) => page.locator('[data-slot=property-card]');
const query = (page) => Object.fromEntries(new URL(page.url()).searchParams);
async function rows(route) {
  const key = world.stack.SERVICE_ROLE_KEY;
  const answer = await fetch(at(`/rest/v1/${route}`), {
    headers: { apikey: key, authorization: `Bearer ${key}` },
  });
  assert.equal(answer.status, 200, route);
  return answer.json();
}

it('leads from a search over a comparison to an owner (R4, R91, R100, U5)', async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/commercial?type=office&for=lease'));
  await cards(page).nth(3).waitFor();
  const compare = (index) => cards(page).nth(index).locator('[data-slot=compare-toggle]');
  const tray = page.locator('[data-slot=compare-tray]');
  const name = await cards(page).nth(0).getByRole('heading').innerText();
  await compare(0).click();
  await tray.getByText('1 of 3 to compare').waitFor();
  await tray.getByText(name).first().waitFor();
  await tray.getByText('Choose at least one more: a comparison needs two.').waitFor();
  await compare(1).click();
  await compare(2).click();
  await tray.getByText('3 of 3 to compare').waitFor();
  // A fourth is not taken, and nothing is said about it.
  await expect(compare(3)).toBeDisabled();
  await page.getByRole('link', { name: 'Compare, 3 chosen' }).waitFor();
  await tray.getByRole('link', { name: 'Compare' }).click();
  await page.waitForURL('**/compare?ids=*');
  const table = page.locator('[data-slot=compare-table]');
  await table.getByRole('rowheader', { name: 'Carpet area' }).waitFor();
  await expect(table.getByRole('columnheader')).toHaveCount(3);
  const ids = query(page).ids.split(',');
  const found = await rows(`properties?id=in.(${ids})&select=id,price`);
  const lowest = Math.min(...found.map(({ price }) => price));
  // The best is said in words, in the column that has it.
  const cells = table.getByRole('row', { name: /^Price or rent/ }).getByRole('cell');
  for (const [index, id] of ids.entries())
    assert.equal(
      /Lowest/.test(await cells.nth(index).innerText()),
      found.find((each) => each.id === id).price === lowest,
    );
  await shot(page, 'compare');
  const all = await table.getByRole('rowheader').count();
  await page.getByLabel('Differences only').check();
  assert.ok((await table.getByRole('rowheader').count()) < all);
  await expect(table.locator('tr[data-differs=false]')).toHaveCount(0);

  await page.getByRole('button', { name: `Remove ${name} from the comparison` }).click();
  await page.waitForURL((url) => url.searchParams.get('ids')?.split(',').length === 2);
  await page.getByRole('link', { name: 'Add 1 more' }).waitFor();
  const link = table.getByRole('link', { name: /^Contact owner:/ }).first();
  const title = (await link.getAttribute('aria-label')).replace('Contact owner: ', '');
  await link.click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  const form = page.locator('[data-slot=contact-card]');
  await form.getByLabel('Full name').fill('Ravi Kumar');
  await form.getByLabel('Message').fill('We compared three offices and like this one best.');
  await form.getByRole('button', { name: 'Sign in and contact owner' }).click();
  await page.waitForURL('**/auth/login');
  await page.getByRole('textbox', { name: 'Phone number' }).fill('9876533344');
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByRole('textbox', { name: 'Verification code' }).waitFor();
  const code = await smsCode(world.stack.MAILPIT_URL, '+919876533344');
  await page.getByRole('textbox', { name: 'Verification code' }).fill(code);
  await page.waitForURL('**/property/**#contact');
  await form.getByRole('button', { name: 'Contact owner' }).click();
  await form.getByText('Your enquiry was sent.').waitFor();
  // What was chosen is still chosen.
  await page.goto(at('/compare'));
  await page.waitForURL((url) => url.searchParams.get('ids')?.split(',').length === 2);
  await page.getByRole('button', { name: 'Clear all' }).click();
  await page.getByText('Nothing is chosen yet.', { exact: false }).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('opens a comparison that somebody passed on, without what is no longer there (U5)', async () => {
  const found = await rows('properties?status=eq.active&order=id&limit=2&select=id,title');
  const [draft] = await rows('properties?status=eq.draft&order=id&limit=1&select=id');
  const { page, problems, close } = await visit({ width: 390, height: 844 });
  await page.goto(at(`/compare?ids=${found[0].id},nonsense,${draft.id},${found[1].id}`));
  await page.getByText('1 property of this comparison is no longer available.').waitFor();
  const heads = page.locator('[data-slot=compare-table]').getByRole('columnheader');
  await expect(heads).toHaveCount(2);
  // The labels stay while the columns are swiped.
  const label = page.getByRole('rowheader', { name: 'Price or rent' });
  const before = (await label.boundingBox()).x;
  await page
    .getByRole('region', { name: 'Compare properties' })
    .evaluate((element) => (element.scrollLeft = 200));
  assert.equal((await label.boundingBox()).x, before);
  await page.goto(at(`/compare?ids=${found[0].id}`));
  await page.getByText('A comparison needs two.', { exact: false }).waitFor();
  assert.deepEqual(problems, []);
  await close();
});

it('shows the results on a map that the list follows, by mouse and by key (R10, D60, U3)', async () => {
  const { page, problems, close } = await visit();
  await page.goto(at('/search?type=office'));
  await page.getByText('60 properties found').waitFor();
  await page.getByRole('button', { name: 'Map view' }).filter({ visible: true }).click();
  await page.waitForURL('**view=map');
  const map = page.getByRole('region', { name: 'Map of the properties found' });
  const pins = map.locator('.pin');
  await pins.first().waitFor();
  await page.getByText('60 properties on the map').waitFor();
  await shot(page, 'map');
  const total = async () =>
    (await pins.allInnerTexts()).reduce((sum, text) => sum + (/^\d+$/.test(text) ? Number(text) : 1), 0);
  // Pins are put on the map after the count is known.
  await until('all pins', async () => (await total()) === 60);
  // Into a cluster, by key.
  const cluster = map.locator('.pin.cluster').first();
  await cluster.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL((url) => url.searchParams.has('bbox'));
  await page
    .locator('[data-slot=property-list]')
    .getByText(/^\d+ propert(y|ies) found$/)
    .filter({ hasNotText: '60' })
    .waitFor();
  // The map's own count comes by another answer than the list's.
  const counted = page.getByText(/propert(y|ies) on the map/).filter({ hasNotText: /^60 / });
  const inside = Number((await counted.innerText()).split(' ')[0]);
  assert.ok(inside > 0 && inside < 60);
  const { bbox } = query(page);
  // The address is the whole of it.
  await page.reload();
  await page.getByText(new RegExp(`^${inside} propert(y|ies) on the map$`)).waitFor();
  assert.equal(query(page).bbox, bbox);
  // A card lights up its pin.
  await cards(page).first().hover();
  await map.locator('.pin.lit').waitFor();
  await page.getByRole('button', { name: 'Reset area' }).click();
  await page.getByText('60 properties on the map').waitFor();
  await page.waitForURL((url) => !url.searchParams.has('bbox'));
  assert.deepEqual(problems, []);
  await close();
});

it(
  'fills a small screen with the map, and leads from a pin to its property (D59, D60)',
  onePass,
  async () => {
    const [one] = await rows(
      'properties?status=eq.active&lat=not.is.null&location_precision=eq.exact&order=id&limit=1&select=title,lat,lng',
    );
    const { page, problems, close } = await visit({ width: 390, height: 844 });
    const box = [one.lng - 0.0004, one.lat - 0.0004, one.lng + 0.0004, one.lat + 0.0004].map((edge) =>
      edge.toFixed(4),
    );
    await page.goto(at(`/commercial?bbox=${box}`));
    await page.getByRole('button', { name: 'Map view' }).filter({ visible: true }).click();
    const pin = page.locator('.property-map .pin').first();
    await pin.waitFor();
    assert.ok((await page.locator('[data-slot=property-map]').boundingBox()).width === 390);
    // Near the edge the pin's popup moves the map, which has new results come.
    const { x } = await pin.boundingBox();
    await page.locator('.property-map').focus();
    for (const steps of [1, 2]) {
      await page.keyboard.press('ArrowRight');
      await until('the map has moved', async () => (await pin.boundingBox())?.x < x - 70 * steps);
      await until('the address follows', () => query(page).bbox !== String(box));
    }
    const { bbox } = query(page);
    const answers = [];
    page.on('response', (answer) => answer.url().includes('limit=500') && answers.push(answer.finished()));
    await pin.click();
    await until('the popup has moved the map', () => query(page).bbox !== bbox);
    await until('new results', () => answers.length > 0);
    await Promise.all(answers);
    // Drawn, they must not take away what was opened.
    await page.waitForTimeout(500);
    await page.locator('.leaflet-popup').getByRole('link', { name: one.title }).click();
    await page.getByRole('heading', { level: 1, name: one.title }).waitFor();
    await page.goBack();
    // It has been looked at now.
    await page.locator('.property-map .pin.visited, .property-map .pin.cluster').first().waitFor();
    await page.getByRole('button', { name: 'Show list' }).click();
    await cards(page).first().waitFor();
    assert.deepEqual(problems, []);
    await close();
  },
);

it(
  'has no accessibility defect on the comparison and the map, in light and dark, narrow and wide (D58)',
  onePass,
  async () => {
    const found = await rows('properties?status=eq.active&order=id&limit=3&select=id');
    const { page, close } = await visit();
    await inspect(page, at(`/compare?ids=${found.map(({ id }) => id)}`), (each) =>
      each.locator('[data-slot=compare-table]').waitFor(),
    );
    await inspect(page, at('/compare'));
    await inspect(page, at('/search?view=map&city=Coimbatore'), (each) =>
      each.locator('.property-map .pin').first().waitFor(),
    );
    await close();
  },
);
