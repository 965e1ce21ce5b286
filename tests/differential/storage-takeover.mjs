// One database and one folder of blobs, first under storage-api, then under storage-svc, then under
// storage-api again, and the other way round: what one stored or signed works under the other, and what one
// began can be begun anew.
//
// STORAGE_API_DIR and STORAGE_SVC_BIN as for storage.mjs; --self hands over from the original to itself.

import assert from 'node:assert/strict';

import { assertSame, statementsOf } from './schema.mjs';
import { profiles, TOKENS } from './storage/support/profiles.mjs';
import { programs } from './storage/support/programs.mjs';
import { prepareTemplate, Server } from './storage/support/server.mjs';
import { Side } from './storage/support/side.mjs';

const TEMPLATE = 'takeover_template';
const token = TOKENS.service;
const base = (text) => Buffer.from(text).toString('base64');
const TUS = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' };
const notes = (value) => base(JSON.stringify(value));

function ok(answer, what) {
  assert.ok(answer.status >= 200 && answer.status < 300, `${what}: ${answer.status} ${answer.text}`);
  return answer;
}

const between = (text, tag) => text.match(new RegExp(`<${tag}>([^<]*)<`))?.[1];

/** Begins an upload in parts. */
async function begin(t, bucket) {
  const options = { query: { uploads: '' }, headers: { 'content-type': 'text/css' } };
  return ok(await t.s3('POST', `/${bucket}/parts`, options), 'S3 parts');
}

/** Begins a resumable upload of twelve bytes with some of them. */
async function resumable(t, bucket, body) {
  const about = { bucketName: bucket, objectName: 'resumed', contentType: 'text/css', cacheControl: '9' };
  const pairs = Object.entries(about).map(([key, value]) => `${key} ${base(value)}`);
  const headers = { ...TUS, 'upload-length': '12', 'upload-metadata': pairs.join(',') };
  return ok(await t.send('POST', '/upload/resumable', { token, body, headers }), 'resumable upload');
}

/** Stores, begins and signs under one program. */
async function make(t, name) {
  const bucket = `of-${name}`;
  const at = (key) => `/object/${bucket}/${key}`;
  ok(
    await t.bucket(bucket, { public: true, file_size_limit: '200kb', allowed_mime_types: ['text/*'] }),
    'bucket',
  );
  for (const key of ['a.txt', 'a.txt/below', 'f/b.txt', 'spaced%20name.txt'])
    ok(
      await t.upload(`${bucket}/${key}`, `content of ${key}`, {
        headers: { 'cache-control': 'max-age=77', 'x-metadata': notes({ key }), 'x-robots-tag': 'noindex' },
      }),
      `upload of ${key}`,
    );
  for (const key of ['copied', 'moved'])
    ok(await t.upload(`${bucket}/to-be-${key}`, key), `upload of ${key}`);
  const change = { bucketId: bucket, sourceKey: 'to-be-copied', destinationKey: 'copied' };
  ok(await t.post('/object/copy', change, { token }), 'copy');
  const move = { bucketId: bucket, sourceKey: 'to-be-moved', destinationKey: 'moved' };
  ok(await t.post('/object/move', move, { token }), 'move');
  ok(await t.upload(`${bucket}/over`, 'first'), 'first version');
  ok(await t.upload(`${bucket}/over`, 'second', { headers: { 'x-upsert': 'true' } }), 'second version');
  ok(
    await t.s3('PUT', `/${bucket}/s3.txt`, { body: 's3', headers: { 'content-type': 'text/css' } }),
    'S3 put',
  );
  const begun = await begin(t, bucket);
  const uploadId = between(begun.text, 'UploadId');
  const part = { query: { uploadId, partNumber: 1 }, body: 'first part, ' };
  const { headers } = ok(await t.s3('PUT', `/${bucket}/parts`, part), 'S3 part');
  const created = await resumable(t, bucket, 'begun, ');
  const signed = ok(await t.post(`/object/sign/${bucket}/a.txt`, { expiresIn: 600 }, { token }), 'signing');
  const upload = ok(
    await t.post(`/object/upload/sign/${bucket}/signed`, undefined, { token }),
    'signing an upload',
  );
  const { headers: first } = ok(await t.get(at('a.txt'), { token }), 'read');
  return {
    ...{ name, bucket, uploadId, etag: headers.etag, tag: first.etag },
    address: new URL(created.headers.location).pathname,
    signed: signed.body.signedURL,
    upload: upload.body.url,
    finished: false,
  };
}

/** Reads what another program left, ends what it began, and makes it whole again for the next. */
async function check(t, made) {
  const { bucket } = made;
  const read = async (key, options) =>
    ok(await t.get(`/object/public/${bucket}/${key}`, options), `read of ${key}`);
  for (const key of ['a.txt', 'a.txt/below', 'f/b.txt', 'spaced%20name.txt']) {
    const { text, headers } = await read(key);
    assert.equal(text, `content of ${key}`);
    assert.equal(headers['cache-control'], 'max-age=77');
    assert.equal(headers['content-type'], 'text/plain');
    assert.equal(headers['x-robots-tag'], 'noindex');
    const info = ok(await t.get(`/object/info/${bucket}/${key}`, { token }), 'info').body;
    assert.deepEqual(info.metadata, { key });
  }
  const { headers } = await read('a.txt');
  assert.equal(headers.etag, made.tag, 'the ETag stays');
  assert.equal(
    (await t.get(`/object/public/${bucket}/a.txt`, { headers: { 'if-none-match': made.tag } })).status,
    304,
  );
  assert.equal((await read('f/b.txt', { headers: { range: 'bytes=0-6' } })).text, 'content');
  for (const key of ['copied', 'moved']) assert.equal((await read(key)).text, key);
  assert.equal((await read('over')).text, 'second');
  assert.equal(ok(await t.s3('GET', `/${bucket}/s3.txt`), 'S3 get').text, 's3');
  assert.equal(ok(await t.get(made.signed), 'signed').text, 'content of a.txt');
  const listed = ok(await t.post(`/object/list/${bucket}`, { prefix: '' }, { token }), 'list').body;
  assert.deepEqual(listed.map(({ name }) => name).slice(0, 3), ['a.txt', 'a.txt', 'copied']);
  if (!made.finished) await finish(t, made);
  assert.equal((await read('resumed')).text, 'begun, ended');
  assert.equal((await read('parts')).text, 'first part, second part');
  assert.equal((await read('signed')).text, 'signed');
  ok(await t.upload(`${bucket}/over`, 'third', { headers: { 'x-upsert': 'true' } }), 'over another version');
  assert.equal((await read('over')).text, 'third');
  ok(await t.upload(`${bucket}/over`, 'second', { headers: { 'x-upsert': 'true' } }), 'and back');
  const copy = { bucketId: bucket, sourceKey: 'a.txt', destinationKey: 'a-copy' };
  ok(await t.post('/object/copy', copy, { token }), 'copy of an older one');
  assert.equal((await read('a-copy')).headers['cache-control'], 'max-age=77');
  ok(await t.delete(`/object/${bucket}/a-copy`, { token }), 'delete');
}

/** Uploads the parts that are missing, and ends the upload. */
async function endParts(t, bucket, uploadId, etags) {
  const path = `/${bucket}/parts`;
  for (const [index, body] of ['first part, ', 'second part'].entries()) {
    if (etags[index]) continue;
    const part = await t.s3('PUT', path, { query: { uploadId, partNumber: index + 1 }, body });
    if (part.status !== 200) return part;
    etags.push(part.headers.etag);
  }
  const listed = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  const body = `<CompleteMultipartUpload>${listed.join('')}</CompleteMultipartUpload>`;
  const headers = { 'content-type': 'application/xml' };
  return t.s3('POST', path, { query: { uploadId }, body, headers });
}

/** Ends what was under way; what the other program does not know of, a client begins anew. */
async function finish(t, made) {
  const { bucket } = made;
  const head = await t.head(made.address, { token, headers: TUS });
  if (head.status === 404) await resumable(t, bucket, 'begun, ended');
  else {
    assert.equal(ok(head, 'offset of a resumable upload').headers['upload-offset'], '7');
    const headers = { ...TUS, 'upload-offset': '7' };
    ok(await t.send('PATCH', made.address, { token, body: 'ended', headers }), 'end of a resumable upload');
  }
  const ended = await endParts(t, bucket, made.uploadId, [made.etag]);
  if (ended.status !== 200) {
    const uploadId = between((await begin(t, bucket)).text, 'UploadId');
    ok(await endParts(t, bucket, uploadId, []), 'end of parts');
  }
  const sent = { body: 'signed', headers: { 'content-type': 'text/plain' } };
  ok(await t.send('PUT', made.upload, sent), 'upload with a signature of the other');
  made.finished = true;
}

async function handOvers(first, second) {
  const server = new Server(`from_${first.name}`, first);
  try {
    await server.start('plain', profiles.plain, TEMPLATE);
    const made = [];
    for (const [index, program] of [first, second, first, second].entries()) {
      if (index > 0) await server.handOver(program);
      const side = new Side(server);
      for (const earlier of made) await check(side, earlier);
      if (index < 2) made.push(await make(side, `${program.name}-${index}`));
      side.close();
      console.log(`what ${made.map(({ name }) => name).join(' and ')} made works under ${program.name}`);
    }
  } finally {
    await server.stop();
  }
}

async function compareSchemas() {
  const found = [];
  for (const program of Object.values(programs)) {
    const server = new Server(`schema_of_${program.name}`, program);
    try {
      await server.start('plain', profiles.plain, TEMPLATE);
      found.push(statementsOf(server.url(), 'storage'));
    } finally {
      await server.stop();
    }
  }
  assertSame(...found, { name: 'storage-api' });
}

if (programs) {
  await prepareTemplate(TEMPLATE);
  await compareSchemas();
  await handOvers(programs.theirs, programs.ours);
  await handOvers(programs.ours, programs.theirs);
}
