// The marketplace's files, by the published client: a person's folder is theirs, and the buckets keep what they promise.

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import { platform, root, smsCode } from '../harness.mjs';

const MIB = 1024 * 1024;
let stack;
let picture;
let owner;
let stranger;
let administrator;
let nobody;

const client = (key = stack.PUBLISHABLE_KEY) =>
  createClient(stack.url, key, { auth: { persistSession: false, autoRefreshToken: false } });

/** A person with a session; `client.storage` sends it. */
async function person(phone) {
  const supabase = client();
  await supabase.auth.signInWithOtp({ phone });
  const token = await smsCode(stack.MAILPIT_URL, phone);
  const { data, error } = await supabase.auth.verifyOtp({ phone, token, type: 'sms' });
  assert.equal(error, null);
  return { id: data.user.id, storage: supabase.storage, supabase };
}

const upload = (who, bucket, name, body = picture, contentType = 'image/webp') =>
  who.storage.from(bucket).upload(name, body, { contentType });
/** The answer of a call that the service must refuse. */
const refusal = async (call) => {
  const { data, error } = await call;
  assert.equal(data, null);
  return [error.statusCode, error.message];
};
const DENIED = ['403', 'new row violates row-level security policy'];
const GONE = ['404', 'Object not found'];

before(async () => {
  stack = await platform();
  picture = await readFile(path.join(root, 'sql/marketplace/seed/pictures/scene-01.webp'));
  nobody = client();
  owner = await person('+919876500021');
  stranger = await person('+919876500022');
  administrator = await person('+919876500023');
  const made = await client(stack.SECRET_KEY).auth.admin.updateUserById(administrator.id, {
    app_metadata: { role: 'admin' },
  });
  assert.equal(made.error, null);
  await administrator.supabase.auth.refreshSession();
});
after(() => stack?.close());

it('takes pictures into the folder of the person, and shows them to everybody', async () => {
  const name = `${owner.id}/${randomUUID()}/${randomUUID()}.webp`;
  const stored = await upload(owner, 'property-images', name);
  assert.equal(stored.error, null);
  assert.equal(stored.data.path, name);
  assert.equal(stored.data.fullPath, `property-images/${name}`);
  const again = await upload(owner, 'property-images', name);
  assert.deepEqual([again.error.statusCode, again.error.message], ['409', 'The resource already exists']);

  const bucket = nobody.storage.from('property-images');
  const shown = await fetch(bucket.getPublicUrl(name).data.publicUrl);
  assert.equal(shown.status, 200);
  assert.equal(shown.headers.get('content-type'), 'image/webp');
  assert.deepEqual(Buffer.from(await shown.arrayBuffer()), picture);
  const listed = await bucket.list(path.dirname(name));
  assert.deepEqual(
    listed.data.map((one) => [one.name, one.metadata.size]),
    [[path.basename(name), picture.length]],
  );
});

it('refuses the folders of others, and buckets that nobody may fill', async () => {
  for (const [bucket, name] of [
    ['property-images', `${stranger.id}/a.webp`],
    ['property-images', 'a.webp'],
    ['property-images', `x/${owner.id}/a.webp`],
    ['avatars', `${stranger.id}/a.webp`],
    ['coworking-images', `${owner.id}/a.webp`],
  ]) {
    assert.deepEqual(await refusal(upload(owner, bucket, name)), DENIED, `${bucket}/${name}`);
  }
  assert.deepEqual(await refusal(upload(nobody, 'property-images', `${owner.id}/a.webp`)), DENIED);
});

it('lets a person replace, move and remove what is theirs, and nobody else', async () => {
  const name = `${owner.id}/mine.webp`;
  assert.equal((await upload(owner, 'avatars', name)).error, null);
  const theirs = stranger.storage.from('avatars');
  const options = { contentType: 'image/webp', upsert: true };
  assert.deepEqual(await refusal(theirs.update(name, picture, { contentType: 'image/webp' })), DENIED);
  assert.deepEqual(await refusal(theirs.upload(name, picture, options)), DENIED);
  assert.notEqual((await theirs.move(name, `${stranger.id}/theirs.webp`)).error, null);
  assert.deepEqual((await theirs.remove([name])).data, []);

  const mine = owner.storage.from('avatars');
  const smaller = await readFile(path.join(root, 'sql/marketplace/seed/pictures/scene-02.webp'));
  assert.equal((await mine.upload(name, smaller, options)).error, null);
  const replaced = await mine.download(name);
  assert.deepEqual(Buffer.from(await replaced.data.arrayBuffer()), smaller);
  assert.equal((await mine.move(name, `${owner.id}/moved.webp`)).error, null);
  assert.deepEqual(
    (await mine.remove([`${owner.id}/moved.webp`])).data.map((one) => one.name),
    [`${owner.id}/moved.webp`],
  );
  assert.equal((await mine.exists(`${owner.id}/moved.webp`)).data, false);
});

it('keeps documents to their owner and the administrators', async () => {
  const name = `${owner.id}/deed.pdf`;
  const deed = Buffer.from('%PDF-1.4 deed');
  assert.equal((await upload(owner, 'property-documents', name, deed, 'application/pdf')).error, null);
  for (const who of [owner, administrator]) {
    const { data } = await who.storage.from('property-documents').download(name);
    assert.deepEqual(Buffer.from(await data.arrayBuffer()), deed);
  }
  for (const who of [stranger, nobody]) {
    const documents = who.storage.from('property-documents');
    assert.deepEqual((await documents.list(owner.id)).data, []);
    assert.deepEqual(await refusal(documents.createSignedUrl(name, 60)), GONE);
    assert.deepEqual(await refusal(documents.download(name)), GONE);
  }
  const url = nobody.storage.from('property-documents').getPublicUrl(name).data.publicUrl;
  assert.equal((await fetch(url)).status, 400);

  const signed = await owner.storage.from('property-documents').createSignedUrl(name, 60);
  const opened = await fetch(signed.data.signedUrl);
  assert.deepEqual(Buffer.from(await opened.arrayBuffer()), deed);
  assert.equal((await fetch(signed.data.signedUrl.replace('deed', 'dead'))).status, 400);
});

it('lets administrators manage every bucket of the marketplace', async () => {
  assert.equal((await upload(administrator, 'coworking-images', 'spaces/a.webp')).error, null);
  const name = `${owner.id}/unwanted.webp`;
  assert.equal((await upload(owner, 'property-images', name)).error, null);
  const removed = await administrator.storage.from('property-images').remove([name]);
  assert.equal(removed.data.length, 1);
});

it('holds each bucket to its size and its kinds of file', async () => {
  const name = `${owner.id}/limits`;
  const large = (bytes) => Buffer.alloc(bytes, 1);
  for (const [bucket, limit] of [
    ['avatars', 2 * MIB],
    ['property-images', 10 * MIB],
    ['property-documents', 20 * MIB],
  ]) {
    const png = (bytes, end) => upload(owner, bucket, `${name}-${end}.png`, large(bytes), 'image/png');
    assert.equal((await png(limit, 'full')).error, null, bucket);
    assert.deepEqual(await refusal(png(limit + 1, 'over')), [
      '413',
      'The object exceeded the maximum allowed size',
    ]);
  }
  for (const [bucket, kind] of [
    ['property-images', 'image/svg+xml'],
    ['property-images', 'text/html'],
    ['avatars', 'application/pdf'],
    ['property-documents', 'image/webp'],
  ]) {
    assert.deepEqual(await refusal(upload(owner, bucket, `${name}.x`, large(10), kind)), [
      '415',
      `mime type ${kind} is not supported`,
    ]);
  }
});

it('serves pictures in the size and quality that a page asks for', async () => {
  const name = `${owner.id}/front.webp`;
  assert.equal((await upload(owner, 'property-images', name)).error, null);
  const bucket = nobody.storage.from('property-images');
  const at = async (transform) => {
    const { publicUrl } = bucket.getPublicUrl(name, { transform }).data;
    const answer = await fetch(publicUrl, { headers: { accept: 'image/webp,*/*' } });
    const body = Buffer.from(await answer.arrayBuffer());
    return { answer, body };
  };
  const sizes = [];
  for (const width of [320, 640, 1024]) {
    const { answer, body } = await at({ width, height: width / 2, resize: 'cover', quality: 75 });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'image/webp');
    assert.deepEqual(webpSize(body), [width, width / 2]);
    sizes.push(body.length);
  }
  assert.deepEqual(
    sizes,
    sizes.toSorted((a, b) => a - b),
  );
  const [low, high] = await Promise.all([20, 90].map((quality) => at({ width: 640, quality })));
  assert.ok(low.body.length < high.body.length);
  const { answer, body } = await at({ width: 640, quality: 101 });
  assert.equal(answer.status, 400);
  assert.equal(JSON.parse(body).message, 'querystring/quality must be <= 100');
});

it('shows the demo pictures to every visitor', async () => {
  const { data, error } = await nobody
    .from('coworking_space')
    .select('images:coworking_space_images(url)')
    .limit(3);
  assert.equal(error, null);
  const addresses = data.flatMap((space) => space.images.map((image) => image.url));
  assert.ok(addresses.length > 0);
  for (const address of addresses) {
    const answer = await fetch(new URL(address, stack.url));
    assert.equal(answer.status, 200, address);
    assert.equal(answer.headers.get('content-type'), 'image/webp');
  }
});

/** Width and height of a WebP file, by its header (RFC 9649, sections 2.5 to 2.7). */
function webpSize(bytes) {
  const kind = bytes.toString('latin1', 12, 16);
  if (kind === 'VP8X') return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (kind === 'VP8 ') return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  assert.equal(kind, 'VP8L');
  const bits = bytes.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
}
