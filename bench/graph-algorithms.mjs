// CPU time of batches, indexes and algorithms of a graph in this process. `node
// bench/graph-algorithms.mjs [vertices]`, after `npm run build` (default: 1,000,000).

import { Graph, M_INT, system } from "../dist/index.js";

const VERTICES = Number(process.argv[2] ?? 1_000_000);
const ARCS = 1_000_000;
const BATCH = 1000;
/** Number of vertices that the others are connected to. */
const SPREAD = 20;

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
let state = 1;
const below = (limit) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};

/** Returns the CPU time per run, in milliseconds. */
function timed(name, runs, run) {
  const begun = cpuMs();
  for (let index = 0; index < runs; index++) run(index);
  const ms = (cpuMs() - begun) / runs;
  console.log(`${name.padEnd(46)}${ms.toFixed(4).padStart(12)} ms`);
  return ms;
}

/** Compares single changes of existing arcs with batches, in a graph of `vertices`. */
function batches(vertices) {
  const graph = new Graph(`batches_${vertices}`);
  const names = Array.from({ length: vertices }, (_, at) => `v${at}`);
  const connect = () => {
    for (let arc = 0; arc < BATCH; arc++) {
      const [tail, head] = [below(vertices), below(vertices)];
      graph.connect(names[tail], ["to", M_INT, 1], names[head % SPREAD]);
    }
  };
  const rounds = Math.ceil((vertices * SPREAD) / BATCH);
  for (let round = 0; round < rounds; round++) connect(graph.batch(connect));
  let [single, batch] = [0, 0];
  for (let round = 0; round < 20; round++) {
    let begun = cpuMs();
    for (let part = 0; part < 10; part++) connect();
    single += cpuMs() - begun;
    begun = cpuMs();
    for (let part = 0; part < 10; part++) graph.batch(connect);
    batch += cpuMs() - begun;
  }
  const ratio = (single / batch).toFixed(2);
  console.log(`1,000 connects among ${vertices}: ${ratio} times the cost of a batch if single`);
}

function indexes() {
  const graph = new Graph("indexes");
  for (let n = 0; n < VERTICES; n++) graph.createVertex(`v${n}`, { properties: { n } });
  const find = (n) => graph.vertices({ condition: { property: { n } } });
  const scan = timed(`scan of ${VERTICES} for one value`, 5, find);
  timed("creating the index", 1, () => graph.index("property", { key: "n" }));
  for (let warm = 0; warm < 5000; warm++) find(below(VERTICES));
  const look = timed("the same with the index", 20_000, () => find(below(VERTICES)));
  console.log(`${Math.round(scan / look)} times faster`);
}

function algorithms() {
  const graph = new Graph("algorithms");
  const nodes = ARCS / 10;
  for (let arc = 0; arc < ARCS; arc++) {
    graph.connect(`v${below(nodes)}`, ["to", M_INT, 1 + below(9)], `v${below(nodes)}`);
  }
  const id = () => `v${below(nodes)}`;
  console.log(`${graph.order} vertices, ${graph.size} arcs`);
  for (let round = 0; round < 3; round++) timed("pageRank, 20 rounds", 1, () => graph.pageRank());
  timed("pageRank, weighted", 1, () => graph.pageRank({ weighted: true }));
  timed("pageRank from one vertex", 1, () => graph.pageRank({ from: [id()] }));
  timed("components", 1, () => graph.components({ hits: 1 }));
  timed("shortestPath", 20, () => graph.shortestPath(id(), id()));
  timed("shortestPath, weighted", 20, () => graph.shortestPath(id(), id(), { weighted: true }));
  timed("randomWalks, 100 of 10 steps", 100, () => graph.randomWalks(id(), { walks: 100 }));
  timed("coOccurrence", 1000, () => graph.coOccurrence(id(), { weighted: true }));
}

await system.initialize("bench");
for (const vertices of [100, 1000, 10_000, 100_000]) batches(vertices);
indexes();
algorithms();
await system.unload();
