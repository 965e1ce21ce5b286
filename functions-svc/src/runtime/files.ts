// `/tmp`, which is a folder of this process alone.
//
// Paths that begin with it are changed on their way in, wherever Deno's own functions take one; stand-ins for `node:fs`
// do the same. What finds its folder by TMPDIR needs none of this.

type Any = (...args: unknown[]) => unknown;

/** The arguments that are paths, by the names of Deno's functions, which also come with `Sync` behind them. */
const PATHS: Record<string, number[]> = {
  chmod: [0],
  chown: [0],
  copyFile: [0, 1],
  create: [0],
  link: [0, 1],
  lstat: [0],
  mkdir: [0],
  open: [0],
  readDir: [0],
  readFile: [0],
  readLink: [0],
  readTextFile: [0],
  realPath: [0],
  remove: [0],
  rename: [0, 1],
  stat: [0],
  symlink: [0, 1],
  truncate: [0],
  utime: [0],
  watchFs: [0],
  writeFile: [0],
  writeTextFile: [0],
};

/** Says which path is meant; the stand-ins, of which a bundle has its own copies, find it under this name. */
const MEANT = Symbol.for("functions.tmp");

/** Gives `/tmp` a meaning. `others` are folders within the real one that mean themselves. */
export function defineTmp(folder: string, others: string[]) {
  const isIn = (path: string, parent: string) => path === parent || path.startsWith(parent + "/");
  const meant = (path: unknown): unknown => {
    if (Array.isArray(path)) return path.map(meant);
    if (path instanceof URL && path.protocol === "file:") {
      const text = decodeURIComponent(path.pathname);
      const other = meant(text);
      return other === text ? path : other;
    }
    if (typeof path !== "string" || !isIn(path, "/tmp")) return path;
    if (isIn(path, folder) || others.some((other) => isIn(path, other))) return path;
    return folder + path.slice("/tmp".length);
  };
  const deno = Deno as unknown as Record<string, Any>;
  for (const [base, at] of Object.entries(PATHS)) {
    for (const name of [base, base + "Sync"]) {
      const act = deno[name];
      if (!act) continue;
      deno[name] = (...args) => {
        for (const index of at) args[index] = meant(args[index]);
        return act(...args);
      };
    }
  }
  for (const name of ["makeTempDir", "makeTempDirSync", "makeTempFile", "makeTempFileSync"]) {
    const act = deno[name];
    deno[name] = (options) => {
      const { dir, ...rest } = (options ?? {}) as { dir?: string };
      return act({ ...rest, dir: meant(dir ?? folder) });
    };
  }
  Object.defineProperty(globalThis, MEANT, { value: meant });
}
