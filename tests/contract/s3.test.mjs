// Amazon's own client against the S3 protocol of storage, through the gateway: what it signs is what clients see.

import assert from 'node:assert/strict';
import { createHash, createHmac, randomBytes } from 'node:crypto';
import { after, before, it } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import pg from 'pg';
import { platform } from '../harness.mjs';

const Bucket = 'tools';
let stack;
let s3;

const client = (credentials, url = stack.url) =>
  new S3Client({
    endpoint: `${url}/storage/v1/s3`,
    region: 'local',
    forcePathStyle: true,
    credentials,
  });
const send = (Command, input) => s3.send(new Command({ Bucket, ...input }));
const text = async (object) => (await object).Body.transformToString();

before(async () => {
  stack = await platform();
  s3 = client({
    accessKeyId: stack.S3_PROTOCOL_ACCESS_KEY_ID,
    secretAccessKey: stack.S3_PROTOCOL_ACCESS_KEY_SECRET,
  });
  await send(CreateBucketCommand);
});
after(async () => {
  s3?.destroy();
  await stack?.close();
});

it('stores, reads, copies and lists', async () => {
  const Key = "folder/odd & (name)+'!.txt";
  await send(PutObjectCommand, {
    Key,
    Body: 'hello',
    ContentType: 'text/plain',
    Metadata: { colour: 'red' },
  });
  const read = await send(GetObjectCommand, { Key, Range: 'bytes=1-3' });
  assert.equal(await read.Body.transformToString(), 'ell');
  assert.equal(read.ContentRange, 'bytes 1-3/5');
  assert.deepEqual(read.Metadata, { colour: 'red' });
  const CopySource = encodeURIComponent(`${Bucket}/${Key}`);
  await send(CopyObjectCommand, { Key: 'folder/copy', CopySource });
  assert.equal(await text(send(GetObjectCommand, { Key: 'folder/copy' })), 'hello');
  const { Contents, CommonPrefixes } = await send(ListObjectsV2Command, {
    Prefix: 'folder/',
    Delimiter: '/',
  });
  assert.deepEqual(
    Contents.map(({ Key, Size }) => [Key, Size]),
    [
      ['folder/copy', 5],
      [Key, 5],
    ],
  );
  assert.equal(CommonPrefixes, undefined);
  await assert.rejects(send(GetObjectCommand, { Key: 'nothing' }), { name: 'NoSuchKey' });
});

it('puts a large object together from its parts', async () => {
  const Key = 'large.bin';
  const parts = Array.from({ length: 3 }, () => randomBytes(6 * 1024 * 1024));
  const { UploadId } = await send(CreateMultipartUploadCommand, { Key, ContentType: 'image/png' });
  const Parts = await Promise.all(
    parts.map(async (Body, index) => {
      const PartNumber = index + 1;
      const { ETag } = await send(UploadPartCommand, { Key, UploadId, PartNumber, Body });
      return { PartNumber, ETag };
    }),
  );
  const { ETag } = await send(CompleteMultipartUploadCommand, { Key, UploadId, MultipartUpload: { Parts } });
  const whole = Buffer.concat(parts);
  assert.equal(ETag, `"${createHash('md5').update(whole).digest('hex')}"`);
  const object = await send(GetObjectCommand, { Key });
  assert.equal(object.ContentType, 'image/png');
  assert.ok(whole.equals(await object.Body.transformToByteArray()));
});

it('signs URLs that need nothing else, whatever name the client calls the platform', async () => {
  const credentials = await s3.config.credentials();
  for (const url of [stack.url, stack.url.replace('127.0.0.1', 'localhost')]) {
    const other = client(credentials, url);
    const target = { Bucket, Key: 'presigned.txt' };
    const put = await getSignedUrl(other, new PutObjectCommand(target), { expiresIn: 60 });
    assert.equal((await fetch(put, { method: 'PUT', body: url })).status, 200);
    const get = await getSignedUrl(other, new GetObjectCommand(target), { expiresIn: 60 });
    assert.equal(await (await fetch(get)).text(), url);
    const forged = await fetch(get.replace('presigned.txt', 'large.bin'));
    assert.equal(forged.status, 403);
    other.destroy();
  }
});

it('lets a user with a session do what policies allow', async () => {
  const database = new pg.Client(stack.DB_URL.replace('postgres:postgres@', 'supabase_admin:postgres@'));
  await database.connect();
  await database.query(`create policy tools_of_users on storage.objects for all to authenticated
    using (bucket_id = 'tools' and owner_id = (select auth.uid()::text))`);
  const sub = '6e1a6c2e-3f0b-4d4a-9a57-2f6f0f5d1c11';
  const encode = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { role: 'authenticated', sub, exp: Math.floor(Date.now() / 1000) + 600 };
  const unsigned = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`;
  const sessionToken = `${unsigned}.${createHmac('sha256', stack.JWT_SECRET).update(unsigned).digest('base64url')}`;
  const user = client({ accessKeyId: 'stub', secretAccessKey: stack.ANON_KEY, sessionToken });
  try {
    await user.send(new PutObjectCommand({ Bucket, Key: 'own.txt', Body: 'mine' }));
    const { Contents } = await user.send(new ListObjectsV2Command({ Bucket }));
    assert.deepEqual(
      Contents.map(({ Key }) => Key),
      ['own.txt'],
    );
    const overwrite = new PutObjectCommand({ Bucket, Key: 'presigned.txt', Body: 'mine' });
    await assert.rejects(user.send(overwrite), { name: 'AccessDenied' });
    await assert.rejects(user.send(new HeadObjectCommand({ Bucket, Key: 'large.bin' })), {
      name: 'NotFound',
    });
  } finally {
    user.destroy();
    await database.query('drop policy tools_of_users on storage.objects');
    await database.end();
  }
});

it('removes what it made', async () => {
  const { Contents } = await send(ListObjectsV2Command);
  const Objects = Contents.map(({ Key }) => ({ Key }));
  const { Deleted, Errors } = await send(DeleteObjectsCommand, { Delete: { Objects } });
  assert.deepEqual([Deleted.length, Errors], [Objects.length, undefined]);
  await send(DeleteBucketCommand);
});
