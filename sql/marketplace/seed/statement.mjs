// Rows to SQL text.

export class Json {
  constructor(value) {
    this.value = value;
  }
}
export const json = (value) => new Json(value);

export function literal(value) {
  if (value === null || value === undefined) return "null";
  if (typeof value === "number" || typeof value === "boolean")
    return String(value);
  if (value instanceof Json)
    return `${literal(JSON.stringify(value.value))}::jsonb`;
  return `'${String(value).replaceAll("'", "''")}'`;
}

const column = (name) =>
  /^[a-z_]+$/.test(name) && name !== "order" ? name : `"${name}"`;

/** One insert for all the rows; what is there already stays as it is. */
export function insert(table, rows) {
  const columns = Object.keys(rows[0]);
  const lines = rows.map(
    (row) => `(${columns.map((name) => literal(row[name])).join(", ")})`,
  );
  return `insert into ${table} (${columns.map(column).join(", ")}) values\n${lines.join(",\n")}\non conflict do nothing;\n`;
}

export function slugify(...parts) {
  return parts
    .join(" ")
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 120)
    .replace(/-+$/, "");
}
