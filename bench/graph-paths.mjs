// Paths of 1 to 4 arcs on a power-law graph, and shortest paths, beside SQLite's recursive queries,
// kuzu and igraph, by CPU time per query. A peer that is not installed is left out. PYTHON names
// the interpreter that has igraph.
//
//   node bench/graph-paths.mjs [arcs] [queries]     (default: 1,000,000 arcs, 20 queries)

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Graph, system } from "../dist/index.js";
import { atExit } from "../scripts/at-exit.mjs";
import { median } from "./lib/figures.mjs";

const ARCS = Number(process.argv[2] ?? 1_000_000);
const QUERIES = Number(process.argv[3] ?? 20);
const VERTICES = ARCS / 3;
/** Skew of the heads of arcs: a few vertices have most of the arcs. */
const SKEW = 2;

let state = 1;
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
};
const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const pairs = new Uint32Array(2 * ARCS);
for (let arc = 0; arc < ARCS; arc++) {
  pairs[2 * arc] = Math.floor(random() * VERTICES);
  pairs[2 * arc + 1] = Math.floor(random() ** SKEW * VERTICES);
}
const starts = Array.from({ length: QUERIES }, () => Math.floor(random() * VERTICES));
const ends = Array.from({ length: QUERIES }, () => Math.floor(random() * VERTICES));

/** Returns the median CPU time, and the sum of the results. */
function measure(query) {
  query(starts[0], ends[0]);
  const times = [];
  let sum = 0;
  for (const [at, start] of starts.entries()) {
    const begun = cpuMs();
    sum += query(start, ends[at]);
    times.push(cpuMs() - begun);
  }
  return { ms: median(times), sum };
}

function report(peer, label, { ms, sum }) {
  console.log(`${peer.padEnd(10)}${label.padEnd(28)}${ms.toFixed(3).padStart(12)} ms  (${sum})`);
}

async function ours() {
  await system.initialize("bench");
  const graph = new Graph("paths");
  for (let arc = 0; arc < ARCS; arc++) {
    graph.connect(`v${pairs[2 * arc]}`, "to", `v${pairs[2 * arc + 1]}`);
  }
  const reach = graph.newNeighborhoodQuery(null, { arc: "to", repeat: [1, 4] });
  report(
    "svc",
    "vertices within 1 to 4 arcs",
    measure((start) => {
      if (!graph.hasVertex(`v${start}`)) return 0;
      reach.id = `v${start}`;
      return reach.count();
    }),
  );
  report(
    "svc",
    "shortest path",
    measure((start, end) => {
      const [from, to] = [`v${start}`, `v${end}`];
      if (!graph.hasVertex(from) || !graph.hasVertex(to)) return 0;
      return graph.shortestPath(from, to)?.cost ?? 0;
    }),
  );
  const begun = cpuMs();
  graph.pageRank();
  const perArcs = ((cpuMs() - begun) / ARCS) * 1_000_000;
  console.log(`svc       pageRank per 10^6 arcs      ${perArcs.toFixed(0).padStart(12)} ms`);
  await system.unload();
}

async function sqlite() {
  const { default: Database } = await import("better-sqlite3");
  const database = new Database(":memory:");
  database.exec("create table arcs (a integer, b integer)");
  const insert = database.prepare("insert into arcs values (?, ?)");
  database.exec("begin");
  for (let arc = 0; arc < ARCS; arc++) insert.run(pairs[2 * arc], pairs[2 * arc + 1]);
  database.exec("commit; create index by_a on arcs (a, b)");
  const reach = database.prepare(
    `with recursive reached (v, d) as (
       select ?, 0 union
       select b, d + 1 from reached join arcs on a = v where d < 4)
     select count(distinct v) as n from reached where d > 0`,
  );
  report(
    "sqlite",
    "vertices within 1 to 4 arcs",
    measure((start) => reach.get(start).n),
  );
}

async function kuzu(folder) {
  const { default: Kuzu } = await import("kuzu");
  const file = join(folder, "arcs.csv");
  const unique = new Set();
  for (let arc = 0; arc < ARCS; arc++) unique.add(`${pairs[2 * arc]},${pairs[2 * arc + 1]}`);
  writeFileSync(file, [...unique].join("\n"));
  const names = join(folder, "names.csv");
  writeFileSync(names, Array.from({ length: VERTICES + 1 }, (_, at) => at).join("\n"));
  const connection = new Kuzu.Connection(new Kuzu.Database(join(folder, "kuzu")));
  connection.querySync("create node table v (id int64, primary key (id))");
  connection.querySync("create rel table arc (from v to v)");
  connection.querySync(`copy v from "${names}" (header=false)`);
  connection.querySync(`copy arc from "${file}" (header=false)`);
  const text = "match (a:v)-[:arc* shortest 1..4]->(b:v) where a.id = $id return count(*) as n";
  const reach = connection.prepareSync(text);
  const query = (start) => Number(connection.executeSync(reach, { id: start }).getAllSync()[0].n);
  report("kuzu", "vertices within 1 to 4 arcs", measure(query));
}

const folder = mkdtempSync(join(tmpdir(), "svc-paths-"));
atExit(() => rmSync(folder, { recursive: true, force: true }));
await ours();
for (const peer of [sqlite, kuzu]) {
  try {
    await peer(folder);
  } catch (error) {
    console.log(`${peer.name.padEnd(10)}left out: ${error.message.split("\n")[0]}`);
  }
}
const file = join(folder, "arcs.bin");
writeFileSync(file, Buffer.from(pairs.buffer));
const list = JSON.stringify({ starts, ends });
const python = process.env.PYTHON ?? "python3";
const script = fileURLToPath(new URL("peers/paths-igraph.py", import.meta.url));
const { stdout, stderr, status } = spawnSync(python, [script, file, list], {
  encoding: "utf8",
});
console.log(
  status === 0 ? stdout.trim() : `igraph    left out: ${stderr.trim().split("\n").at(-1)}`,
);
