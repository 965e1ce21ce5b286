// The two servers, each with a database, a mailbox and a receiver of its own, and the same settings.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

import pg from 'pg';

import { freePort, until } from '../harness.mjs';
import { Mailbox } from './mailbox.mjs';
import { Receiver } from './receiver.mjs';

// Rows are compared as text.
const types = { getTypeParser: () => (text) => text };
const superuser = new URL(process.env.NILAM_TEST_DATABASE_URL);

async function connect(database) {
  const url = new URL(superuser);
  url.pathname = `/${database}`;
  const client = new pg.Client({ connectionString: url.href, types });
  await client.connect();
  return client;
}

function urlOf(database) {
  const url = new URL(superuser);
  url.pathname = `/${database}`;
  url.username = 'supabase_auth_admin';
  url.password = 'differential';
  return url.href;
}

async function roles(client) {
  await client.query(`do $$ declare name text; begin
    for name in select unnest(array['anon', 'authenticated', 'service_role', 'postgres', 'supabase_auth_admin'])
    loop
      if not exists (select from pg_roles where rolname = name) then
        execute format('create role %I login noinherit createrole password ''differential''', name);
      end if;
    end loop;
    alter role supabase_auth_admin login password 'differential';
    alter role supabase_auth_admin set search_path = auth;
  end $$`);
}

function run(program, args, env) {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output.push(chunk.toString());
      if (output.length > 400) output.shift();
    });
  child.transcript = () => output.join('');
  return child;
}

/** One of the two servers. */
export class Server {
  constructor(name, program) {
    Object.assign(this, { name, program, template: `${name}_template` });
  }

  /** Migrates a database that those of the profiles are copies of. */
  async prepare(baseSettings) {
    const admin = await connect('postgres');
    await roles(admin);
    await admin.query(`create database ${this.template}`);
    const client = await connect(this.template);
    await client.query('create schema auth authorization supabase_auth_admin');
    await client.query('create schema hooks; grant usage on schema hooks to public');
    await client.query(`grant create on database ${this.template} to supabase_auth_admin`);
    await client.end();
    const child = run(this.program, ['migrate'], this.#environment(baseSettings, this.template, 0));
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${this.name} does not migrate:\n${child.transcript()}`);
    const migrated = await connect(this.template);
    const found = await migrated.query(
      `select tablename from pg_tables where schemaname = 'auth' order by 1`,
    );
    this.tables = found.rows.map(({ tablename }) => tablename).filter((name) => name !== 'schema_migrations');
    await migrated.end();
    await admin.end();
    return this;
  }

  #environment(settings, database, port) {
    return {
      GOTRUE_DB_DRIVER: 'postgres',
      DATABASE_URL: urlOf(database),
      GOTRUE_DB_DATABASE_URL: urlOf(database),
      GOTRUE_API_HOST: '127.0.0.1',
      GOTRUE_API_PORT: String(port),
      PORT: String(port),
      GOTRUE_SMTP_HOST: '127.0.0.1',
      GOTRUE_SMTP_PORT: String(this.mailbox?.port ?? 25),
      GOTRUE_LOG_LEVEL: 'info',
      LOG_LEVEL: 'info',
      ...settings,
    };
  }

  /** Serves a profile from a fresh copy of the database. `{receiver}` in a setting is the receiver's address. */
  async start(profile, settings, sql) {
    this.mailbox = await new Mailbox().listen();
    this.receiver = await new Receiver().listen();
    const database = `${this.name}_${profile}`.replaceAll('-', '_');
    const admin = await connect('postgres');
    await admin.query(`create database ${database} template ${this.template}`);
    await admin.end();
    this.database = await connect(database);
    this.database.on('error', () => {});
    if (sql) await this.database.query(sql);
    const filled = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [
        name,
        value.replaceAll('{receiver}', this.receiver.url),
      ]),
    );
    this.served = [filled, database];
    await this.#serve();
  }

  async #serve() {
    this.port = await freePort();
    const environment = this.#environment(...this.served, this.port);
    this.child = run(this.program, ['serve'], environment);
    await until(
      `${this.name} on ${this.served[1]}`,
      async () => {
        if (this.child.exitCode !== null) throw new Error(this.child.transcript());
        return (await fetch(`http://127.0.0.1:${this.port}/health`)).ok;
      },
      20_000,
    );
  }

  /** Another program takes over, on the same database with the same settings, after its own migrations. */
  async handOver(program) {
    await this.#end();
    this.program = program;
    const child = run(program, ['migrate'], this.#environment(...this.served, 0));
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`${program} does not migrate:\n${child.transcript()}`);
    await this.#serve();
  }

  async #end() {
    if (this.child && this.child.exitCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill();
      const patience = setTimeout(() => this.child.kill('SIGKILL'), 3000);
      await ended;
      clearTimeout(patience);
    }
  }

  async stop() {
    await this.#end();
    this.mailbox?.close();
    this.receiver?.close();
    await this.database?.end();
  }

  /** The template, as a superuser sees it. */
  templateUrl() {
    const url = new URL(superuser);
    url.pathname = `/${this.template}`;
    return url.href;
  }

  /** Removes the server's databases. */
  async drop() {
    const admin = await connect('postgres');
    for (const database of [this.served?.[1], this.template])
      if (database) await admin.query(`drop database if exists ${database} with (force)`);
    await admin.end();
  }

  /** Empties all tables. */
  async reset() {
    await this.database.query(`truncate ${this.tables.map((name) => `auth.${name}`).join(', ')} cascade`);
    this.mailbox.empty();
    this.receiver.empty();
  }

  /** The rows of all tables that have some, by table. */
  async rows() {
    const rows = {};
    for (const table of this.tables.filter((name) => name !== 'rate_limit_buckets')) {
      const found = await this.database.query(`select * from auth.${table}`);
      if (found.rows.length > 0) rows[table] = found.rows;
    }
    return rows;
  }
}
