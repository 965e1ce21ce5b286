// storage-svc beside storage-api: the same requests to both, and what differs.
//
// STORAGE_API_DIR is a built checkout of storage-api, STORAGE_SVC_BIN our program; `with-postgres` gives the
// server. Arguments choose scenarios by part of their names; --all prints accepted differences too; --self
// sets two copies of the original beside each other, between which nothing may differ. Ends with 1 on a
// difference that is not accepted; --transcript prints what the original answered.

import path from 'node:path';

import { run, scenariosIn } from './report.mjs';
import { accepted, byChance } from './storage/support/accepted.mjs';
import { profiles } from './storage/support/profiles.mjs';
import { programs, withItself } from './storage/support/programs.mjs';
import { prepareTemplate, Server } from './storage/support/server.mjs';
import { Side } from './storage/support/side.mjs';

const TEMPLATE = 'storage_template';

async function main() {
  if (!programs) return true;
  const servers = Object.values(programs).map((program) => new Server(program.name, program));
  await prepareTemplate(TEMPLATE);
  const scenarios = await scenariosIn(path.join(import.meta.dirname, 'storage'), profiles);
  return run({
    scenarios,
    begin: (server, profile) => server.start(profile, profiles[profile], TEMPLATE),
    name: 'storage-api',
    accepted: withItself ? byChance : accepted,
    ...{ servers, Side },
  });
}

process.exitCode = (await main()) ? 0 : 1;
