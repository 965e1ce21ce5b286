// Two copies of each service behind the gateway: one that is killed takes nothing with it but what it was just doing.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';

import { createClient } from '@supabase/supabase-js';

import { mode, platform, until } from '../harness.mjs';

const CALLERS = 4;

describe('several copies', { skip: mode !== 'apart' && 'one process has no copies' }, () => {
  let stack;
  let admin;
  let functions;

  before(async () => {
    functions = await mkdtemp(path.join(tmpdir(), 'nilam-copies-'));
    await mkdir(path.join(functions, 'echo'));
    await writeFile(
      path.join(functions, 'echo/index.ts'),
      'Deno.serve(async (request) => new Response("heard " + await request.text()));',
    );
    stack = await platform({ functions });
    admin = createClient(stack.url, stack.SERVICE_ROLE_KEY, {
      auth: { persistSession: false, autoRefreshToken: false },
    });
    const bucket = await admin.storage.createBucket('copies', { public: true });
    assert.equal(bucket.error, null);
    const upload = await admin.storage.from('copies').upload('one.txt', 'one');
    assert.equal(upload.error, null);
  });

  after(async () => {
    await stack?.close();
    await rm(functions, { recursive: true, force: true });
  });

  /** What is read of each service over and over; each gives an error or nothing. */
  const reads = {
    rest: async () => (await admin.from('coworking_space').select('id').limit(1)).error,
    auth: async () => (await admin.auth.admin.listUsers({ page: 1, perPage: 1 })).error,
    storage: async () => (await admin.storage.from('copies').download('one.txt')).error,
    functions: async () => (await admin.functions.invoke('echo', { method: 'GET' })).error,
  };

  for (const [service, read] of Object.entries(reads)) {
    it(`reads from ${service} do not notice that a copy is killed`, async () => {
      for (const copy of stack.services.copies[service]) {
        const calls = startCalls(read);
        await calls.reach(20);
        copy.child.kill('SIGKILL');
        await once(copy.child, 'exit');
        await calls.reach(60);
        await stack.services.restart(copy);
        await calls.reach(400);
        assert.deepEqual(await calls.stop(), []);
      }
    });
  }

  it('writes fail only if the killed copy was doing them', async () => {
    const key = () => `${Math.random()}.txt`;
    for (const copy of stack.services.copies.storage) {
      const done = [];
      const calls = startCalls(async () => {
        const name = key();
        const { error } = await admin.storage.from('copies').upload(name, name);
        if (!error) done.push(name);
        return error;
      });
      await calls.reach(10);
      copy.child.kill('SIGKILL');
      await once(copy.child, 'exit');
      await calls.reach(40);
      await stack.services.restart(copy);
      const failed = await calls.stop();
      // A caller may meet the dying copy twice: in the middle of a call, and over a connection that it still took.
      assert.ok(failed.length <= 2 * CALLERS, `${failed.length}: ${failed[0]?.message}`);
      for (const name of done) {
        const { data, error } = await admin.storage.from('copies').download(name);
        assert.equal(error, null);
        assert.equal(await data.text(), name);
      }
    }
  });

  it('calls of a function fail only if the killed copy was answering them', async () => {
    for (const copy of stack.services.copies.functions) {
      const calls = startCalls(async () => {
        const word = String(Math.random());
        const { data, error } = await admin.functions.invoke('echo', { body: word });
        if (!error) assert.equal(data, `heard ${word}`);
        return error;
      });
      await calls.reach(20);
      copy.child.kill('SIGKILL');
      await once(copy.child, 'exit');
      await calls.reach(100);
      await stack.services.restart(copy);
      await calls.reach(100);
      const failed = await calls.stop();
      assert.ok(failed.length <= 2 * CALLERS, `${failed.length}: ${failed[0]?.message}`);
    }
  });

  it('realtime subscribers of a killed copy come back by themselves', async () => {
    for (const copy of stack.services.copies.realtime) {
      const heard = new Set();
      const clients = Array.from({ length: 4 }, () => createClient(stack.url, stack.ANON_KEY));
      const channels = clients.map((client, index) =>
        client
          .channel('copies')
          .on('broadcast', { event: 'word' }, ({ payload }) => heard.add(`${index} ${payload.n}`))
          .subscribe(),
      );
      let n = 0;
      const all = (n) => clients.every((_, index) => heard.has(`${index} ${n}`));
      const heardByAll = () =>
        until('a broadcast that all hear', async () => {
          n += 1;
          await admin.channel('copies').httpSend('word', { n });
          return all(n) || all(n - 1);
        });
      await heardByAll();
      copy.child.kill('SIGKILL');
      await once(copy.child, 'exit');
      await heardByAll();
      await stack.services.restart(copy);
      await heardByAll();
      for (const [index, client] of clients.entries()) await client.removeChannel(channels[index]);
    }
  });
});

/** Calls something over and over from several places at once, and keeps the errors. */
function startCalls(call) {
  const errors = [];
  let count = 0;
  let running = true;
  const callers = Array.from({ length: CALLERS }, async () => {
    while (running) {
      const error = await call();
      if (error) errors.push(error);
      count += 1;
    }
  });
  return {
    /** Waits until there were so many more answers. */
    async reach(more) {
      const goal = count + more;
      await until(`${more} more answers`, () => count >= goal, 60_000);
    },
    async stop() {
      running = false;
      await Promise.all(callers);
      return errors;
    },
  };
}
