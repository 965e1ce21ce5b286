// A large upload with the published client, over a network that breaks and a service that is killed.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import path from 'node:path';
import { after, it } from 'node:test';
import * as tus from 'tus-js-client';
import { dataFolder, freePort, freePorts, standalone, start, stop, until } from '../harness.mjs';

const MIB = 1024 * 1024;
const LENGTH = 200 * MIB;
const folders = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

/** Bytes of which no two stretches are the same. */
function content() {
  const bytes = Buffer.allocUnsafe(LENGTH);
  for (let at = 0; at < LENGTH; at += 4) bytes.writeUInt32LE(Math.imul(at, 2_654_435_761) >>> 0, at);
  return bytes;
}

/** A network between the client and the service, that can be cut. */
async function network(port) {
  const wires = new Set();
  const server = createServer((client) => {
    const service = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, service],
      [service, client],
    ]) {
      wires.add(from);
      from.pipe(to);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        wires.delete(from);
        to.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: server.address().port,
    cut: () => wires.forEach((wire) => wire.destroy()),
    close: () => server.close(),
  };
}

it('survives three broken connections and kill -9', async (test) => {
  const folder = await dataFolder();
  folders.push(folder);
  const { child: platform, endpoints } = await standalone(folder, await freePorts('api', 'db', 'mailbox'));
  const port = await freePort();
  const files = path.join(folder, 'resumable');
  const at = `http://127.0.0.1:${port}`;
  const run = async () => {
    const child = start('storage-svc', [], {
      PORT: String(port),
      SERVER_HOST: '127.0.0.1',
      DATABASE_URL: endpoints.DB_URL.replace('//postgres:', '//supabase_storage_admin:'),
      AUTH_JWT_SECRET: endpoints.JWT_SECRET,
      SERVICE_KEY: endpoints.SERVICE_ROLE_KEY,
      STORAGE_BACKEND: 'file',
      STORAGE_FILE_BACKEND_PATH: files,
      UPLOAD_FILE_SIZE_LIMIT: String(LENGTH),
    });
    await until('the storage service', async () => (await fetch(`${at}/status`)).ok);
    return child;
  };
  let service = await run();
  const wire = await network(port);
  const authorization = `Bearer ${endpoints.SERVICE_ROLE_KEY}`;
  try {
    const made = await fetch(`${at}/bucket`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'large' }),
    });
    assert.equal(made.status, 200, await made.text());

    // Each happens once, when so much was sent.
    const accidents = [
      [30 * MIB, wire.cut],
      [70 * MIB, wire.cut],
      [
        110 * MIB,
        async () => {
          service.kill('SIGKILL');
          await once(service, 'exit');
          service = await run();
        },
      ],
      [150 * MIB, wire.cut],
    ];
    const bytes = content();
    const resumed = [];
    let recovery;
    const started = Date.now();
    await new Promise((resolve, reject) => {
      const upload = new tus.Upload(bytes, {
        endpoint: `http://127.0.0.1:${wire.port}/upload/resumable`,
        retryDelays: [100, 300, 1000, 1000, 2000, 2000, 3000, 5000],
        headers: { authorization },
        metadata: { bucketName: 'large', objectName: 'file.bin', contentType: 'video/mp4' },
        onProgress: (sent) => {
          if (accidents.length > 0 && sent > accidents[0][0]) recovery = accidents.shift()[1]();
        },
        onAfterResponse: (request, response) => {
          if (request.getMethod() === 'HEAD' && response.getStatus() === 200)
            resumed.push(Number(response.getHeader('Upload-Offset')));
        },
        onError: reject,
        onSuccess: resolve,
      });
      upload.start();
    });
    const seconds = (Date.now() - started) / 1000;
    await recovery;
    assert.equal(accidents.length, 0);
    // Every time it went on behind what had arrived, and not at the beginning.
    assert.equal(resumed.length, 4, String(resumed));
    assert.deepEqual(
      resumed,
      resumed.toSorted((a, b) => a - b),
    );
    assert.ok(resumed[0] > 0 && resumed[3] > 100 * MIB, String(resumed));
    const places = resumed.map((offset) => (offset / MIB).toFixed(1)).join(', ');
    test.diagnostic(`${seconds} s, went on at ${places} MiB`);

    const hash = createHash('sha256');
    const read = await fetch(`${at}/object/large/file.bin`, { headers: { authorization } });
    assert.equal(read.status, 200);
    assert.equal(read.headers.get('content-type'), 'video/mp4');
    for await (const chunk of read.body) hash.update(chunk);
    assert.equal(hash.digest('hex'), createHash('sha256').update(bytes).digest('hex'));

    // Nothing of it is left beside the object but notes, and what the killed process was writing.
    const left = await readdir(files, { recursive: true });
    const pieces = left.filter((name) => /\/\d{20}-/.test(name));
    assert.deepEqual(pieces, []);
  } catch (error) {
    throw new Error(service.transcript(), { cause: error });
  } finally {
    wire.close();
    wire.cut();
    await stop(service);
    await stop(platform);
  }
});
