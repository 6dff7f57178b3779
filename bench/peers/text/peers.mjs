// Peers of text search: SQLite FTS5, MiniSearch and Orama, each in this process and in memory. A
// peer whose package is not installed is skipped with a printed reason.

/** Maximum number of texts for the peers in JavaScript. */
const MAX_TEXTS = 200_000;

/** @returns {Promise<object[]>} peers that hold the texts under their positions */
export async function startPeers(texts) {
  const peers = [];
  for (const [name, start] of [
    ["FTS5", startFts5],
    ["MiniSearch", startMiniSearch],
    ["Orama", startOrama],
  ]) {
    if (name !== "FTS5" && texts.length > MAX_TEXTS) {
      console.log(`without ${name}: it needs gigabytes for ${texts.length} texts`);
      continue;
    }
    try {
      peers.push({ name, ...(await start(texts)) });
    } catch ({ message }) {
      console.log(`without ${name}: ${message}`);
    }
  }
  return peers;
}

async function startFts5(texts) {
  const { default: Database } = await import("better-sqlite3");
  const database = new Database(":memory:");
  database.exec("CREATE VIRTUAL TABLE texts USING fts5(text)");
  const insert = database.prepare("INSERT INTO texts (rowid, text) VALUES (?, ?)");
  const begun = process.cpuUsage();
  database.transaction(() => {
    for (const [number, text] of texts.entries()) insert.run(number, text);
  })();
  const { user, system } = process.cpuUsage(begun);
  const select = "SELECT rowid FROM texts WHERE texts MATCH ? ORDER BY";
  const best = database.prepare(`${select} rank LIMIT ?`).pluck();
  const all = database.prepare(`${select} rowid`).pluck();
  return {
    buildSeconds: (user + system) / 1e6,
    has: (kind) => kind !== "fuzzy",
    search: (kind, words, hits) => best.all(matchExpression(kind, words), hits),
    /** Returns all texts that match, in ascending order. */
    matches: (kind, words) => all.all(matchExpression(kind, words)),
  };
}

function matchExpression(kind, words) {
  const text = words.join(kind === "any" ? " OR " : " ");
  if (kind === "phrase") return `"${text}"`;
  return kind === "prefix" ? `${text}*` : text;
}

async function startMiniSearch(texts) {
  const { default: MiniSearch } = await import("minisearch");
  const index = new MiniSearch({ fields: ["text"] });
  index.addAll(texts.map((text, id) => ({ id, text })));
  return {
    has: (kind) => kind !== "phrase",
    search(kind, words, hits) {
      const combineWith = kind === "any" ? "OR" : "AND";
      const options = { combineWith, prefix: kind === "prefix", fuzzy: kind === "fuzzy" ? 1 : 0 };
      return index.search(words.join(" "), options).slice(0, hits);
    },
  };
}

async function startOrama(texts) {
  const { create, insertMultiple, search } = await import("@orama/orama");
  const index = create({ schema: { text: "string" } });
  const documents = texts.map((text, id) => ({ id: String(id), text }));
  await insertMultiple(index, documents, 1000, undefined, undefined, 0);
  return {
    // It has no phrases.
    has: (kind) => kind !== "phrase",
    search(kind, words, limit) {
      // 0: all words must match, 1: any.
      const threshold = kind === "any" ? 1 : 0;
      const term = words.join(" ");
      const isWhole = kind === "all" || kind === "any";
      const tolerance = kind === "fuzzy" ? 1 : 0;
      return search(index, { term, threshold, limit, tolerance, exact: isWhole });
    },
  };
}
