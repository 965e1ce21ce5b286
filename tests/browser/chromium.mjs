// Which browser pages are looked at with.

import { existsSync } from 'node:fs';

/**
 * The one that is named in NILAM_CHROMIUM, or the system's. The one without windows comes first: the same engine, and a
 * fifth less work for the machine.
 */
export const executablePath = [
  process.env.NILAM_CHROMIUM,
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((candidate) => candidate && existsSync(candidate));
