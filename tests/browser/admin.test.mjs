// The administration in a real browser: what it decides, and what everybody else then sees.

import assert from 'node:assert/strict';
import path from 'node:path';
import { it } from 'node:test';
import { root } from '../harness.mjs';
import { inspect } from './axe.mjs';
import { expect, visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;
const at = (route) => `${world.stack.url}${route}`;
const desk = (page) => page.locator('[data-slot=desk-row]');
const dialog = (page) => page.locator('[data-slot=confirm]');

/** Pictures of the demonstration come a moment after the platform, and one that is being deleted may be asked for once more. */
const serious = (problems) => problems.filter((each) => !each.includes('/render/image/'));

const service = () => ({
  apikey: world.stack.SERVICE_ROLE_KEY,
  authorization: `Bearer ${world.stack.SERVICE_ROLE_KEY}`,
});
/** Rows as the database has them, whoever may see them. */
async function rows(route) {
  const answer = await fetch(at(`/rest/v1/${route}`), { headers: service() });
  assert.equal(answer.status, 200, route);
  return answer.json();
}
async function insert(table, row) {
  const answer = await fetch(at(`/rest/v1/${table}`), {
    method: 'POST',
    headers: { ...service(), 'content-type': 'application/json', prefer: 'return=representation' },
    body: JSON.stringify(row),
  });
  assert.equal(answer.status, 201, await answer.clone().text());
  return (await answer.json())[0];
}

async function signIn(page, email) {
  await page.goto(at('/auth/login?with=email'));
  await page
    .getByRole('tab', { name: 'Email' })
    .or(page.getByRole('button', { name: 'Email' }))
    .first()
    .click();
  await page.locator('input[name=email]').fill(email);
  await page.locator('input[name=password]').fill('nilam-demo-2026');
  await page.locator('form button[type=submit]').click();
  await page.waitForURL((url) => url.pathname !== '/auth/login');
}
const ADMIN = 'admin@demo.example.com';

it('approves the oldest and rejects the next with a reason, by key and by hand (R6, R111, D19, D53)', async () => {
  const admin = await visit();
  const { page } = admin;
  await signIn(page, ADMIN);
  await page.goto(at('/admin'));
  const waiting = page.locator('[data-slot=waiting]');
  await waiting.first().waitFor();
  const queue = await rows(
    'properties?status=eq.pending&order=submitted_at.asc&select=id,title,slug,owner_id',
  );
  await expect(waiting).toHaveCount(queue.length);
  const [first, second] = queue;
  const review = page.locator('[data-slot=review]');
  await review.getByRole('heading', { level: 2, name: first.title }).waitFor();
  await shot(page, 'admin-queue');
  // Nobody else sees it yet.
  const guest = await visit();
  await guest.page.goto(at(`/property/${first.slug}`));
  await guest.page.getByRole('heading', { name: 'Property Not Found' }).waitFor();

  await page.keyboard.press('a');
  await dialog(page)
    .getByRole('heading', { name: new RegExp('^Approve') })
    .waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('1 listing approved').waitFor();
  await review.getByRole('heading', { level: 2, name: second.title }).waitFor();
  await guest.page.reload();
  await guest.page.getByRole('heading', { level: 1, name: first.title }).waitFor();

  await page.keyboard.press('r');
  await dialog(page).getByRole('button', { name: 'Reject', exact: true }).click();
  await dialog(page).getByText('Write at least 10 characters').waitFor();
  await dialog(page)
    .getByRole('button', { name: /photos do not show/ })
    .click();
  await dialog(page).getByRole('button', { name: 'Reject', exact: true }).click();
  await page.getByText('1 listing rejected').waitFor();
  const [after] = await rows(`properties?id=eq.${second.id}`);
  assert.equal(after.status, 'rejected');
  assert.match(after.rejected_reason, /photos do not show/);
  await guest.page.goto(at(`/property/${second.slug}`));
  await guest.page.getByRole('heading', { name: 'Property Not Found' }).waitFor();

  // The owner still sees it, and what it is now.
  const [profile] = await rows(`profiles?id=eq.${second.owner_id}&select=email`);
  const owner = await visit();
  await signIn(owner.page, profile.email);
  await owner.page.goto(at(`/property/${second.slug}`));
  await owner.page.getByRole('heading', { level: 1, name: second.title }).waitFor();
  await owner.page.getByText('rejected', { exact: false }).first().waitFor();
  assert.deepEqual(serious(admin.problems), []);
  await Promise.all([admin, guest, owner].map(({ close }) => close()));
});

it('decides about several at once, and moves with J and K (D53)', async () => {
  const { page, problems, close } = await visit();
  await signIn(page, ADMIN);
  await page.goto(at('/admin'));
  const waiting = page.locator('[data-slot=waiting]');
  await waiting.nth(1).waitFor();
  const before = await waiting.count();
  const current = page.locator('[data-slot=waiting] [aria-current=true]');
  const [first, second] = await waiting.getByRole('button').allInnerTexts();
  assert.equal(await current.innerText(), first);
  await page.keyboard.press('j');
  await current.getByText(second.split('\n')[0]).waitFor();
  await page.keyboard.press('k');
  await current.getByText(first.split('\n')[0]).waitFor();
  await page.getByRole('checkbox').nth(0).check();
  await page.getByRole('checkbox').nth(1).check();
  await page.getByText('2 chosen').waitFor();
  await page.getByRole('button', { name: 'Approve chosen' }).click();
  await dialog(page).getByRole('button', { name: 'Approve', exact: true }).click();
  await page.getByText('2 listings approved').waitFor();
  await page.waitForFunction(
    (left) => document.querySelectorAll('[data-slot=waiting]').length === left,
    before - 2,
  );
  assert.deepEqual(serious(problems), []);
  await close();
});

it('sees a possible duplicate beside what is looked at (U10)', async () => {
  const [twin] = await rows('properties?status=eq.active&order=id&limit=1');
  const title = 'Quite another name for the same floor';
  await insert('properties', {
    owner_id: twin.owner_id,
    intent: twin.intent,
    property_type: twin.property_type,
    status: 'pending',
    title,
    slug: 'quite-another-name',
    description: twin.description,
    carpet_area: twin.carpet_area ?? 1000,
    address: twin.address,
    locality: twin.locality,
    city: twin.city,
    state: twin.state,
    pincode: twin.pincode,
  });
  const { page, close } = await visit();
  await signIn(page, ADMIN);
  await page.goto(at('/admin'));
  await page.locator('[data-slot=waiting]', { hasText: title }).getByRole('button').click();
  const hints = page.locator('[data-slot=duplicates]');
  await hints.getByText('Same address').first().waitFor();
  await hints.getByText(twin.title).waitFor();
  await close();
});

it('works on every desk, and finds all of it in the audit (D24, D53)', async () => {
  const [listing] = await rows('properties?status=eq.active&featured=eq.false&order=id.desc&limit=1');
  const [buyer] = await rows('profiles?email=eq.owner2@demo.example.com');
  const report = await insert('reports', {
    property_id: listing.id,
    reporter: buyer.id,
    reason: 'fraud',
    details: 'This office does not exist.',
  });
  const message = await insert('contact_messages', {
    name: 'Kavitha',
    email: 'kavitha@example.com',
    subject: 'Plots near Hosur',
    message: 'Do you list plots?',
  });
  const { page, problems, close } = await visit();
  await signIn(page, ADMIN);

  await page.goto(at('/admin?tab=listings'));
  await page.getByRole('searchbox', { name: 'Search' }).fill(listing.title);
  const row = desk(page).filter({ hasText: listing.title }).first();
  await page.waitForURL(/q=/);
  await row.getByRole('button', { name: /^Feature:/ }).click();
  await dialog(page).getByRole('button', { name: 'Feature' }).click();
  await row.getByText('FEATURED').waitFor();

  await page.goto(at('/admin?tab=users&q=owner2%40demo'));
  await desk(page)
    .getByRole('button', { name: /^Verify buyer/ })
    .click();
  await dialog(page).getByRole('button', { name: 'Verify buyer' }).click();
  await desk(page).getByText('Verified buyer').first().waitFor();
  assert.equal((await rows(`profiles?id=eq.${buyer.id}`))[0].verified_buyer, true);

  await page.goto(at('/admin?tab=enquiries&status=new'));
  await desk(page).first().waitFor();
  await desk(page)
    .first()
    .getByRole('button', { name: /^Change status/ })
    .click();
  await dialog(page).getByLabel('Status').selectOption('spam');
  await dialog(page).getByRole('button', { name: 'Save' }).click();
  await page.getByText('Done', { exact: true }).waitFor();

  await page.goto(at('/admin?tab=reports&status=open'));
  await desk(page)
    .filter({ hasText: 'This office does not exist.' })
    .getByRole('button', { name: /^Mark as dealt with/ })
    .click();
  await dialog(page).getByRole('button', { name: 'Mark as dealt with' }).click();
  await page.getByText('This office does not exist.').waitFor({ state: 'detached' });
  assert.ok((await rows(`reports?id=eq.${report.id}`))[0].handled_at);

  await page.goto(at('/admin?tab=messages'));
  await desk(page).filter({ hasText: 'Plots near Hosur' }).getByRole('button').click();
  await dialog(page).getByRole('button', { name: 'Mark as dealt with' }).click();
  await desk(page).getByText('Dealt with', { exact: true }).first().waitFor();
  assert.ok((await rows(`contact_messages?id=eq.${message.id}`))[0].handled_at);

  await page.goto(at('/admin?tab=audit'));
  for (const deed of [
    'Message dealt with',
    'Report dealt with',
    'Status of an enquiry',
    'Verify buyer',
    'Feature',
  ])
    await desk(page).filter({ hasText: deed }).filter({ hasText: 'Meena Raghavan' }).first().waitFor();
  await shot(page, 'admin-audit');
  assert.deepEqual(serious(problems), []);
  await close();
});

it('makes a co-working space, gives it pictures and prices, and shows it (D25, D30, D53)', async () => {
  const { page, problems, close } = await visit();
  await signIn(page, ADMIN);
  await page.goto(at('/admin?tab=coworking'));
  await page.getByText('60 entries').waitFor();
  await page.getByRole('link', { name: 'New space' }).click();
  const form = page.locator('[data-slot=space-form]');
  await form.getByRole('button', { name: 'Save' }).click();
  await form.getByText(/fields need another look/).waitFor();
  await form.getByLabel('Name', { exact: true }).fill('Noyyal Desks');
  await form.getByLabel('Locality', { exact: true }).fill('Race Course');
  await expect(form.getByLabel('Address of its page')).toHaveValue('noyyal-desks-race-course');
  await form.getByLabel('Address', { exact: true }).fill('12, Race Course Road');
  await form.getByLabel('City').fill('Coimbatore');
  await form.getByLabel('Website').fill('https://noyyal.example.com');
  await form.getByRole('checkbox', { name: 'Shown on the site' }).check();
  await form.getByRole('checkbox', { name: 'Day Pass' }).check();
  await form.getByLabel('Price from (₹)').fill('1,450');
  await form.getByRole('checkbox', { name: 'WiFi' }).check();
  await form.getByLabel('Monday').fill('9:00 AM - 6:00 PM');
  // Whoever comes back to the tab has the session read anew, and finds what was typed.
  const asked = page.waitForResponse((answer) => answer.url().endsWith('/rpc/is_admin'));
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })));
  await asked;
  await form.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The space was saved').waitFor();

  const images = page.locator('[data-slot=space-images]');
  await images.locator('input[type=file]').setInputFiles({
    name: 'text.png',
    mimeType: 'image/png',
    buffer: Buffer.from('no picture at all'),
  });
  await images.getByText(/Invalid file type/).waitFor();
  await images
    .locator('input[type=file]')
    .setInputFiles([
      path.join(root, 'frontend/public/seed/scene-01-1280.webp'),
      path.join(root, 'frontend/public/seed/scene-01-1280.webp'),
    ]);
  await images.locator('[data-slot=space-image]').nth(1).waitFor();
  await images.getByRole('button', { name: 'Move picture 2 earlier' }).click();
  await images.getByRole('button', { name: 'Delete picture 1' }).click();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await images.locator('[data-slot=space-image]').nth(1).waitFor({ state: 'detached' });
  await shot(page, 'admin-space');

  const guest = await visit();
  await guest.page.goto(at('/coworking/noyyal-desks-race-course'));
  await guest.page.getByRole('heading', { level: 1, name: 'Noyyal Desks' }).waitFor();
  await guest.page.getByText('₹1.4k').or(guest.page.getByText('₹1.5k')).first().waitFor();
  const picture = guest.page.locator('img[src*="/coworking-images/"]').first();
  await picture.waitFor();
  await guest.page.waitForFunction(
    () => document.querySelector('img[src*="/coworking-images/"]')?.naturalWidth > 0,
  );

  await page.goto(at('/admin?tab=coworking&q=Noyyal'));
  await desk(page).getByRole('button', { name: /^Hide/ }).click();
  await dialog(page).getByRole('button', { name: 'Hide' }).click();
  await desk(page).getByText('Hidden', { exact: true }).waitFor();
  await guest.page.reload();
  await guest.page.getByRole('heading', { name: 'Co-working Space Not Found' }).waitFor();
  await desk(page)
    .getByRole('button', { name: /^Delete/ })
    .click();
  await dialog(page).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Nothing here matches.').waitFor();
  assert.deepEqual(serious(problems), []);
  await guest.close();
  await close();
});

it('has no accessibility defect on any desk, in light and dark, narrow and wide (D58)', onePass, async () => {
  const { page, close } = await visit();
  await signIn(page, ADMIN);
  for (const tab of ['queue', 'listings', 'coworking', 'audit'])
    await inspect(page, at(`/admin?tab=${tab}`), (each) =>
      each.locator('[data-slot=desk-row], [data-slot=review]').first().waitFor(),
    );
  await inspect(page, at('/admin?tab=coworking&id=new'));
  await close();
});
