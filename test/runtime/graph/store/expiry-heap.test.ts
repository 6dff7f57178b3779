// The expiry heap against a map of seconds; failing mutations must leave no trace.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { NEVER } from "../../../../runtime/graph/memory/layout.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { Random, SEED } from "../../../property/support/random.js";
import { TEST_THREAD } from "../support/make-graph.js";

const VERTICES = 300;

const test = suite("expiry heap");

function storeWithVertices(): GraphStore {
  const store = GraphStore.create("heap", TEST_THREAD);
  store.writer.mutate(() => {
    for (let vertex = 0; vertex < VERTICES; vertex++) store.vertices.allocate();
  });
  return store;
}

/** Removes all entries in due order. */
function drain({ expiry, writer }: GraphStore): [second: number, vertex: number][] {
  const taken: [number, number][] = [];
  for (let vertex = 0; expiry.count > 0; ) {
    const second = expiry.next;
    writer.mutate(() => {
      assert.is(expiry.due(second - 1), 0);
      vertex = expiry.due(second);
      expiry.cancel(vertex);
    });
    taken.push([second, vertex]);
  }
  return taken;
}

test("has nothing due when empty", () => {
  const { expiry } = storeWithVertices();
  assert.is(expiry.count, 0);
  assert.is(expiry.next, NEVER);
  assert.is(expiry.due(NEVER - 1), 0);
});

test("returns vertices in the order of their seconds", () => {
  const store = storeWithVertices();
  const { expiry, writer } = store;
  writer.mutate(() => {
    [50, 20, 90, 20, 70].forEach((second, index) => {
      expiry.schedule(index + 1, second);
    });
  });
  assert.equal(
    drain(store).map(([second]) => second),
    [20, 20, 50, 70, 90],
  );
});

test("holds each vertex once, for its earliest second", () => {
  const store = storeWithVertices();
  const { expiry, writer } = store;
  writer.mutate(() => {
    for (const second of [500, 300, 900, 400, NEVER]) expiry.schedule(7, second);
  });
  assert.is(expiry.count, 1);
  assert.equal(drain(store), [[300, 7]]);
});

test("omits vertices that never expire", () => {
  const { expiry, writer } = storeWithVertices();
  writer.mutate(() => expiry.schedule(7, NEVER));
  assert.is(expiry.count, 0);
});

test("counts vertices by due time", () => {
  const { expiry, writer } = storeWithVertices();
  writer.mutate(() => {
    [1, 9, 10, 11, 99, 100, 5000].forEach((second, index) => {
      expiry.schedule(index + 1, second);
    });
  });
  assert.equal(expiry.countBefore([10, 100, Number.POSITIVE_INFINITY]), [2, 3, 2]);
});

test(`agrees with a map under random schedules (seed ${SEED})`, () => {
  const store = storeWithVertices();
  const { expiry, writer } = store;
  const random = new Random();
  let model = new Map<number, number>();
  for (let round = 0; round < 3000; round++) {
    const next = new Map(model);
    const isFailing = random.below(4) === 0;
    try {
      writer.mutate(() => {
        for (let change = random.below(6); change >= 0; change--) {
          const vertex = 1 + random.below(VERTICES);
          const second = 1000 + random.below(500);
          if (random.below(3) === 0) {
            expiry.cancel(vertex);
            next.delete(vertex);
          } else {
            expiry.schedule(vertex, second);
            next.set(vertex, Math.min(second, next.get(vertex) ?? NEVER));
          }
        }
        if (isFailing) throw new RangeError("undo");
      });
      model = next;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    assert.is(expiry.count, model.size);
    assert.is(expiry.next, Math.min(NEVER, ...model.values()));
  }
  const expected = [...model].map(([vertex, second]) => [second, vertex]);
  const byTime = ([a, b]: number[], [c, d]: number[]): number => a! - c! || b! - d!;
  const drained = drain(store);
  assert.equal(drained.slice().sort(byTime), expected.sort(byTime));
  assert.equal(
    drained.map(([second]) => second),
    expected.map(([second]) => second),
  );
});

test.run();
