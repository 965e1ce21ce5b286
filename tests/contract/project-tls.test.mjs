// A project with `[api.tls]`: the API is served by HTTPS, as the project's addresses say.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';

import { binary, dataFolder, freePorts, mode, root, standalone, stop } from '../harness.mjs';

const FUNCTION = `Deno.serve(async () => {
  const answer = await fetch(Deno.env.get('SUPABASE_URL') + '/auth/v1/health');
  return new Response(String(answer.status));
});`;

/** Asks as a program would that was told to trust the certificate. */
const CLIENT = `
  import { createClient } from '@supabase/supabase-js';
  const { API_URL, PUBLISHABLE_KEY, ANON_KEY } = JSON.parse(process.argv[1]);
  const supabase = createClient(API_URL, PUBLISHABLE_KEY, { auth: { persistSession: false } });
  const { data, error } = await supabase.auth.signUp({ email: 'a@nilam.example', password: 'long enough' });
  const called = await fetch(API_URL + '/functions/v1/asks', { headers: { authorization: 'Bearer ' + ANON_KEY } });
  console.log(JSON.stringify([error, data.user?.email, await called.text()]));`;

const skip = mode === 'apart' && 'about the one process';

test('an API by HTTPS, with a certificate that is made', { skip }, async (t) => {
  const folder = await dataFolder();
  const project = path.join(folder, 'project');
  const written = async (name, text) => {
    await mkdir(path.dirname(path.join(project, name)), { recursive: true });
    await writeFile(path.join(project, name), text);
  };
  await written('supabase/config.toml', '[api.tls]\nenabled = true\n[db.vault]\napi_key = "a secret"\n');
  await written('supabase/functions/asks/index.ts', FUNCTION);
  const ports = await freePorts('api', 'db', 'mailbox');
  const { child, endpoints } = await standalone(undefined, ports, ['--project', project]);
  t.after(async () => {
    await stop(child);
    await rm(folder, { recursive: true, force: true });
  });
  assert.equal(endpoints.API_URL, `https://127.0.0.1:${ports.api}`);
  assert.match(child.transcript(), /WARN: \[db\.vault\] is skipped/);
  assert.doesNotMatch(child.transcript(), /WARN: .*tls/);

  const run = promisify(execFile);
  const told = await run(binary('standalone'), ['status', '-o', 'env', '--project', project]);
  assert.match(told.stdout, new RegExp(`^API_URL="?https://127.0.0.1:${ports.api}"?$`, 'm'));

  // Nobody who does not know the certificate, and nobody without TLS.
  await assert.rejects(fetch(`${endpoints.API_URL}/auth/v1/health`), /fetch failed/);
  await assert.rejects(fetch(`http://127.0.0.1:${ports.api}/auth/v1/health`));

  const [certificate, key] = child
    .transcript()
    .match(/certificate is in (\S+\/)(api-certificate\.pem);/)
    .slice(1)
    .reduce((dir, name) => [path.join(dir, name), path.join(dir, 'api-key.pem')]);
  assert.equal((await stat(key)).mode & 0o777, 0o600);
  const client = ['--input-type=module', '--eval', CLIENT, JSON.stringify(endpoints)];
  // After a reset the port and the certificate are those from before.
  for (const isReset of [false, true]) {
    if (isReset) await run(binary('standalone'), ['db', 'reset', '--project', project]);
    const { stdout } = await run(process.execPath, client, {
      cwd: root,
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
    });
    // Functions are inside, where they need no certificate.
    assert.deepEqual(JSON.parse(stdout), [null, 'a@nilam.example', '200']);
  }
});
