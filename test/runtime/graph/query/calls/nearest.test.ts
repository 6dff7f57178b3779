// Nearest-neighbor search while handles are reused between the search and reading the ids: each hit
// was correct at one moment, and none is returned twice.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../../runtime/graph/api/graph.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../../support/make-graph.js";

const test = suite("nearest neighbors during changes");
const PROBE = [1, 0];

interface Place {
  readonly graph: Graph;
  /** Runs a change when an id is read for the first time, or every time. */
  meanwhile(change: () => void, always?: boolean): void;
}

function createPlace(): Place {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  for (const [id, y] of [
    ["a", 0],
    ["b", 1],
    ["c", 2],
    ["d", 3],
  ] as const) {
    graph.createVertex(id, { type: "old", vector: [1, y] });
  }
  const { ids } = store;
  const originalIdOf = ids.idOf.bind(ids);
  const meanwhile: Place["meanwhile"] = (change, always = false) => {
    ids.idOf = (handle) => {
      ids.idOf = originalIdOf;
      change();
      if (always) meanwhile(change, true);
      return originalIdOf(handle);
    };
  };
  return { graph, meanwhile };
}

const listIds = (neighbors: readonly { readonly id: string }[]): string[] =>
  neighbors.map(({ id }) => id);

test("omits a vertex that took the handle of a hit", () => {
  const { graph, meanwhile } = createPlace();
  meanwhile(() => {
    graph.deleteVertex("b");
    graph.createVertex("far", { vector: [-1, 0] });
  });
  assert.equal(listIds(graph.nearest(PROBE, { hits: 3 })), ["a", "c", "d"]);
});

test("omits a vertex that does not meet the condition", () => {
  const { graph, meanwhile } = createPlace();
  meanwhile(() => {
    graph.deleteVertex("b");
    graph.createVertex("new", { type: "new", vector: [1, 1] });
  });
  const nearest = graph.nearest(PROBE, { hits: 3, condition: { type: "old" } });
  assert.equal(listIds(nearest), ["a", "c", "d"]);
});

test("returns a vertex that moves once, even under constant changes", () => {
  const { graph, meanwhile } = createPlace();
  let turn = 0;
  const swap = (): void => {
    const [removedId, back] = turn++ % 2 === 0 ? ["b", "x"] : ["x", "b"];
    graph.deleteVertex(removedId!);
    graph.createVertex(back!, { vector: [1, 1] });
  };
  meanwhile(swap, true);
  const ids = listIds(graph.nearest(PROBE, { hits: 4 }));
  assert.is(new Set(ids).size, ids.length);
});

test.run();
