// A certificate for the hosts that the receiver answers for when it is used as a proxy. Both servers are told to trust it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const HOSTS = [
  ...['api.twilio.com', 'verify.twilio.com', 'rest.messagebird.com', 'api.textlocal.in', 'rest.nexmo.com'],
];

const folder = mkdtempSync(path.join(tmpdir(), 'nilam-differential-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

/** Where it is. */
export const certificateFile = path.join(folder, 'certificate.pem');
const keyFile = path.join(folder, 'key.pem');
execFileSync(
  'openssl',
  [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=carriers'],
    ...['-addext', `subjectAltName=${HOSTS.map((host) => `DNS:${host}`).join(',')}`],
    ...['-addext', 'basicConstraints=critical,CA:FALSE', '-keyout', keyFile, '-out', certificateFile],
  ],
  { stdio: 'ignore' },
);

/** What a TLS server of those hosts needs. */
export const credentials = { key: readFileSync(keyFile), cert: readFileSync(certificateFile) };
