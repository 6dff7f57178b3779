// Process of one graph store: reads the data, then runs steps on request, `{ step, ms }`, and
// reports `{ amount, seconds, check }`: work done, time taken, and a number all stores must agree
// on.
//
//   node --expose-gc serve.mjs <peer> <data file>

import { freshId, idBytesOf, readArcs } from "../../lib/graph-data.mjs";
import { ownCpuUs, threadCpuSeconds } from "../../lib/process-figures.mjs";

const WARM_UP_ARCS = 20_000;
const WARM_UP_MS = 300;
/** Anchors are initials of arcs, so vertices are sampled by degree. */
const ANCHORS = 16_384;
const BATCH = 64;
/** About a 16th of the arcs have this relationship and a value from `LEAST` on. */
const RELATIONSHIP = 3;
const LEAST = 500;
const DEGREE = 10;
const REMOVED_SHARE = 0.1;

const [name, file] = process.argv.slice(2);
const { Peer } = await import(`./${name}.mjs`);
const data = readArcs(file);
const idBytes = idBytesOf(data.vertices);
const ids = Array.from({ length: data.vertices }, (_, vertex) => freshId(idBytes, vertex));
warmUp();
const peer = new Peer();
const degrees = outDegrees(data);
const places = Array.from({ length: ANCHORS }, (_, at) => data.from[at % data.count]);
let anchors = [];

const STEPS = {
  connect() {
    const before = residentBytes();
    const seconds = timed(() => connectAll(peer, data));
    anchors = places.map((vertex) => peer.anchor(ids[vertex]));
    const bytes = (residentBytes() - before) / data.count;
    return { amount: data.count, seconds, bytes, check: 0 };
  },
  arcs: (ms) => overAnchors(ms, arcsOf, (some) => peer.countArcs(some)),
  filter: (ms) => overAnchors(ms, arcsOf, (some) => peer.countFiltered(some, RELATIONSHIP, LEAST)),
  degree: (ms) => overAnchors(ms, arcsOf, (some) => peer.countByDegree(some, DEGREE)),
  levels: (ms) =>
    overAnchors(
      ms,
      (_, count) => count,
      (some) => peer.countTwoLevels(some),
    ),
  list: (ms) => overAnchors(ms, (_, count) => count, listAll),
  global: (ms) =>
    repeated(ms, () => ({ done: data.count, check: peer.countAll(RELATIONSHIP, LEAST) })),
  find: (ms) => overArcs(ms, find),
  findFresh: (ms) => overArcs(ms, findFresh),
  oneShot10: (ms) => oneShot(ms, 10),
  oneShot1000: (ms) => oneShot(ms, 1000),
  disconnect(ms) {
    const end = performance.now() + 10 * ms;
    const removals = data.count * REMOVED_SHARE;
    let amount = 0;
    const seconds = timed(() => {
      while (amount < removals && (amount % BATCH !== 0 || performance.now() < end)) {
        peer.disconnect(ids[data.from[amount]], data.relationship[amount], ids[data.to[amount]]);
        amount++;
      }
    });
    return { amount, seconds, check: 0 };
  },
};

process.on("message", ({ step, ms }) => {
  globalThis.gc();
  process.send(STEPS[step](ms));
});
process.on("disconnect", () => process.exit());
process.send({ isReady: true });

/** Warms up the code that connects, on a store that is then discarded. */
function warmUp() {
  connectAll(new Peer(), { ...data, count: WARM_UP_ARCS });
}

function connectAll(store, { count, from, to, relationship, value }) {
  if (store.connectAll !== undefined) {
    store.connectAll({ count, from, to, relationship, value }, ids);
    return;
  }
  for (let arc = 0; arc < count; arc++) {
    store.connect(ids[from[arc]], relationship[arc], ids[to[arc]], value[arc]);
  }
}

function outDegrees({ from, vertices }) {
  const counts = new Uint32Array(vertices);
  for (const vertex of from) counts[vertex]++;
  return counts;
}

function residentBytes() {
  globalThis.gc();
  return process.memoryUsage.rss();
}

/** Returns the CPU seconds of this thread, or of all if the store has its own threads. */
function timed(action) {
  const spent = Peer.hasThreads ? () => ownCpuUs() / 1e6 : threadCpuSeconds;
  const before = spent();
  action();
  return spent() - before;
}

/**
 * Repeats an action for a time, after a warm-up.
 * @param {(turn: number) => { done: number, check: number }} action the first check is returned
 */
function repeated(ms, action) {
  const { check } = action(0);
  runFor(Math.min(ms, WARM_UP_MS), action);
  return { ...runFor(ms, action), check };
}

function runFor(ms, action) {
  const end = performance.now() + ms;
  let amount = 0;
  const seconds = timed(() => {
    for (let turn = 0; performance.now() < end; turn++) amount += action(turn).done;
  });
  return { amount, seconds };
}

/** @param amountOf arcs that a batch visits, from its position and the query's count */
function overAnchors(ms, amountOf, query) {
  return repeated(ms, (turn) => {
    const first = (turn * BATCH) % ANCHORS;
    const check = query(anchors.slice(first, first + BATCH));
    return { done: amountOf(first, check), check };
  });
}

function arcsOf(first) {
  let count = 0;
  for (let at = first; at < first + BATCH; at++) count += degrees[places[at]];
  return count;
}

function listAll(some) {
  let count = 0;
  for (const anchor of some) count += peer.list(anchor).length;
  return count;
}

function overArcs(ms, query) {
  return repeated(ms, (turn) => {
    let check = 0;
    for (let at = 0; at < BATCH; at++) check += query(((turn * BATCH + at) * 7919) % data.count);
    return { done: BATCH, check };
  });
}

function find(arc) {
  return peer.find(ids[data.from[arc]], data.relationship[arc], ids[data.to[arc]]);
}

function findFresh(arc) {
  const from = freshId(idBytes, data.from[arc]);
  return peer.find(from, data.relationship[arc], freshId(idBytes, data.to[arc]));
}

/** Requests the neighbor ids of vertices whose degree is closest to the given one. */
function oneShot(ms, degree) {
  const distance = (vertex) => Math.abs(degrees[vertex] - degree);
  const nearest = Array.from(degrees.keys()).sort((a, b) => distance(a) - distance(b));
  const some = nearest.slice(0, degree < 100 ? BATCH * BATCH : 4).map((vertex) => ids[vertex]);
  return repeated(ms, (turn) => {
    let check = 0;
    for (let at = 0; at < BATCH; at++) {
      check += peer.neighborhood(some[(turn * BATCH + at) % some.length]).length;
    }
    return { done: BATCH, check };
  });
}
