// What a search finds and in which order, and the indexes that keep it quick, against a migrated and seeded database. What a test
// writes is rolled back.
// DATABASE_URL=postgres://… node --test search.test.mjs
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
const rows = async (sql, values) => (await client.query(sql, values)).rows;

before(() => client.connect());
after(() => client.end());

const cities = async (q) =>
  (
    await rows("select distinct city from public.search_properties($1)", [q])
  ).map(({ city }) => city);

for (const [typed, city] of [
  ["coimbtore", "Coimbatore"],
  ["chenai office", "Chennai"],
  ["madras", "Chennai"],
  ["Bangalore", "Bengaluru"],
  ["banglore", "Bengaluru"],
  ["bengaluru", "Bengaluru"],
  ["bombay", "Mumbai"],
])
  test(`D41: "${typed}" finds what is in ${city}, and nothing elsewhere`, async () => {
    assert.deepEqual(await cities(typed), [city]);
  });

test("D41: featured comes first, then what fits the words better, then what is newer", async () => {
  await client.query("begin");
  try {
    const title = "Zanzibar spice warehouse";
    const made = {};
    for (const [name, { title: own, featured, days }] of Object.entries({
      older: { title, featured: false, days: 9 },
      newer: { title, featured: false, days: 2 },
      loose: { title: `${title} with a yard`, featured: false, days: 1 },
      paid: { title: `${title} with a yard`, featured: true, days: 30 },
    })) {
      const [{ id }] = await rows(
        `insert into public.properties (owner_id, intent, property_type, status, title, description, locality, city,
             address, state, pincode, carpet_area, price, featured, published_at, expires_at)
         select owner_id, intent, property_type, 'active', $1, description, locality, city,
             address, state, pincode, carpet_area, price, $2, now() - make_interval(days => $3), now() + interval '9 days'
         from public.properties where status = 'active' and expires_at > now() order by id limit 1 returning id`,
        [own, featured, days],
      );
      made[id] = name;
      // As old as it says, whatever the rules of publishing made of it.
      await client.query(
        "update public.properties set published_at = now() - make_interval(days => $2), featured = $3 where id = $1",
        [id, days, featured],
      );
    }
    const found = await rows(
      "select id from public.search_properties('zanzibar spice warehouse')",
    );
    assert.deepEqual(
      found.map(({ id }) => made[id]),
      ["paid", "newer", "older", "loose"],
    );
  } finally {
    await client.query("rollback");
  }
});

/** Those that the product names: table, columns or expression, and what else stands in the definition. */
const INDEXES = [
  ["properties", "btree (status, property_type, intent, city)"],
  ["properties", "btree (city, locality)"],
  ["properties", "btree (price)"],
  ["properties", "btree (carpet_area)"],
  ["properties", "btree (published_at DESC) WHERE (status = 'active'"],
  ["properties", "btree (lat, lng) WHERE (status = 'active'"],
  ["properties", "btree (owner_id"],
  ["properties", "gin (fts)"],
  ["properties", "gin (title gin_trgm_ops)"],
  ["properties", "gin (locality gin_trgm_ops)"],
  ["properties", "gin (city gin_trgm_ops)"],
  ["properties", "gin (amenities jsonb_path_ops)"],
  ["enquiries", "btree (owner_id, created_at DESC)"],
  ["enquiries", "btree (sender_id, created_at DESC)"],
  ["coworking_space", "btree (slug)"],
  ["coworking_space", "btree (active, paid_listing DESC, created_at DESC)"],
  ["coworking_space", "gin (city gin_trgm_ops)"],
];

test("D27: the indexes of lists and searches are there", async () => {
  const all = await rows(
    "select tablename, indexdef from pg_indexes where schemaname = 'public'",
  );
  const missing = INDEXES.filter(
    ([table, columns]) =>
      !all.some(
        ({ tablename, indexdef }) =>
          tablename === table &&
          // The schema of the operators is written where the session does not search it.
          indexdef.replaceAll("extensions.", "").includes(`USING ${columns}`),
      ),
  );
  assert.deepEqual(missing, []);
});

test("D27: every column that refers to another table leads an index", async () => {
  const without = await rows(
    `select con.conrelid::regclass::text as "table", a.attname as "column"
     from pg_constraint as con
     join pg_attribute as a on a.attrelid = con.conrelid and a.attnum = con.conkey[1]
     where con.contype = 'f' and con.connamespace = 'public'::regnamespace
       and not exists (
         select from pg_index as i
         where i.indrelid = con.conrelid and i.indkey[0] = con.conkey[1]
       )`,
  );
  assert.deepEqual(without, []);
});
