// What Prometheus reads of every service is what docs/monitoring.md lists, and so what the dashboard and the alerts ask for.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';

import { createClient } from '@supabase/supabase-js';

import { mode, platform, root } from '../harness.mjs';

test(
  'every service has the metrics that the guide, the dashboard and the alerts name',
  { skip: mode === 'apart' ? false : 'apart only: in one process, services share the ports' },
  async (t) => {
    const stack = await platform();
    t.after(stack.close);
    const supabase = createClient(stack.url, stack.ANON_KEY, { auth: { persistSession: false } });

    // Series with labels come with the first request, and the copies share these.
    for (let request = 0; request < 4; request++) {
      const read = await supabase.from('properties').select('id').limit(1);
      assert.equal(read.error, null);
      const refused = await supabase.auth.signInWithPassword({ email: 'no@nilam.example', password: 'no' });
      assert.equal(refused.error.code, 'invalid_credentials');
      const mailed = await supabase.auth.signInWithOtp({ email: `metrics-${request}@nilam.example` });
      assert.equal(mailed.error, null);
      const texted = await supabase.auth.signInWithOtp({ phone: `+9477100000${request}` });
      assert.equal(texted.error, null);
      const absent = await supabase.storage.from('coworking-images').download('absent');
      assert.notEqual(absent.error, null);
      assert.equal((await fetch(`${stack.url}/functions/v1/absent`)).status, 401);
      assert.equal((await fetch(`${stack.url}/realtime/v1/api/broadcast`, { method: 'POST' })).ok, false);
    }

    const places = Object.entries(stack.services.metrics).flatMap(([service, urls]) =>
      urls.map((url) => `${service}=${url}${service === 'realtime' ? `,${stack.ANON_KEY}` : ''}`),
    );
    const script = path.join(root, 'scripts/check-monitoring.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [script, ...places]);
    assert.match(stdout, / 0 problems/);
  },
);
