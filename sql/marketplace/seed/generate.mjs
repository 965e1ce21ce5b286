// Writes the demo data as SQL. `node generate.mjs` rewrites demo.sql beside this file;
// `node generate.mjs bulk N` prints N listings for load tests (they need the demo people).
import { writeFileSync } from "node:fs";
import { activitySql } from "./activity.mjs";
import { coworkingSql } from "./coworking.mjs";
import { peopleSql } from "./people.mjs";
import { demoProperties, imagesOf, property } from "./properties.mjs";
import { insert } from "./statement.mjs";

const HEADER = `-- Demo data, written by generate.mjs. Change the generator, not this file.
-- May run any number of times: rows that exist are left alone.
`;
const BATCH = 500;

async function printBulk(count) {
  for (let from = 0; from < count; from += BATCH) {
    const rows = Array.from(
      { length: Math.min(BATCH, count - from) },
      (_, at) => property(from + at, false),
    );
    if (!process.stdout.write(insert("public.properties", rows))) {
      await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  }
}

const [mode = "demo", count] = process.argv.slice(2);
if (mode === "bulk" && Number(count) > 0) {
  await printBulk(Number(count));
} else if (mode === "demo") {
  const properties = demoProperties();
  const parts = [
    HEADER,
    peopleSql(),
    coworkingSql(),
    insert("public.properties", properties),
    insert("public.property_images", properties.flatMap(imagesOf)),
    activitySql(properties),
  ];
  writeFileSync(new URL("demo.sql", import.meta.url), parts.join("\n"));
} else {
  console.error("usage: node generate.mjs [demo | bulk N]");
  process.exitCode = 2;
}
