// Stands for `node:fs/promises`: `/tmp` is the folder of this process.

import * as fs from "node:fs/promises";

type Any = (...args: unknown[]) => unknown;

const meant = (globalThis as Record<symbol, unknown>)[Symbol.for("functions.tmp")] as
  | ((path: unknown) => unknown)
  | undefined;

const PATHS: Record<string, number> = {
  access: 1, appendFile: 1, chmod: 1, chown: 1, copyFile: 2, cp: 2, lchown: 1, link: 2, lstat: 1, lutimes: 1, mkdir: 1,
  mkdtemp: 1, open: 1, opendir: 1, readFile: 1, readdir: 1, readlink: 1, realpath: 1, rename: 2, rm: 1, rmdir: 1, stat: 1,
  symlink: 2, truncate: 1, unlink: 1, utimes: 1, watch: 1, writeFile: 1,
};

const all = fs as unknown as Record<string, Any>;
const ours: Record<string, Any> = {};
for (const [name, paths] of Object.entries(PATHS)) {
  const act = all[name];
  if (!act || !meant) continue;
  ours[name] = (...args) => {
    for (let index = 0; index < paths; index++) args[index] = meant(args[index]);
    return act(...args);
  };
}

const whole = { ...all.default, ...all, ...ours } as unknown as typeof fs;

export * from "node:fs/promises";
export const {
  access, appendFile, chmod, chown, copyFile, cp, lchown, link, lstat, lutimes, mkdir, mkdtemp, open, opendir, readFile,
  readdir, readlink, realpath, rename, rm, rmdir, stat, symlink, truncate, unlink, utimes, watch, writeFile,
} = whole;
export default whole;
