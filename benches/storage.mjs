// storage-svc beside nginx, which serves the same bytes from disk, beside sharp for images, and beside storage-api.
// STORAGE_API_DIR is a built checkout of storage-api (STORAGE_API_NODE its Node.js); without it the figures stand beside
// the anchors alone. `with-postgres` gives the server.
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { residentMb } from './processes.mjs';
import * as servers from './servers.mjs';
import { keep } from './summary.mjs';
import { connections, freePort, jwt, median, postmasterOf, psql, rounds, run, seconds } from './servers.mjs';

const here = import.meta.dirname;
const secret = 'a secret for the bench alone, 32 bytes or more';
const token = jwt(secret, { role: 'service_role', exp: Math.floor(Date.now() / 1000) + 86_400 });
const storageApi = process.env.STORAGE_API_DIR && resolve(process.env.STORAGE_API_DIR);
const scratch = await mkdtemp(join(tmpdir(), 'bench-'));
await chmod(scratch, 0o755);

/** CPU milliseconds per request of the original and of Postgres, measured one request at a time. */
const ANCHORS = {
  'get-1k': [1.8, 0.85],
  'get-1m': [9.4, 1.0],
  'list-1000': [14.3, 8.4],
  sign: [0.47, 0.3],
  'post-1k': [2.0, 1.75],
  'post-1m': [11.4, 2.3],
};
const STATIC = { 'get-1k': 'static-1k', 'get-1m': 'static-1m' };

async function database(name) {
  const url = new URL(process.env.NILAM_TEST_DATABASE_URL);
  await psql('-d', url.href, '-c', `create database ${name}`);
  url.pathname = `/${name}`;
  await run('target/release/standalone', ['migrate', '--database-url', url.href, '--seed', 'none']);
  return url.href;
}

function settings(url, port, folder) {
  const owner = new URL(url);
  owner.username = 'supabase_storage_admin';
  return {
    PATH: process.env.PATH,
    SERVER_HOST: '127.0.0.1',
    SERVER_PORT: String(port),
    DATABASE_URL: owner.href,
    PGRST_JWT_SECRET: secret,
    AUTH_JWT_SECRET: secret,
    FILE_SIZE_LIMIT: String(1 << 30),
    STORAGE_BACKEND: 'file',
    FILE_STORAGE_BACKEND_PATH: folder,
    GLOBAL_S3_BUCKET: 'blobs',
    TENANT_ID: 'bench',
    REGION: 'local',
    ENABLE_IMAGE_TRANSFORMATION: 'true',
    // What is measured is making an image, not finding one.
    IMAGE_TRANSFORMATION_CACHE_SIZE: '0',
    LOG_LEVEL: 'error',
    RUST_LOG: 'error',
    NODE_ENV: 'production',
  };
}

async function start(name, program, args, cwd) {
  const [port, url] = [await freePort(), await database(name.replaceAll('-', '_'))];
  const folder = join(scratch, name);
  await mkdir(folder);
  const base = `http://127.0.0.1:${port}`;
  const answers = async () => (await fetch(`${base}/status`)).ok;
  const options = { env: settings(url, port, folder), cwd, stdio: 'ignore' };
  const server = await servers.start(name, program, args, options, answers);
  const storage = { ...server, base, url, idle: residentMb(server.child.pid) };
  await fill(storage);
  return storage;
}

async function send(server, method, path, body, type = 'application/octet-stream') {
  const headers = { authorization: `Bearer ${token}`, 'content-type': type };
  const answer = await fetch(server.base + path, { method, headers, body });
  if (!answer.ok) throw new Error(`${server.name}: ${path}: ${await answer.text()}`);
}

async function fill(server) {
  await send(server, 'POST', '/bucket', '{"name":"bench","public":true}', 'application/json');
  for (const [name, content] of Object.entries(files)) {
    const type = name.endsWith('.jpg') ? 'image/jpeg' : 'text/plain';
    await send(server, 'POST', `/object/bench/${name}`, content, type);
  }
  // Rows are enough for a list.
  await psql('-d', server.url, '-f', join(here, 'storage/many.sql'));
}

async function nginx() {
  const [port, folder] = [await freePort(), join(scratch, 'nginx')];
  await mkdir(folder);
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const config = join(scratch, 'nginx.conf');
  await writeFile(
    config,
    `daemon off; master_process off; pid ${scratch}/nginx.pid; error_log /dev/null;
    events { worker_connections 1024; }
    http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000; default_type text/plain; etag on;
      client_body_temp_path ${scratch}/b; proxy_temp_path ${scratch}/p; fastcgi_temp_path ${scratch}/f;
      uwsgi_temp_path ${scratch}/u; scgi_temp_path ${scratch}/s;
      server { listen 127.0.0.1:${port}; root ${folder}; } }`,
  );
  const base = `http://127.0.0.1:${port}`;
  const answers = async () => (await fetch(`${base}/1k.txt`)).ok;
  const server = await servers.start('nginx', 'nginx', ['-c', config], { stdio: 'ignore' }, answers);
  return { ...server, base };
}

let count = 0;
async function load(request, server, postmaster) {
  count += 1;
  const env = { REQUEST: request, BASE: '', TOKEN: token, RUN: String(count) };
  const figures = await servers.load(`${here}/storage/requests.lua`, server.base, env, server, postmaster);
  if (figures.failed > 0) throw new Error(`${server.name}, ${request}: ${figures.failed} failed`);
  return figures;
}

/** A photograph as far as decoders and encoders care: 12 megapixels of slow changes and fine noise. */
async function photograph(sharp) {
  const [width, height] = [4000, 3000];
  const pixels = Buffer.alloc(width * height * 3);
  let state = 1;
  for (let index = 0; index < pixels.length; index += 3) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const [x, y] = [(index / 3) % width, Math.floor(index / 3 / width)];
    const noise = (state >> 16) % 24;
    pixels[index] = (x / width) * 200 + noise;
    pixels[index + 1] = (y / height) * 200 + noise;
    pixels[index + 2] = 120 + 60 * Math.sin((x + y) / 90) + noise;
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 88 })
    .toBuffer();
}

/** Best of several, one core each: milliseconds of sharp and of our library for the same image. */
async function images(sharp, photo) {
  const path = join(scratch, 'photo.jpg');
  await writeFile(path, photo);
  sharp.concurrency(1);
  sharp.cache(false);
  const formats = {
    origin: (image) => image.jpeg({ quality: 80 }),
    webp: (image) => image.webp({ quality: 80 }),
    avif: (image) => image.avif({ quality: 65, effort: 2 }),
  };
  const theirs = {};
  for (const [name, encode] of Object.entries(formats)) {
    const times = [];
    for (let round = 0; round < 7; round += 1) {
      const begin = performance.now();
      await encode(sharp(photo).resize(640)).toBuffer();
      times.push(performance.now() - begin);
    }
    theirs[name] = Math.min(...times);
  }
  const { stdout } = await run('target/release/examples/transform', [path]);
  const rows = stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [, name, ours] = line.match(/-> (\w+): ([\d.]+) ms/);
      return [name, ours, theirs[name].toFixed(1), `${(ours / theirs[name]).toFixed(2)} ×`];
    });
  for (const [name, ours] of rows)
    lines.push({
      what: `12 MP JPEG to 640 px, ${name}`,
      unit: 'ms',
      ours: Number(ours),
      beside: 'sharp',
      theirs: theirs[name],
      ratio: ours / theirs[name],
    });
  servers.print(['12 MP JPEG to 640 px', 'ours ms', 'sharp ms', 'of sharp'], rows);
}

function row(request, server, runs, limits) {
  const of = (key) => median(runs.map((each) => each[key]));
  const [own, database] = [of('ownMicros') / 1000, of('postgresMicros') / 1000];
  const anchor = ANCHORS[request];
  const times = (value, known) => (anchor ? `${(known / value).toFixed(1)} ×` : '');
  const limit = limits && median(runs.map((each, index) => each.perSecond / limits[index].perSecond));
  return [
    request,
    server.name,
    of('perSecond').toFixed(0),
    limit ? `${(100 * limit).toFixed(0)} %` : '',
    of('p50').toFixed(1),
    of('p99').toFixed(1),
    own.toFixed(3),
    times(own, anchor?.[0]),
    database.toFixed(3),
    times(database, anchor?.[1]),
    of('memory').toFixed(0),
  ];
}

/** What storage-svc comes to for a request: CPU beside the anchor, requests beside nginx. */
function conclude(request, runs, limits) {
  const of = (key) => median(runs.map((each) => each[key]));
  const line = { what: `${request}, req/s`, unit: 'req/s', ours: of('perSecond') };
  if (limits.length > 0) {
    const ratio = median(runs.map((each, index) => each.perSecond / limits[index].perSecond));
    const target = request === 'get-1m' ? { of: 'ratio', least: 0.6 } : undefined;
    const theirs = median(limits.map((each) => each.perSecond));
    Object.assign(line, { beside: 'nginx', theirs, ratio, target });
  }
  lines.push(line);
  if (!ANCHORS[request]) return;
  for (const [who, key, index] of [
    ['own', 'ownMicros', 0],
    ['Postgres', 'postgresMicros', 1],
  ]) {
    const [ours, theirs] = [of(key) / 1000, ANCHORS[request][index]];
    const target = index === 0 ? { of: 'ratio', most: 0.2 } : undefined;
    const unit = `ms ${who} CPU`;
    lines.push({
      what: `${request}, ${unit}`,
      unit,
      ours,
      beside: 'anchor',
      theirs,
      ratio: ours / theirs,
      target,
    });
  }
}

const lines = [];
let files;
const started = [];

async function main() {
  const sharp = createRequire(resolve('target/lite/package.json'))('sharp');
  const photo = await photograph(sharp);
  files = { '1k.txt': Buffer.alloc(1024, 'x'), '1m.bin': Buffer.alloc(1 << 20, 'x'), 'photo.jpg': photo };
  if (!process.env.BENCH_SKIP_IMAGES) await images(sharp, photo);
  const web = await nginx();
  started.push(web);
  const measured = [];
  if (storageApi) {
    const node = process.env.STORAGE_API_NODE ?? process.execPath;
    measured.push(await start('storage-api', node, ['dist/start/server.js'], storageApi));
    started.push(measured.at(-1));
  }
  measured.push(await start('storage-svc', resolve('target/release/storage-svc'), [], scratch));
  started.push(measured.at(-1));
  const postmaster = await postmasterOf(measured[0].url);
  const table = [];
  for (const request of [...Object.keys(ANCHORS), 'transform']) {
    const limits = [];
    const runs = measured.map(() => []);
    for (let round = 0; round < rounds; round += 1) {
      if (STATIC[request]) limits.push(await load(STATIC[request], web, postmaster));
      for (const [index, server] of measured.entries()) {
        if (request === 'transform' && server.name === 'storage-api') continue;
        runs[index].push(await load(request, server, postmaster));
      }
    }
    conclude(request, runs.at(-1), limits);
    for (const [index, server] of measured.entries())
      if (runs[index].length > 0) table.push(row(request, server, runs[index], STATIC[request] && limits));
  }
  console.log();
  servers.print(
    ['request', 'server', 'req/s', 'of nginx', 'p50 ms', 'p99 ms', 'own CPU ms', 'anchor is'].concat([
      'Postgres CPU ms',
      'anchor is',
      'MB',
    ]),
    table,
  );
  await keep('storage', lines);
  const idle = measured.map((server) => `${server.name} ${server.idle.toFixed(0)} MB`).join(', ');
  console.log(`\n${connections} connections, median of ${rounds} × ${seconds} s; idle: ${idle}`);
}

try {
  await main();
} finally {
  await Promise.all(started.map(({ child }) => servers.end(child)));
  await rm(scratch, { recursive: true });
}
