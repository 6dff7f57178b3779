// A thread dies at each single write of each kind of change: recovery leaves the graph as it was
// before or as it is after, never in between, and whoever writes next goes on. POINTS=n is how many
// of the writes of each change are tried, spread over it; SEED=n begins at the same one again.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { expire } from "../../runtime/graph/changes/expire.js";
import { truncate } from "../../runtime/graph/changes/graph.js";
import { M_ACC, M_CNT, M_FLT, M_FWDONLY, M_INT } from "../../runtime/graph/constants.js";
import type { Arena } from "../../runtime/graph/memory/arena.js";
import { writerOf } from "../../runtime/graph/memory/writer.js";
import { recoverGraph } from "../../runtime/graph/operations/recover.js";
import { GraphStore } from "../../runtime/graph/store/graph-store.js";
import { checkStore } from "../runtime/graph/support/check-store.js";
import { TEST_THREAD } from "../runtime/graph/support/make-graph.js";
import { withoutOperations } from "./support/comparable.js";
import { DyingStore } from "./support/dying-store.js";
import { FakeClock } from "./support/fake-clock.js";
import { type ChangedGraph, openForChanges } from "./support/make-change.js";
import { Random } from "./support/random.js";

const test = suite<{ clock: FakeClock }>("deaths in the middle of changes");
const POINTS = Number(process.env.POINTS ?? 25);
const DEAD = 120;
const HEIR = 121;
const HUB_ARCS = 150;

test.before.each((context) => {
  context.clock = new FakeClock().start();
});

test.after.each(({ clock }) => {
  clock.stop();
});

/** A small graph with one of everything. */
function build({ graph }: ChangedGraph): void {
  graph.createVertex("full", {
    type: "thing",
    lifespan: 50,
    properties: { n: 1, text: "some text", list: [1, 2, 3], none: null },
  });
  for (let index = 0; index < HUB_ARCS; index++) {
    graph.connect("hub", ["to", M_INT, index], `leaf ${index}`);
    if (index < 64) graph.connect(`leaf ${index}`, ["from", M_FLT, index], "full");
  }
  graph.connect("full", ["to", M_CNT, 1], "leaf 1", { lifespan: 5 });
  graph.connect("full", ["to", M_ACC | M_FWDONLY, 1], "apart");
  graph.connect("full", ["to", M_INT, 1], "full");
  graph.deleteVertex("gone");
}

interface Case {
  readonly name: string;
  readonly change: (changed: ChangedGraph) => void;
  /** It is many changes, each of which is whole. */
  readonly isMany?: boolean;
}

const CASES: readonly Case[] = [
  { name: "an arc between new vertices", change: ({ graph }) => graph.connect("x", "new", "y") },
  {
    name: "an arc with times",
    change: ({ graph }) => graph.connect("full", ["a", M_INT, 7], "leaf 2", { lifespan: 9 }),
  },
  { name: "the value of an arc", change: ({ graph }) => graph.count("full", "to", "leaf 1", 5) },
  { name: "the arc that needs an index", change: ({ graph }) => graph.connect("z", "a", "full") },
  {
    name: "arcs that let a run and its index grow",
    change: ({ graph }) => {
      for (let index = 0; index < 50; index++) graph.connect("hub", "also", `leaf ${index}`);
    },
    isMany: true,
  },
  {
    name: "forward-only",
    change: ({ graph }) => graph.connect("x", ["f", M_INT | M_FWDONLY], "y"),
  },
  { name: "self loop", change: ({ graph }) => graph.connect("x", "self", "x") },
  { name: "one arc less", change: ({ graph }) => graph.disconnect("hub", "to", "leaf 7") },
  {
    name: "a run that shrinks and loses its index",
    change: ({ graph }) => graph.disconnect("hub"),
    isMany: true,
  },
  {
    name: "a vertex with type and properties",
    change: ({ graph }) =>
      graph.createVertex("v", {
        type: "new",
        lifespan: 3,
        properties: { n: 2, t: "x".repeat(99) },
      }),
  },
  { name: "a vertex that becomes real", change: ({ graph }) => graph.createVertex("leaf 100") },
  { name: "a vertex with everything", change: ({ graph }) => graph.deleteVertex("full") },
  { name: "a hub", change: ({ graph }) => graph.deleteVertex("hub") },
  {
    name: "a vertex of one type",
    change: ({ store, session }) => truncate(store, session, "thing"),
  },
  { name: "all of the graph", change: ({ store, session }) => truncate(store, session) },
  {
    name: "a vertex that has expired",
    change: ({ store, session, clock }) =>
      expire(store, session, store.ids.find("full"), clock.second + 60),
  },
  {
    name: "an arc that has expired",
    change: ({ store, session, clock }) =>
      expire(store, session, store.ids.find("full"), clock.second + 6),
  },
  { name: "a vertex that is held", change: ({ graph }) => graph.openVertex("held", "w") },
  {
    name: "a vertex that is held and changed",
    change: ({ graph }) => {
      const vertex = graph.openVertex("full");
      vertex.setProperty("text", "other text");
      vertex.incProperty("n");
      vertex.removeProperty("list");
      vertex.setRank(2, 3);
      vertex.setType("other");
      vertex.clearExpiration();
      vertex.removeProperties();
      graph.deleteVertex("full");
      graph.closeAll();
    },
    isMany: true,
  },
];

/** All memory of a graph, to be put back as it was; but for what only snapshots look at. */
class Image {
  readonly #arenas: readonly Arena[];
  readonly #saved: readonly Uint32Array[];

  constructor({ memory }: GraphStore) {
    this.#arenas = memory.arenas.filter((arena) => arena !== memory.dirty);
    this.#saved = this.#arenas.map(({ words }) => {
      let length = words.length;
      while (length > 0 && words[length - 1] === 0) length--;
      return words.slice(0, length);
    });
  }

  restore(): void {
    this.#arenas.forEach((arena, index) => {
      arena.refresh();
      arena.words.fill(0);
      arena.words.set(this.#saved[index]!);
    });
  }
}

/** Runs a change up to a write in a thread that then is dead; returns how many words it wrote. */
function dieAfter(
  store: GraphStore,
  clock: FakeClock,
  change: Case["change"],
  writes: number,
): number {
  const dying = new DyingStore(store.share, DEAD);
  const changed = openForChanges(dying.store, clock);
  assert.is(
    dying.run(writes, () => change(changed)),
    writes !== Number.POSITIVE_INFINITY,
  );
  return dying.written;
}

/** The graph after recovery, which must be whole, and let others write. */
function recovered(store: GraphStore, clock: FakeClock): unknown {
  const heir = GraphStore.attach(store.share, HEIR);
  recoverGraph(heir, DEAD);
  assert.is(writerOf(heir.memory), 0);
  checkStore(heir);
  const content = withoutOperations(heir);
  const { graph } = openForChanges(heir, clock);
  graph.connect("next", ["after", M_INT, 1], "leaf 3");
  graph.createVertex("next", { properties: { text: "next" } });
  checkStore(heir);
  return content;
}

for (const { name, change, isMany = false } of CASES) {
  test(name, ({ clock }) => {
    const random = new Random();
    const store = GraphStore.make("test", TEST_THREAD);
    build(openForChanges(store, clock));
    const image = new Image(store);
    const before = withoutOperations(store);
    const writes = dieAfter(store, clock, change, Number.POSITIVE_INFINITY);
    const after = recovered(store, clock);
    assert.not.equal(after, before);
    const step = Math.max(1, writes / POINTS);
    for (let point = random.below(Math.ceil(step)); point < writes; point += step) {
      image.restore();
      dieAfter(store, clock, change, Math.floor(point));
      const content = recovered(store, clock);
      const isEither = JSON.stringify(content) === JSON.stringify(before) || isMany;
      if (!isEither) assert.equal(content, after, `died after ${Math.floor(point)} of ${writes}`);
    }
  });
}

test.run();
