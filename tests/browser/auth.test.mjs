// The forms of the login in a real browser: what they refuse, what they say, where they lead.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mailTo, smsCode, until } from '../harness.mjs';
import { expect, visitor, onePass } from './visitor.mjs';

const world = visitor();
const { visit, shot } = world;
const at = (route) => `${world.stack.url}${route}`;

async function newestLink(address) {
  const link = await until(`a link to ${address}`, async () => {
    const mail = await mailTo(world.stack.MAILPIT_URL, address);
    return (mail.HTML || mail.Text).match(/https?:\/\/[^\s"'<>]*\/verify[^\s"'<>]*/)?.[0];
  });
  return link.replaceAll('&amp;', '&');
}

const tab = (page, name) => page.getByRole('tab', { name, exact: true });

it('names the fields that are not right, and goes to the first', onePass, async () => {
  const { page, close } = await visit();
  await page.goto(at('/auth/login'));
  await tab(page, 'Email').click();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Please fix the following errors:').waitFor();
  const email = page.getByLabel('Email', { exact: true });
  await expect(email).toHaveAttribute('aria-invalid', 'true');
  const described = await email.getAttribute('aria-describedby');
  assert.equal(await page.locator(`[id="${described}"]`).innerText(), 'Please enter a valid email address.');
  await expect(email).toBeFocused();
  await email.fill('someone@example.com');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('Password: This field is required.', { exact: true }).waitFor();
  assert.equal(
    await page.getByLabel('Password', { exact: true }).getAttribute('autocomplete'),
    'current-password',
  );
  await shot(page, 'login-field-errors');
  await close();
});

it('says what is not right in the language of the page', onePass, async () => {
  for (const [language, letters] of [
    ['hi', /\p{Script=Devanagari}/u],
    ['ta', /\p{Script=Tamil}/u],
  ]) {
    const { page, close } = await visit();
    await page.goto(at(`/auth/login?lang=${language}`));
    const send = page.locator('form button[type=submit]');
    await send.click();
    const phone = page.locator('input[type=tel][aria-invalid]');
    await phone.waitFor();
    const words = (control) => page.locator(`[id="${control}"]`).innerText();
    assert.match(await words(await phone.getAttribute('aria-describedby')), letters);
    await page.getByRole('tab').nth(1).click();
    await send.click();
    const email = page.locator('input[name=email][aria-invalid]');
    await email.waitFor();
    assert.match(await words(await email.getAttribute('aria-describedby')), letters);
    await close();
  }
});

it('refuses a wrong password in words, and keeps what was typed', async () => {
  const { page, close } = await visit();
  await page.goto(at('/auth/login'));
  await tab(page, 'Email').click();
  await page.getByLabel('Email', { exact: true }).fill('nobody@example.com');
  await page.getByLabel('Password', { exact: true }).fill('not the password');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Email or password is incorrect. Please try again.').waitFor();
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('not the password');
  assert.equal(new URL(page.url()).pathname, '/auth/login');
  await close();
});

it('leads from the page asked for, over the mail opened in another tab, back to it', async () => {
  const { page, close } = await visit();
  const email = `return-${Date.now()}@example.com`;
  await page.goto(at('/settings?from=mail'));
  await page.waitForURL('**/auth/login');
  await tab(page, 'Email').click();
  await page.getByRole('button', { name: 'Create an account' }).click();
  await page.getByLabel('Password', { exact: true }).fill('short');
  await page.getByText('Password strength: Too short').waitFor();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Password must be at least 8 characters long.').first().waitFor();
  await page.getByLabel('Full name').fill('Ravi Return');
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill('Long-enough-4-me');
  await page.getByText('Password strength: Strong').waitFor();
  await page.getByLabel('Confirm password').fill('Long-enough-4-me');
  await page.getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByText('Account created successfully! Please verify your email.').waitFor();
  await page.getByText(`We sent a confirmation link to ${email}.`).waitFor();
  const link = await newestLink(email);
  const other = await page.context().newPage();
  await other.goto(link);
  await other.waitForURL(at('/settings?from=mail'));
  await other.getByText('Email verified successfully!').waitFor();
  // The same link again is used up, and says what to do.
  await other.goto(link);
  await other.getByRole('heading', { name: 'This link did not work' }).waitFor();
  await other
    .getByRole('alert')
    .getByText('The verification link has expired. Please request a new one.')
    .waitFor();
  await shot(other, 'link-used-up');
  await close();
});

it('has no form for a new password without the link of a mail', onePass, async () => {
  const { page, close } = await visit();
  await page.goto(at('/auth/reset'));
  await page.getByText('This verification link is invalid. Please request a new one.').waitFor();
  await expect(page.getByLabel('New password')).toHaveCount(0);
  await page.getByRole('link', { name: 'Request a new link' }).click();
  await page.getByRole('button', { name: 'Send reset email' }).waitFor();
  await close();
});

it('says that a link failed on whatever page it leads to', async () => {
  const { page, close } = await visit();
  await page.goto(at('/auth/v1/verify?type=recovery&token=made-up&redirect_to=https://elsewhere.example/'));
  await page.getByText('🔒 The verification link has expired. Please request a new one.').waitFor();
  assert.equal(new URL(page.url()).pathname, '/');
  await close();
});

it('never leads to another site after signing in', async () => {
  const { page, close } = await visit();
  for (const [index, path] of [
    '//elsewhere.example/x',
    'https://elsewhere.example/',
    '/\\elsewhere.example',
  ].entries()) {
    await page.goto(at('/auth/login'));
    await page.evaluate((value) => sessionStorage.setItem('nilam-return-to', value), path);
    const digits = `987650010${index}`;
    await page.getByRole('textbox', { name: 'Phone number' }).fill(digits);
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByRole('textbox', { name: 'Verification code' }).waitFor();
    const code = await smsCode(world.stack.MAILPIT_URL, `+91${digits}`);
    await page.getByRole('textbox', { name: 'Verification code' }).fill(code);
    await page.waitForURL(at('/dashboard'));
    await page.getByRole('button', { name: `91${digits}` }).click();
    await page.getByRole('button', { name: 'Logout' }).click();
    await page.waitForURL('**/auth/login');
  }
  await close();
});

it('takes a pasted code, refuses a wrong one, and lets the number be changed', async () => {
  const { page, close } = await visit();
  await page.goto(at('/auth/login'));
  const number = page.getByRole('textbox', { name: 'Phone number' });
  await number.fill('12345');
  await page.getByRole('button', { name: 'Send code' }).click();
  await page.getByText('Please enter a valid phone number.').first().waitFor();
  await number.fill('98765 00200');
  await page.getByRole('button', { name: 'Send code' }).click();
  const code = page.getByRole('textbox', { name: 'Verification code' });
  await code.waitFor();
  await expect(code).toHaveAttribute('autocomplete', 'one-time-code');
  await expect(page.getByRole('button', { name: /Resend code in \d+ s/ })).toBeDisabled();
  const real = await smsCode(world.stack.MAILPIT_URL, '+919876500200');
  await code.fill(real === '000000' ? '000001' : '000000');
  await page.locator('[id$="-error"]').waitFor();
  await expect(code).toHaveValue('');
  await page.getByRole('button', { name: 'Change number' }).click();
  await expect(number).toHaveValue('98765 00200');
  await close();
});
