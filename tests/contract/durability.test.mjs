// What was answered with success is there after everything was killed in the middle of writing.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { after, it } from 'node:test';
import { createClient } from '@supabase/supabase-js';
import { dataFolder, freePorts, mode, standalone, stop } from '../harness.mjs';

const folders = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const clientOf = (endpoints) =>
  createClient(endpoints.API_URL, endpoints.SECRET_KEY, {
    auth: { persistSession: false },
  });

it('loses nothing to kill -9', { skip: mode === 'apart' && 'about the one process' }, async () => {
  const folder = await dataFolder();
  folders.push(folder);
  const ports = await freePorts('api', 'db', 'mailbox');
  const first = await standalone(folder, ports);
  const writer = clientOf(first.endpoints);
  const { data: space } = await writer.from('coworking_space').select('id').limit(1).single();
  const acknowledged = [];
  let killed = false;
  const write = async (worker) => {
    for (let n = 0; !killed; n += 1) {
      const url = `/durable/${worker}/${n}`;
      const { error } = await writer
        .from('coworking_space_images')
        .insert({ coworking_space_id: space.id, url, order: 1000 + n })
        .then(
          (answer) => answer,
          (reason) => ({ error: reason }),
        );
      if (!error) acknowledged.push(url);
    }
  };
  const writers = [0, 1, 2, 3].map(write);
  while (acknowledged.length < 50) await new Promise((resolve) => setTimeout(resolve, 5));
  const postmaster = readFileSync(`${folder}/pgdata/postmaster.pid`, 'utf8').split('\n')[0];
  const backends = execFileSync('ps', ['-o', 'pid=', '--ppid', postmaster], {
    encoding: 'utf8',
  })
    .trim()
    .split(/\s+/);
  first.child.kill('SIGKILL');
  for (const pid of [postmaster, ...backends]) {
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It ended with its postmaster.
    }
  }
  killed = true;
  await once(first.child, 'exit');
  await Promise.all(writers);

  const second = await standalone(folder, ports);
  try {
    const found = [];
    for (;;) {
      const { data } = await clientOf(second.endpoints)
        .from('coworking_space_images')
        .select('url')
        .like('url', '/durable/%')
        .order('url')
        .range(found.length, found.length + 999);
      found.push(...data.map((image) => image.url));
      if (data.length < 1000) break;
    }
    const missing = acknowledged.filter((url) => !found.includes(url));
    assert.deepEqual(missing, []);
    assert.ok(acknowledged.length >= 50);
  } finally {
    assert.equal(await stop(second.child), 0, second.child.transcript());
  }
});
