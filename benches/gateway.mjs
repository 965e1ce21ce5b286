// The gateway beside nginx, as proxies in front of the same service, with the same work: a key is looked up and becomes a
// token, headers are added and removed, a line is logged. BENCH_ROUNDS (3), BENCH_SECONDS (4), BENCH_CONNECTIONS (16).
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

import { cpuSeconds, residentMb } from './processes.mjs';
import * as servers from './servers.mjs';
import { keep } from './summary.mjs';
import { connections, freePort, median, rounds, run, seconds } from './servers.mjs';

const here = import.meta.dirname;
const key = 'sb_publishable_bench';
const token = `eyJhbGciOiJIUzI1NiJ9.${'a'.repeat(120)}.${'b'.repeat(43)}`;
const REQUESTS = ['get', 'post', 'large', 'compressed'];
const scratch = await mkdtemp(join(tmpdir(), 'bench-'));
await chmod(scratch, 0o755);

const temporary = (name) =>
  ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${scratch}/${name}-${kind};`)
    .join('\n');

async function nginx(name, workers, port, http) {
  const config = join(scratch, `${name}.conf`);
  await writeFile(
    config,
    `daemon off; worker_processes ${workers}; pid ${scratch}/${name}.pid; error_log /dev/null;
    events { worker_connections 4096; }
    http { ${temporary(name)} keepalive_requests 100000000; tcp_nodelay on; default_type application/json; ${http} }`,
  );
  const answers = async () => (await fetch(`http://127.0.0.1:${port}/`)).status > 0;
  return servers.start(name, 'nginx', ['-c', config], { stdio: 'ignore' }, answers);
}

const place = (id) => ({
  id,
  name: `A place to work, number ${id}`,
  city: 'Chennai',
  price: (id * 7919) % 90_000,
});

/** What both stand in front of: an answer of a kilobyte, one of a hundred, and a list of twenty that goes out compressed. */
async function service() {
  const port = await freePort();
  await writeFile(join(scratch, 'large'), Buffer.alloc(100 * 1024, 'x'));
  const rows = (length) => JSON.stringify(Array.from({ length }, (_, id) => place(id)));
  await writeFile(join(scratch, 'list'), rows(250));
  const http = `access_log off; sendfile on;
    server { listen 127.0.0.1:${port}; root ${scratch};
      location / { add_header Content-Range 0-11/*; return 200 '${rows(12)}'; }
      location = /large { }
      location = /list { } }`;
  return { ...(await nginx('service', 1, port, http)), port };
}

async function peer(upstream) {
  const port = await freePort();
  const http = `log_format own '$remote_addr - - [$time_local] "$request_method $uri $server_protocol" $status $body_bytes_sent "$http_user_agent" $request_time $request_id';
    access_log ${scratch}/nginx.log own buffer=32k flush=1s;
    gzip on; gzip_types application/json; gzip_comp_level 1; gzip_proxied any; gzip_min_length 1400;
    map $http_apikey $bearer { default ''; '${key}' 'Bearer ${token}'; }
    upstream rest { server 127.0.0.1:${upstream}; keepalive 64; keepalive_requests 100000000; }
    server { listen 127.0.0.1:${port}; client_max_body_size 50m;
      location /rest/v1/ {
        if ($bearer = '') { return 401; }
        proxy_pass http://rest/; proxy_http_version 1.1;
        proxy_set_header Connection ''; proxy_set_header Authorization $bearer;
        proxy_set_header X-Forwarded-For $remote_addr; proxy_set_header X-Real-IP $remote_addr;
        proxy_set_header X-Forwarded-Proto $scheme; proxy_set_header X-Forwarded-Host $http_host;
        proxy_set_header X-Forwarded-Port $server_port; proxy_set_header X-Forwarded-Prefix /rest/v1;
        proxy_set_header sb-request-id $request_id;
        add_header Access-Control-Allow-Origin * always;
        add_header Access-Control-Expose-Headers 'Content-Range, Content-Location, Location, ETag, Link' always;
        add_header sb-request-id $request_id always;
      } }`;
  const server = await nginx('nginx', cpus().length, port, http);
  return { ...server, url: `http://127.0.0.1:${port}` };
}

async function ours(upstream) {
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    GATEWAY_HOST: '127.0.0.1',
    GATEWAY_PORT: String(port),
    GATEWAY_ACCESS_LOG: join(scratch, 'gateway.log'),
    ANON_KEY: token,
    SERVICE_ROLE_KEY: `${token}.service`,
    SUPABASE_PUBLISHABLE_KEY: key,
    SUPABASE_SECRET_KEY: 'sb_secret_bench',
    REST_URL: `http://127.0.0.1:${upstream}`,
  };
  const url = `http://127.0.0.1:${port}`;
  const answers = async () => (await fetch(`${url}/rest/v1/x`, { headers: { apikey: key } })).ok;
  const program = resolve(process.env.BENCH_GATEWAY ?? 'target/release/gateway');
  return { ...(await servers.start('gateway', program, [], { env, stdio: 'ignore' }, answers)), url };
}

async function load(request, server) {
  const before = cpuSeconds(server.child.pid);
  const { stdout } = await run(
    'wrk',
    ['-t2', `-c${connections}`, `-d${seconds}s`, '-s', `${here}/gateway/requests.lua`, server.url],
    { env: { ...process.env, REQUEST: request, API_KEY: key } },
  );
  const figures = JSON.parse(stdout.trim().split('\n').at(-1));
  if (figures.failed > 0) throw new Error(`${server.name}, ${request}: ${figures.failed} failed`);
  const micros = ((cpuSeconds(server.child.pid) - before) / figures.requests) * 1e6;
  return { ...figures, perSecond: figures.requests / figures.seconds, micros };
}

const started = [];
try {
  const behind = await service();
  started.push(behind);
  const measured = [await peer(behind.port)];
  started.push(measured[0]);
  measured.push(await ours(behind.port));
  started.push(measured[1]);
  const table = [];
  const lines = [];
  for (const request of REQUESTS) {
    const runs = [[], []];
    for (let round = 0; round < rounds; round += 1)
      for (const [index, server] of measured.entries()) runs[index].push(await load(request, server));
    for (const [index, server] of measured.entries()) {
      const of = (name) => median(runs[index].map((each) => each[name]));
      const share = median(runs[index].map((each, round) => each.perSecond / runs[0][round].perSecond));
      const slower = median(runs[index].map((each, round) => each.p99 / runs[0][round].p99));
      const verdict = index === 0 ? '' : share >= 0.75 && slower <= 2 ? 'reached' : 'missed';
      if (index > 0)
        for (const [unit, key, ratio, target] of [
          ['req/s', 'perSecond', share, { of: 'ratio', least: 0.75 }],
          ['ms p99', 'p99', slower, { of: 'ratio', most: 2 }],
        ])
          lines.push({
            what: `${request}, ${unit}`,
            unit,
            ours: of(key),
            beside: 'nginx',
            theirs: median(runs[0].map((each) => each[key])),
            ratio,
            target,
          });
      table.push([
        request,
        server.name,
        of('perSecond').toFixed(0),
        `${(100 * share).toFixed(0)} %`,
        of('p50').toFixed(2),
        of('p99').toFixed(2),
        `${slower.toFixed(2)} ×`,
        of('micros').toFixed(1),
        residentMb(server.child.pid).toFixed(0),
        verdict,
      ]);
    }
  }
  await keep('gateway', lines);
  servers.print(
    ['request', 'proxy', 'req/s', 'of nginx', 'p50 ms', 'p99 ms', 'p99 of nginx', 'own CPU µs', 'MB'].concat(
      '≥ 75 %, p99 ≤ 2 ×',
    ),
    table,
  );
  console.log(`\n${connections} connections, median of ${rounds} × ${seconds} s; ${cpus().length} cores.`);
} finally {
  for (const { child } of started.reverse()) await servers.end(child);
  await rm(scratch, { recursive: true, force: true });
}
