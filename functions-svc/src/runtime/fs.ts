// Stands for `node:fs`: `/tmp` is the folder of this process.

import * as fs from "node:fs";
import promises from "./fs_promises.ts";

type Any = (...args: unknown[]) => unknown;

const meant = (globalThis as Record<symbol, unknown>)[Symbol.for("functions.tmp")] as
  | ((path: unknown) => unknown)
  | undefined;

/** Functions that take one path, and those that take two. */
const ONE = [
  "access", "appendFile", "chmod", "chown", "lchown", "lstat", "lutimes", "mkdir", "mkdtemp", "open", "opendir", "readFile",
  "readdir", "readlink", "realpath", "rm", "rmdir", "stat", "truncate", "unlink", "utimes", "writeFile",
];
const TWO = ["copyFile", "cp", "link", "rename", "symlink"];
const ALONE = ["createReadStream", "createWriteStream", "existsSync", "exists", "watch", "watchFile", "unwatchFile"];

const all = fs as unknown as Record<string, Any>;
const ours: Record<string, Any> = {};
const changed = (act: Any, paths: number, meant: (path: unknown) => unknown): Any => {
  const other: Any = (...args) => {
    for (let index = 0; index < paths; index++) args[index] = meant(args[index]);
    return act(...args);
  };
  // Some have functions on them that take the same paths: `native`, and the form that `util.promisify` gives.
  for (const key of Reflect.ownKeys(act)) {
    const property = Object.getOwnPropertyDescriptor(act, key);
    if (!property || key === "prototype") continue;
    const { value } = property;
    if (typeof value === "function") property.value = changed(value as Any, paths, meant);
    Object.defineProperty(other, key, property);
  }
  return other;
};
const define = (name: string, paths: number) => {
  const act = all[name];
  if (act && meant) ours[name] = changed(act, paths, meant);
};
for (const name of ONE) [name, name + "Sync"].forEach((name) => define(name, 1));
for (const name of TWO) [name, name + "Sync"].forEach((name) => define(name, 2));
for (const name of ALONE) define(name, 1);

const whole = { ...all.default, ...all, ...ours, promises } as unknown as typeof fs;

export * from "node:fs";
export const {
  access, accessSync, appendFile, appendFileSync, chmod, chmodSync, chown, chownSync, copyFile, copyFileSync, cp,
  cpSync, createReadStream, createWriteStream, exists, existsSync, lchown, lchownSync, link, linkSync, lstat,
  lstatSync, lutimes, lutimesSync, mkdir, mkdirSync, mkdtemp, mkdtempSync, open, opendir, opendirSync, openSync,
  readdir, readdirSync, readFile, readFileSync, readlink, readlinkSync, realpath, realpathSync, rename, renameSync, rm,
  rmdir, rmdirSync, rmSync, stat, statSync, symlink, symlinkSync, truncate, truncateSync, unlink,
  unlinkSync, unwatchFile, utimes, utimesSync, watch, watchFile, writeFile, writeFileSync,
} = whole;
export { promises };
export default whole;
