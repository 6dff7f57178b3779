// One change of every kind, on a small graph in which each has many effects.

import { expire } from "../../../runtime/graph/changes/expire.js";
import { truncate } from "../../../runtime/graph/changes/graph.js";
import { M_ACC, M_CNT, M_FLT, M_FWDONLY, M_INT } from "../../../runtime/graph/model/constants.js";
import { HnswBuilder } from "../../../runtime/graph/vectors/hnsw-builder.js";
import { HnswVacuum } from "../../../runtime/graph/vectors/hnsw-vacuum.js";
import type { ChangedGraph } from "./make-change.js";

const HUB_ARCS = 150;

/** A small graph with one of everything. */
export function buildGraph({ graph }: ChangedGraph): void {
  graph.createVertex("full", {
    type: "thing",
    lifespan: 50,
    properties: { n: 1, text: "some text", list: [1, 2, 3], none: null },
    vector: [1, 2, 3],
  });
  graph.createVertex("far", { vector: [-1, 2] });
  for (let index = 0; index < HUB_ARCS; index++) {
    graph.connect("hub", ["to", M_INT, index], `leaf ${index}`);
    if (index < 64) graph.connect(`leaf ${index}`, ["from", M_FLT, index], "full");
  }
  graph.connect("full", ["to", M_CNT, 1], "leaf 1", { lifespan: 5 });
  graph.connect("full", ["to", M_ACC | M_FWDONLY, 1], "apart");
  graph.connect("full", ["to", M_INT, 1], "full");
  graph.deleteVertex("gone");
}

function addVectors(graph: ChangedGraph["graph"], count: number): void {
  for (let index = 0; index < count; index++) {
    graph.createVertex(`v${index}`, { vector: [index, 9 - index, (index * 7) % 11] });
  }
}

/** Alternating levels, and a sweep even for few removals. */
function runIndexes(store: ChangedGraph["store"]): void {
  const space = store.vectors.spaceOf(32);
  let turn = 0;
  const builder = new HnswBuilder(store.vectors, space, () => (++turn % 5 === 0 ? 0.95 : 0.5));
  for (const _ of builder.addMissing());
  for (const _ of new HnswVacuum(store.vectors, space, builder).run());
}

export interface ChangeCase {
  readonly name: string;
  readonly change: (changed: ChangedGraph) => void;
  /** It consists of many changes, each of them atomic. */
  readonly isMany?: boolean;
  /** It is one change in steps: recovery completes it, a failure does not. */
  readonly isInSteps?: boolean;
  /** It allocates no memory that it did not have before. */
  readonly cannotFail?: boolean;
}

export const CASES: readonly ChangeCase[] = [
  { name: "an arc between new vertices", change: ({ graph }) => graph.connect("x", "new", "y") },
  {
    name: "an arc with times",
    change: ({ graph }) => graph.connect("full", ["a", M_INT, 7], "leaf 2", { lifespan: 9 }),
  },
  { name: "the value of an arc", change: ({ graph }) => graph.count("full", "to", "leaf 1", 5) },
  {
    name: "the first arc that needs an index",
    change: ({ graph }) => graph.connect("z", "a", "full"),
  },
  {
    name: "arcs that grow a run and its index",
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
  {
    name: "the removal of one arc",
    change: ({ graph }) => graph.disconnect("hub", "to", "leaf 7"),
  },
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
  { name: "a hub", change: ({ graph }) => graph.deleteVertex("hub"), isInSteps: true },
  {
    name: "a vertex of one type",
    change: (changed) => truncate(changed, "thing"),
    isInSteps: true,
  },
  {
    name: "the whole graph",
    change: (changed) => truncate(changed),
    cannotFail: true,
  },
  {
    name: "an expired vertex",
    change: ({ store, session, clock }) =>
      expire({ store, session }, store.ids.find("full"), clock.second + 60),
  },
  {
    name: "an expired arc",
    change: ({ store, session, clock }) =>
      expire({ store, session }, store.ids.find("full"), clock.second + 6),
  },
  {
    name: "a vector",
    change: ({ graph }) => graph.createVertex("near", { vector: [1, 2, 4] }),
  },
  {
    name: "a vector of a new length, another, and none",
    change: ({ graph }) => {
      const vertex = graph.openVertex("far");
      vertex.setVector(new Array(100).fill(1));
      vertex.setVector([3, 2, 1]);
      vertex.removeVector();
      graph.closeAll();
    },
    isMany: true,
  },
  {
    name: "a vector index",
    change: ({ graph }) => graph.index("vectors", { length: 3 }),
  },
  {
    name: "an index that is built and swept",
    change: ({ graph, store }) => {
      graph.index("vectors", { length: 3 });
      addVectors(graph, 30);
      runIndexes(store);
      for (let index = 0; index < 25; index++) graph.deleteVertex(`v${index}`);
      runIndexes(store);
    },
    isMany: true,
  },
  { name: "a locked vertex", change: ({ graph }) => graph.openVertex("held", "w") },
  {
    name: "a locked and changed vertex",
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
