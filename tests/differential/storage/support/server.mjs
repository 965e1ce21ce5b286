// storage-api or storage-svc: a process with a database and a folder of blobs of its own.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

import pg from 'pg';

import { freePort, root, until } from '../../../harness.mjs';
import { TABLES } from './rows.mjs';

// Rows are compared as text.
const types = { getTypeParser: () => (text) => text };
const ROLE = 'supabase_storage_admin';

export function databaseUrl(database, role, password = 'postgres') {
  const url = new URL(process.env.NILAM_TEST_DATABASE_URL);
  url.pathname = `/${database}`;
  if (role) Object.assign(url, { username: role, password });
  return url.href;
}

export async function connect(database) {
  const client = new pg.Client({ connectionString: databaseUrl(database), types });
  await client.connect();
  return client;
}

/** Makes what every database of the platform has: roles, schemas, extensions. */
export async function prepareTemplate(database) {
  const admin = await connect('postgres');
  await admin.query(`create database ${database}`);
  await admin.end();
  const client = await connect(database);
  const folder = path.join(root, 'sql/platform/base');
  for (const file of (await readdir(folder)).sort())
    await client.query(`begin;\n${await readFile(path.join(folder, file), 'utf8')};\ncommit`);
  // What policies of projects call; auth-svc makes it elsewhere.
  await client.query(`create function auth.uid() returns uuid stable language sql as
    $$ select nullif(current_setting('request.jwt.claims', true)::jsonb ->> 'sub', '')::uuid $$`);
  await client.end();
}

export class Server {
  /** `command` is the program with its arguments, `cwd` the folder it runs in. */
  constructor(name, { command, cwd }) {
    Object.assign(this, { name, command, cwd });
  }

  /** Serves from a copy of the template; the program migrates it when it starts. */
  async start(profile, settings, template) {
    this.databaseName = `${this.name}_${profile}`;
    const admin = await connect('postgres');
    await admin.query(`create database ${this.databaseName} template ${template}`);
    await admin.end();
    this.folder = await mkdtemp(path.join(tmpdir(), `storage-${this.name}-`));
    await this.#serve(settings);
    this.database = await connect(this.databaseName);
    this.database.on('error', () => {});
  }

  async #serve(settings) {
    this.settings = settings;
    this.port = await freePort();
    this.#spawn(settings);
    await until(
      `${this.command.join(' ')} on ${this.databaseName}`,
      async () => {
        if (this.child.exitCode !== null) throw new Error(this.log());
        return (await fetch(`http://127.0.0.1:${this.port}/status`)).ok;
      },
      60_000,
    );
  }

  /** Another program takes over, on the same database and folder with the same settings. */
  async handOver({ command, cwd }) {
    await this.#end();
    Object.assign(this, { command, cwd });
    await this.#serve(this.settings);
  }

  #spawn(settings) {
    const [program, ...args] = this.command;
    this.child = spawn(program, args, {
      cwd: this.cwd,
      env: {
        PATH: process.env.PATH,
        DATABASE_URL: databaseUrl(this.databaseName, ROLE),
        SERVER_HOST: '127.0.0.1',
        SERVER_PORT: String(this.port),
        STORAGE_BACKEND: 'file',
        STORAGE_FILE_BACKEND_PATH: this.folder,
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = [];
    for (const stream of [this.child.stdout, this.child.stderr])
      stream.on('data', (chunk) => {
        output.push(chunk.toString());
        if (output.length > 400) output.shift();
      });
    this.log = () => output.join('');
  }

  /** The database, as a superuser sees it. */
  url() {
    return databaseUrl(this.databaseName);
  }

  /** Empties tables and folder, and takes policies away. */
  async reset() {
    const { rows } = await this.database.query(
      `select format('drop policy %I on storage.%I', policyname, tablename) as statement
       from pg_policies where schemaname = 'storage'`,
    );
    const statements = rows.map(({ statement }) => statement);
    statements.push('truncate storage.buckets, storage.objects, storage.s3_multipart_uploads cascade');
    await this.database.query(statements.join(';'));
    for (const name of await readdir(this.folder))
      await rm(path.join(this.folder, name), { recursive: true, force: true });
  }

  /** The rows of the tables that have some. */
  async rows() {
    const rows = {};
    for (const table of TABLES) {
      const found = await this.database.query(`select * from storage.${table}`);
      if (found.rows.length > 0) rows[table] = found.rows;
    }
    return rows;
  }

  async #end() {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.kill();
    const patience = setTimeout(() => this.child.kill('SIGKILL'), 3000);
    await ended;
    clearTimeout(patience);
  }

  async stop() {
    if (!this.child) return;
    await this.#end();
    await this.database?.end();
    await rm(this.folder, { recursive: true, force: true });
    this.child = undefined;
  }
}
