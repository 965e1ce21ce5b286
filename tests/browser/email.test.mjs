// Accounts by email in a real browser: the links come from real mails.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mailTo, until } from '../harness.mjs';
import { expect, visitor } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;

/** The link in the newest mail to an address; `not` is a link that was there before. */
async function linkTo(address, not) {
  return until(`a link to ${address}`, async () => {
    const mail = await mailTo(world.stack.MAILPIT_URL, address);
    const link = (mail.HTML || mail.Text).match(/https?:\/\/[^\s"'<>]*\/verify[^\s"'<>]*/)?.[0];
    const url = link?.replaceAll('&amp;', '&');
    return url && url !== not ? url : undefined;
  });
}

async function openEmailTab(page) {
  await page.goto(`${world.stack.url}/auth/login`);
  await page
    .getByRole('tab', { name: 'Email' })
    .or(page.getByRole('button', { name: 'Email' }))
    .first()
    .click();
}

it('creates an account, confirms it by mail, changes a forgotten password and signs in with it', async () => {
  const { page, close } = await visit();
  const email = `visitor-${Date.now()}@example.com`;
  await page.goto(`${world.stack.url}/profile`);
  await page.waitForURL('**/auth/login');
  await page
    .getByRole('tab', { name: 'Email' })
    .or(page.getByRole('button', { name: 'Email' }))
    .first()
    .click();
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Please enter a valid email address.', { exact: true }).waitFor();
  await page.getByLabel('Full name').fill('Asha Visitor');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill('a long first passphrase');
  await page.getByLabel('Confirm password').fill('a long first passphrasE');
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('The passwords do not match.').first().waitFor();
  await page.getByLabel('Confirm password').fill('a long first passphrase');
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Check your inbox' }).waitFor();
  await shot(page, 'check-your-inbox');

  await openEmailTab(page);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill('a long first passphrase');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Please verify your email address before signing in.').waitFor();

  const confirmation = await linkTo(email);
  // The page that the link leads to arrives only after the menu is open, and leaves it open.
  let arrive;
  const opened = new Promise((resolve) => (arrive = resolve));
  await page.route(/\/assets\/profile-[^/]*\.js$/, async (route) => {
    await opened;
    await route.continue();
  });
  await page.goto(confirmation);
  await page.getByText('Email verified successfully!').waitFor();
  await page.getByRole('button', { name: 'Asha Visitor' }).click();
  await page.getByRole('button', { name: 'Logout' }).waitFor();
  arrive();
  await page.getByRole('heading', { name: 'Profile', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('link', { name: 'Login' }).first().waitFor();

  await openEmailTab(page);
  await page.getByRole('button', { name: 'Forgot password?' }).click();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByRole('button', { name: 'Send reset email' }).click();
  await page.getByText('Password reset email sent. Please check your inbox.').waitFor();
  await page.goto(await linkTo(email, confirmation));
  await page.getByRole('heading', { name: 'Choose a new password' }).waitFor();
  await page.getByLabel('New password').fill('a long second passphrase');
  await page.getByLabel('Confirm password').fill('a long second passphrase');
  await page.getByRole('button', { name: 'Save password' }).click();
  await page.waitForURL('**/dashboard');
  await page.getByRole('button', { name: 'Asha Visitor' }).click();
  await page.getByRole('button', { name: 'Logout' }).click();
  await page.getByRole('link', { name: 'Login' }).first().waitFor();

  await openEmailTab(page);
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill('a long first passphrase');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Email or password is incorrect. Please try again.').waitFor();
  await page.getByLabel('Password', { exact: true }).fill('a long second passphrase');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Asha Visitor' }).waitFor();
  await close();
});

it('says what to do when a link is old or made up', async () => {
  const { page, close } = await visit();
  await page.goto(
    `${world.stack.url}/auth/v1/verify?type=signup&token=made-up&redirect_to=${world.stack.url}/auth/callback`,
  );
  await page.getByRole('heading', { name: 'This link did not work' }).waitFor();
  await page
    .getByRole('alert')
    .getByText(/expired|invalid/)
    .waitFor();
  assert.equal(new URL(page.url()).pathname, '/auth/callback');
  await page.goto(`${world.stack.url}/auth/callback`);
  await page.getByText('This verification link is invalid. Please request a new one.').waitFor();
  await close();
});

it('keeps what was typed when the service cannot be reached', async () => {
  const { page, close } = await visit();
  await openEmailTab(page);
  await page.getByLabel('Email', { exact: true }).fill('demo@example.com');
  await page.getByLabel('Password', { exact: true }).fill('whatever it was');
  await page.route('**/auth/v1/token**', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Connection failed. Please check your internet connection.').waitFor();
  await expect(page.getByLabel('Email', { exact: true })).toHaveValue('demo@example.com');
  await close();
});
