// Every cell of policies.json against a migrated and seeded database, in transactions that are rolled back.
// DATABASE_URL=postgres://… node --test policies.test.mjs
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import pg from "pg";

const { tables } = JSON.parse(
  readFileSync(new URL("policies.json", import.meta.url), "utf8"),
);
const STRANGER = "00000000-0000-4000-8000-00000000aaaa";
const BYSTANDER = "00000000-0000-4000-8000-00000000bbbb";

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
const people = {};

const one = async (sql, values) =>
  Object.values((await client.query(sql, values)).rows[0])[0];
const idOf = (email) =>
  one("select id from auth.users where email = $1", [email]);

before(async () => {
  await client.connect();
  people.owner = await idOf("owner@demo.example.com");
  people.other = await idOf("owner2@demo.example.com");
  people.admin = await idOf("admin@demo.example.com");
  people.stranger = STRANGER;
});
after(() => client.end());

/** Rows that the seed does not have but that every cell needs, so that no expectation is met by an empty table. */
async function furnish() {
  await client.query(
    `insert into auth.users (id, aud, role, raw_app_meta_data, raw_user_meta_data)
     values ($1, 'authenticated', 'authenticated', '{}', '{}'), ($2, 'authenticated', 'authenticated', '{}', '{}')`,
    [STRANGER, BYSTANDER],
  );
  const listing = await one(
    "select id from public.properties where owner_id = $1 and status = 'active' order by id limit 1",
    [people.other],
  );
  const draft = await one(
    "insert into public.properties (owner_id, intent, property_type) values ($1, 'lease', 'office') returning id",
    [people.owner],
  );
  const space = await one(
    "select id from public.coworking_space where active order by id limit 1",
  );
  for (const person of [people.owner, people.other]) {
    await client.query(
      "insert into public.shortlists (user_id, property_id) values ($1, $2) on conflict do nothing",
      [person, listing],
    );
    await client.query(
      "insert into public.property_views (user_id, property_id) values ($1, $2) on conflict do nothing",
      [person, listing],
    );
    await client.query(
      "insert into public.saved_searches (user_id, name, query) values ($1, 'x', '{}')",
      [person],
    );
    await client.query(
      "insert into public.account_deletions (user_id) values ($1)",
      [person],
    );
    await client.query(
      "insert into public.reports (property_id, reporter, reason) values ($1, $2, 'Wrong price')",
      [listing, person],
    );
  }
  for (const property of [listing, draft]) {
    await client.query(
      `insert into public.moderation_events (property_id, "to") values ($1, 'pending')`,
      [property],
    );
    await client.query(
      "insert into public.property_images (property_id, url) values ($1, '/x.webp')",
      [property],
    );
  }
  await client.query(
    "insert into public.contact_messages (name, email, message) values ('x', 'x@example.com', 'x')",
  );
  await client.query(
    "insert into public.enquiries (property_id, sender_id, name, message) values ($1, $2, 'x', 'A long enough message.')",
    [listing, people.owner],
  );
  return { listing, draft, space };
}

const quoted = (value) => (value ? `'${value}'::uuid` : "null::uuid");

async function inTransaction(role, body) {
  await client.query("begin");
  try {
    const places = await furnish();
    const caller = people[role];
    const fill = (sql) =>
      sql.replace(
        /:(caller|other|owner|listing|draft|space|bystander)\b/g,
        (_, name) =>
          quoted({ caller, ...people, ...places, bystander: BYSTANDER }[name]),
      );
    const become = async () => {
      const claims =
        role === "anon"
          ? { role: "anon" }
          : {
              role: "authenticated",
              sub: caller,
              app_metadata: role === "admin" ? { role: "admin" } : {},
            };
      await client.query("select set_config('request.jwt.claims', $1, true)", [
        JSON.stringify(claims),
      ]);
      await client.query(
        `set local role ${role === "anon" ? "anon" : "authenticated"}`,
      );
    };
    await body({ fill, become });
  } finally {
    await client.query("rollback");
  }
}

const refused = (error) => error.code === "42501";

for (const [table, { touch, rows, insert, cells, clear }] of Object.entries(
  tables,
)) {
  for (const [role, verbs] of Object.entries(cells)) {
    for (const [verb, expected] of Object.entries(verbs)) {
      test(`${table}: ${role} ${verb} → ${expected}`, async () => {
        const run = (sql) =>
          inTransaction(role, async ({ fill, become }) => {
            // Samples must not fall over a row that is there already.
            if (clear && verb === "insert")
              await client.query(`delete from public.${table}`);
            await become();
            await client.query(fill(sql));
          });

        if (verb === "insert") {
          const into = (sample) =>
            `insert into public.${table} ${insert[sample]}`;
          if (expected === "denied") {
            await assert.rejects(run(into(Object.keys(insert)[0])), refused);
          } else {
            await run(into(expected));
          }
          if (expected === "own")
            await assert.rejects(run(into("foreign")), refused);
          return;
        }

        const statement = {
          select: `select * from public.${table}`,
          update: `update public.${table} set ${touch} = ${touch}`,
          delete: `delete from public.${table}`,
        }[verb];
        if (expected === "denied") {
          await assert.rejects(run(statement), refused);
          return;
        }
        await inTransaction(role, async ({ fill, become }) => {
          assert.ok(expected in rows, `unknown row set ${expected}`);
          const expectedRows = Number(
            await one(
              fill(
                `select count(*) from public.${table} where ${rows[expected]}`,
              ),
            ),
          );
          await become();
          const { rowCount } = await client.query(statement);
          assert.equal(rowCount, expectedRows);
          if (role === "owner" && expected.includes("own"))
            assert.ok(expectedRows > 0, "the owner has rows here");
        });
      });
    }
  }
}

test("every table of the product has its cells and row-level security", async () => {
  const { rows: found } = await client.query(
    "select relname, relrowsecurity from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')",
  );
  assert.deepEqual(
    found
      .filter(({ relname }) => !(relname in tables))
      .map(({ relname }) => relname),
    [],
  );
  assert.deepEqual(
    found
      .filter(({ relrowsecurity }) => !relrowsecurity)
      .map(({ relname }) => relname),
    [],
  );
});

test("functions with the rights of their owner name every schema", async () => {
  const { rows: found } = await client.query(
    `select proname from pg_proc
     where pronamespace in ('public'::regnamespace, 'private'::regnamespace) and prosecdef
       and not coalesce(proconfig, '{}') @> array['search_path=""']`,
  );
  assert.deepEqual(
    found.map(({ proname }) => proname),
    [],
  );
});

const REPORT =
  "insert into public.reports (property_id, reporter, reason) values (:listing, :other, 'Wrong price') returning id";

test("only administrators deal with reports, look for duplicates and see who they are", async () => {
  for (const role of ["stranger", "owner"]) {
    for (const call of [
      "select public.set_handled('report', gen_random_uuid(), true)",
      "select public.possible_duplicates(:listing)",
      "select public.administrators()",
      "select public.admin_counts()",
      // The claim alone is not enough: the account is asked as well.
      "select public.set_verified_buyer(:other, true)",
    ]) {
      await assert.rejects(
        inTransaction(role, async ({ fill, become }) => {
          await become();
          await client.query(fill(call));
        }),
        refused,
        `${role}: ${call}`,
      );
    }
  }
});

test("what an administrator does is recorded with its name, and nobody else reads it", async () => {
  await inTransaction("admin", async ({ fill, become }) => {
    const report = await one(fill(REPORT));
    await become();
    const statements = [
      `select public.set_handled('report', '${report}', true)`,
      `select public.set_handled('report', '${report}', false)`,
      "select public.set_verified_buyer(:other, true)",
      "update public.properties set featured = not featured where id = :listing",
      "update public.coworking_space set name = 'Renamed', paid_listing = not paid_listing where id = :space",
      "delete from public.coworking_space where id = :space",
      "select public.moderate(:listing, 'archived')",
    ];
    for (const statement of statements) await client.query(fill(statement));
    const { rows: seen } = await client.query(
      "select action, actor_name, details from public.audit_log where at = now() and actor is not null",
    );
    const actions = seen.map(({ action }) => action);
    for (const action of [
      "close_report",
      "reopen_report",
      "update_space",
      "delete_space",
      "moderate",
    ])
      assert.equal(
        actions.filter((each) => each === action).length,
        1,
        `${action} in ${actions}`,
      );
    const renamed = seen.find(({ action }) => action === "update_space");
    assert.deepEqual(renamed.details, { changed: ["name", "paid_listing"] });
    assert.equal(renamed.actor_name, "Meena Raghavan");
    await client.query("select set_config('request.jwt.claims', $1, true)", [
      JSON.stringify({ role: "authenticated", sub: people.owner }),
    ]);
    const { rowCount } = await client.query("select from public.audit_log");
    assert.equal(rowCount, 0);
  });
});

test("a listing at the same address in the same city is a possible duplicate", async () => {
  await inTransaction("admin", async ({ fill, become }) => {
    const twin = await one(
      fill(
        `insert into public.properties (owner_id, intent, property_type, status, title, address, locality, city, description, carpet_area, state, pincode)
         select owner_id, intent, property_type, 'pending', 'Something else altogether', upper(address), locality, city, description, carpet_area, state, pincode
         from public.properties where id = :listing returning id`,
      ),
    );
    await become();
    const { rows: found } = await client.query(
      "select same_address from public.possible_duplicates($1)",
      [twin],
    );
    assert.equal(found[0]?.same_address, true);
  });
});
