// What the administration writes of a co-working space, against a migrated and seeded database. What a test writes is rolled back.
// DATABASE_URL=postgres://… node --test spaces.test.mjs
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import pg from "pg";

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
const rows = async (sql, values) => (await client.query(sql, values)).rows;

before(() => client.connect());
after(() => client.end());

const SPACE = {
  slug: "noyyal-desks",
  name: "Noyyal Desks",
  address: "12, Race Course Road",
  locality: "Race Course",
  city: "Coimbatore",
  state: "Tamil Nadu",
};
const save = (space, offerings, id = null) =>
  rows("select * from public.save_space($1, $2, $3)", [
    space,
    JSON.stringify(offerings),
    id,
  ]);
const offered = (id) =>
  rows(
    `select offering_type as kind, price_from::float as price, description from public.coworking_offering_type
     where coworking_space_id = $1 order by offering_type`,
    [id],
  );

/** In the name of somebody of the demonstration, and undone. */
async function as(email, work) {
  const [{ id, app }] = await rows(
    "select id, raw_app_meta_data as app from auth.users where email = $1",
    [email],
  );
  await client.query("begin");
  try {
    await rows("select set_config('request.jwt.claims', $1, true)", [
      JSON.stringify({ sub: id, role: "authenticated", app_metadata: app }),
    ]);
    await client.query("set local role authenticated");
    await work();
  } finally {
    await client.query("rollback");
  }
}
const ADMIN = "admin@demo.example.com";

test("a space and what it offers come and change together", () =>
  as(ADMIN, async () => {
    const kinds = [
      { offering_type: "day_pass", price_from: 400 },
      { offering_type: "meeting_room", price_from: 900, capacity: 8 },
    ];
    const [made] = await save(SPACE, kinds);
    assert.equal(made.slug, SPACE.slug);
    assert.deepEqual(
      (await offered(made.id)).map(({ kind }) => kind).sort(),
      ["day_pass", "meeting_room"],
    );
    await rows(
      `update public.coworking_offering_type set description = 'By the window.'
       where coworking_space_id = $1 and offering_type = 'day_pass'`,
      [made.id],
    );
    await save(
      { name: "Noyyal Desks II", id: "00000000-0000-0000-0000-000000000000" },
      [{ offering_type: "day_pass", price_from: 450 }],
      made.id,
    );
    assert.deepEqual(await offered(made.id), [
      { kind: "day_pass", price: 450, description: "By the window." },
    ]);
    const [now] = await rows(
      "select name, city, active from public.coworking_space where id = $1",
      [made.id],
    );
    assert.deepEqual(now, {
      name: "Noyyal Desks II",
      city: "Coimbatore",
      active: true,
    });
  }));

test("an offering that is refused refuses the space with it", () =>
  as(ADMIN, () =>
    // One statement, of which nothing stays.
    assert.rejects(
      save(SPACE, [{ offering_type: "day_pass", price_from: -1 }]),
      { code: "23514" },
    ),
  ));

test("nobody but an administrator makes or changes a space", async () => {
  const [{ id }] = await rows(
    "select id from public.coworking_space where active order by id limit 1",
  );
  const before = await offered(id);
  await as("owner@demo.example.com", async () => {
    assert.deepEqual(await save({ name: "Mine" }, [], id), []);
    await assert.rejects(save(SPACE, []), { code: "42501" });
  });
  assert.deepEqual(await offered(id), before);
});
