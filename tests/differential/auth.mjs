// auth-svc beside GoTrue: the same requests to both, and what differs.
//
// GOTRUE_BIN and AUTH_SVC_BIN are the two programs; `with-postgres` gives the server. Arguments choose
// scenarios by part of their names; --all prints accepted differences too. Ends with 1 on any other.

import path from 'node:path';

import { accepted } from './accepted.mjs';
import { profiles } from './profiles.mjs';
import { run, scenariosIn } from './report.mjs';
import { Server } from './servers.mjs';
import { Side } from './side.mjs';

const binaries = {
  theirs: process.env.GOTRUE_BIN,
  ours: process.env.AUTH_SVC_BIN ?? 'target/debug/auth-svc',
};
if (!binaries.theirs) throw new Error('GOTRUE_BIN is not set; CONTRIBUTING.md says how to build it');
const servers = Object.entries(binaries).map(([name, program]) => new Server(name, path.resolve(program)));
for (const server of servers) await server.prepare(profiles.plain.settings);

const agree = await run({
  scenarios: await scenariosIn(path.join(import.meta.dirname, 'scenarios'), profiles),
  begin: (server, profile) => server.start(profile, profiles[profile].settings, profiles[profile].sql),
  name: 'GoTrue',
  ...{ servers, Side, accepted },
});
process.exitCode = agree ? 0 : 1;
