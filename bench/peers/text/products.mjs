// Products with facets in SQLite FTS5. Null without its package.

export async function startProducts(products, limits) {
  const Database = await import("better-sqlite3").then(
    ({ default: found }) => found,
    () => null,
  );
  if (Database === null) return null;
  const database = new Database(":memory:");
  database.exec(`CREATE VIRTUAL TABLE texts USING fts5(title);
    CREATE TABLE products (number INTEGER PRIMARY KEY, brand TEXT, price INTEGER)`);
  const insertText = database.prepare("INSERT INTO texts (rowid, title) VALUES (?, ?)");
  const insert = database.prepare("INSERT INTO products VALUES (?, ?, ?)");
  database.transaction(() => {
    for (const [number, { title, brand, price }] of products.entries()) {
      insertText.run(number, title);
      insert.run(number, brand, price);
    }
  })();
  const source = "FROM texts JOIN products ON number = texts.rowid WHERE texts MATCH ?";
  const best = database.prepare(
    "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10",
  );
  const brands = database.prepare(
    `SELECT brand AS value, count(*) AS count ${source}
     GROUP BY brand ORDER BY count DESC, brand LIMIT 10`,
  );
  const range = `CASE ${limits.map((limit, at) => `WHEN price < ${limit} THEN ${at}`).join(" ")}
    ELSE ${limits.length} END`;
  const prices = database.prepare(
    `SELECT ${range} AS range, count(*) AS count ${source} GROUP BY range ORDER BY range`,
  );
  return (word) => {
    best.all(word);
    const price = prices.all(word).map(({ range: at, count }) => ({
      ...(at > 0 && { from: limits[at - 1] }),
      ...(at < limits.length && { to: limits[at] }),
      count,
    }));
    return { brand: brands.all(word), price };
  };
}
