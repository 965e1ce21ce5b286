// Accounts, by the published client: codes and mails are read from the mailbox, as a person would.

import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import { mailTo, platform, smsCode } from '../harness.mjs';

let stack;
const client = () =>
  createClient(stack.url, stack.PUBLISHABLE_KEY, {
    auth: { persistSession: false, autoRefreshToken: false },
  });

before(async () => {
  stack = await platform();
});
after(() => stack?.close());

it('signs in with a phone code, keeps the session over a refresh, and signs out', async () => {
  const supabase = client();
  const phone = '+919876500001';
  const sent = await supabase.auth.signInWithOtp({ phone });
  assert.equal(sent.error, null);
  const wrong = await supabase.auth.verifyOtp({
    phone,
    token: '000000',
    type: 'sms',
  });
  assert.equal(wrong.error.code, 'otp_expired');
  const token = await smsCode(stack.MAILPIT_URL, phone);
  const { data, error } = await supabase.auth.verifyOtp({
    phone,
    token,
    type: 'sms',
  });
  assert.equal(error, null);
  assert.equal(data.user.phone, '919876500001');
  const refreshed = await supabase.auth.refreshSession();
  assert.equal(refreshed.error, null);
  assert.notEqual(refreshed.data.session.refresh_token, data.session.refresh_token);
  const { data: mine } = await supabase.from('profiles').select('id');
  assert.deepEqual(mine, [{ id: data.user.id }]);
  assert.equal((await supabase.auth.signOut()).error, null);
  const stale = await fetch(`${stack.url}/auth/v1/user`, {
    headers: {
      apikey: stack.PUBLISHABLE_KEY,
      authorization: `Bearer ${refreshed.data.session.access_token}`,
    },
  });
  assert.equal(stale.status, 403);
});

it('signs up by mail, confirms by the link, and signs in with the password', async () => {
  const supabase = client();
  const email = 'kaveri@example.com';
  const password = 'a-long-password-1';
  const { data, error } = await supabase.auth.signUp({
    email,
    password,
    options: { data: { full_name: 'Kaveri', most: Number.MAX_VALUE } },
  });
  assert.equal(error, null);
  assert.equal(data.session, null);
  const early = await supabase.auth.signInWithPassword({ email, password });
  assert.equal(early.error.message, 'Email not confirmed');
  const mail = await mailTo(stack.MAILPIT_URL, email);
  const link = mail.HTML.match(/href="([^"]+)"/)[1].replaceAll('&amp;', '&');
  const followed = await fetch(link, { redirect: 'manual' });
  assert.equal(followed.status, 303);
  assert.match(followed.headers.get('location'), /access_token=/);
  const signedIn = await supabase.auth.signInWithPassword({ email, password });
  assert.equal(signedIn.error, null);
  assert.equal(signedIn.data.user.user_metadata.full_name, 'Kaveri');
  // jsonb keeps it with all its digits, which not every reader of numbers gets right.
  assert.equal(signedIn.data.user.user_metadata.most, Number.MAX_VALUE);
  const bad = await supabase.auth.signInWithPassword({
    email,
    password: 'wrong',
  });
  assert.equal(bad.error.message, 'Invalid login credentials');
});

it('lets the demo accounts in', async () => {
  const supabase = client();
  const { data, error } = await supabase.auth.signInWithPassword({
    email: 'owner@demo.example.com',
    password: 'nilam-demo-2026',
  });
  assert.equal(error, null);
  const { data: own } = await supabase.from('properties').select('owner_id').eq('owner_id', data.user.id);
  assert.ok(own.length > 0);
});
