// The two programs: a built checkout of storage-api, and ours.

import { access } from 'node:fs/promises';
import path from 'node:path';

const original = process.env.STORAGE_API_DIR && path.resolve(process.env.STORAGE_API_DIR);
export const withItself = process.argv.includes('--self');

async function find() {
  if (!original) {
    console.log('skipped: STORAGE_API_DIR is not set; CONTRIBUTING.md says how to build storage-api');
    return undefined;
  }
  const script = path.join(original, 'dist/start/server.js');
  await access(script);
  const theirs = {
    name: 'theirs',
    command: [process.env.STORAGE_API_NODE ?? process.execPath, script],
    cwd: original,
  };
  const program = path.resolve(process.env.STORAGE_SVC_BIN ?? 'target/debug/storage-svc');
  return { theirs, ours: { ...(withItself ? theirs : { command: [program] }), name: 'ours' } };
}

/** `theirs` and `ours`; nothing where the original is not there. */
export const programs = await find();
