// Edge functions, called by the published client.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import {
  createClient,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
} from '@supabase/supabase-js';
import { platform, until } from '../harness.mjs';

const options = { auth: { persistSession: false, autoRefreshToken: false } };
const sources = {
  mirror: `Deno.serve(async (request) => Response.json({
    method: request.method,
    path: new URL(request.url).pathname + new URL(request.url).search,
    type: request.headers.get('content-type'),
    authorization: request.headers.get('authorization'),
    key: request.headers.get('sb-api-key') !== null,
    body: await request.text(),
  }));`,
  kinds: `Deno.serve(async (request) => {
    const { kind } = await request.json();
    const types = { text: 'text/plain', blob: 'application/octet-stream', form: undefined };
    if (kind === 'form') { const form = new FormData(); form.set('a', 'b'); return new Response(form); }
    return new Response('x', { headers: { 'content-type': types[kind] } });
  });`,
  teapot: `Deno.serve(() => new Response('short and stout', { status: 418 }));`,
  broken: `throw new Error('does not load');`,
  waits: `const tell = (what) => fetch(Deno.env.get('LISTENER') + what).then((answer) => answer.text());
  Deno.serve((request) => {
    request.signal.addEventListener('abort', () => tell('given-up'));
    return tell('begun').then(() => new Promise(() => {}));
  });`,
  events: `Deno.serve(() => new Response('data: 1\\n\\ndata: 2\\n\\n', { headers: { 'content-type': 'text/event-stream' } }));`,
  // What templates look like: a client for the caller, one for the service, and tables.
  listed: `import { createClient } from 'npm:@supabase/supabase-js@2.119.0';
  export default { async fetch(request) {
    const client = (key, headers) => createClient(Deno.env.get('SUPABASE_URL'), key, { global: { headers } });
    const keys = JSON.parse(Deno.env.get('SUPABASE_SECRET_KEYS'));
    const caller = client(Deno.env.get('SUPABASE_ANON_KEY'), { Authorization: request.headers.get('Authorization') });
    const count = async (who) =>
      (await who.from('coworking_space').select('*', { count: 'exact', head: true })).count;
    return Response.json([await count(caller), await count(client(keys.default))]);
  } };`,
};

let folder;
let stack;
let anon;

/** What functions told somebody outside. */
const heard = [];
const listener = createServer((request, response) => {
  heard.push(request.url.slice(1));
  response.end();
});

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'nilam-functions-'));
  for (const [name, source] of Object.entries(sources)) {
    await mkdir(path.join(folder, 'functions', name), { recursive: true });
    await writeFile(path.join(folder, 'functions', name, 'index.ts'), source);
  }
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  await writeFile(path.join(folder, 'functions/.env'), `LISTENER=http://127.0.0.1:${port}/\n`);
  stack = await platform({ functions: path.join(folder, 'functions') });
  anon = createClient(stack.url, stack.ANON_KEY, options);
});
after(async () => {
  await stack?.close();
  listener.close();
  listener.closeAllConnections();
  await rm(folder, { recursive: true, force: true });
});

async function invoked(name, settings) {
  const { data, error } = await anon.functions.invoke(name, settings);
  assert.equal(error, null);
  return data;
}

describe('functions.invoke', () => {
  it('sends bodies and methods, and the key as a token', async () => {
    const seen = await invoked('mirror', { body: { a: 1 } });
    assert.deepEqual(
      [seen.method, seen.path, seen.type, seen.body, seen.key],
      ['POST', '/mirror', 'application/json', '{"a":1}', true],
    );
    assert.equal(seen.authorization, `Bearer ${stack.ANON_KEY}`);
    const put = await invoked('mirror/more?x=1', { method: 'PUT', body: 'text' });
    assert.deepEqual([put.method, put.path, put.type], ['PUT', '/mirror/more?x=1', 'text/plain']);
    const region = await invoked('mirror', { region: 'ap-south-1' });
    assert.equal(region.path, '/mirror?forceFunctionRegion=ap-south-1');
  });

  it('reads answers by their type', async () => {
    assert.equal(await invoked('kinds', { body: { kind: 'text' } }), 'x');
    assert.equal(await (await invoked('kinds', { body: { kind: 'blob' } })).text(), 'x');
    assert.equal((await invoked('kinds', { body: { kind: 'form' } })).get('a'), 'b');
    assert.equal(await (await invoked('events')).text(), 'data: 1\n\ndata: 2\n\n');
  });

  it('tells errors of functions from those of the service', async () => {
    const teapot = await anon.functions.invoke('teapot');
    assert.ok(teapot.error instanceof FunctionsHttpError);
    assert.equal(teapot.error.context.status, 418);
    assert.equal(await teapot.error.context.text(), 'short and stout');
    const broken = await anon.functions.invoke('broken');
    assert.equal(broken.error.context.status, 503);
    assert.equal((await broken.error.context.json()).code, 'BOOT_ERROR');
    const missing = await anon.functions.invoke('missing');
    assert.equal(missing.error.context.status, 404);
  });

  it('needs a token that is good', async () => {
    const stranger = createClient(stack.url, stack.ANON_KEY, options);
    stranger.functions.setAuth('not.a.token');
    const { error } = await stranger.functions.invoke('mirror');
    assert.ok(error instanceof FunctionsHttpError && !(error instanceof FunctionsRelayError));
    assert.equal(error.context.status, 401);
    assert.equal(error.context.headers.get('sb-error-code'), 'UNAUTHORIZED_INVALID_JWT_FORMAT');
  });

  it('can be given up, which the function notices', async () => {
    const controller = new AbortController();
    const call = anon.functions.invoke('waits', { signal: controller.signal });
    // Given up when the function has it, and not before.
    await until('the request', () => heard.includes('begun'));
    controller.abort();
    const { error } = await call;
    assert.ok(error instanceof FunctionsFetchError);
    await until('the end of it', () => heard.includes('given-up'));
  });

  it('runs functions that are clients themselves', async () => {
    const [callers, all] = await invoked('listed');
    assert.equal(callers, 56);
    assert.ok(all > callers, `${all}`);
  });
});
