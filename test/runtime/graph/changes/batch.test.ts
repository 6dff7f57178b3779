// Batches are atomic: for the graph, for concurrent queries, and for the transaction log.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_RANK } from "../../../../runtime/base/sort-constants.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { batch } from "../../../../runtime/graph/changes/batch.js";
import { M_INT } from "../../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { comparable } from "../../../property/support/comparable.js";
import { Random } from "../../../property/support/random.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, replayTo, takeUnits } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ store: GraphStore; graph: Graph }>("batches");
const OTHER_THREAD = TEST_THREAD + 1;

test.before.each((context) => {
  context.store = loggedStore();
  context.graph = openStore(context.store);
});

test.after.each(({ store, graph }) => {
  graph.closeAll();
  checkStore(store);
});

test("log one transaction and return the result", ({ store, graph }) => {
  const created = graph.batch(() => {
    graph.createVertex("a", { type: "t", properties: { name: "x" } });
    return graph.connect("a", ["r", M_INT, 5], "b");
  });
  assert.is(created, 1);
  assert.is(takeUnits(store).length, 1);
  assert.equal(graph.neighborhood("a"), ["b"]);
});

function abort(graph: Graph, run: () => void): void {
  assert.throws(() => {
    graph.batch(() => {
      run();
      throw new RangeError("over");
    });
  }, /over/);
}

test("leave nothing in searches of texts once they are rolled back", ({ graph }) => {
  const searchResults = () =>
    ["red", "blue"].map((text) => [
      graph.search(text),
      graph.vertices({ condition: { text }, rank: "text.score", sortby: S_RANK }),
    ]);
  graph.index("text", { keys: ["title"] });
  const put = (id: string, title: unknown) =>
    graph.createVertex(id, { properties: { title: title as string } });
  put("a", "red");
  abort(graph, () => {
    put("a", "blue");
    put("b", "red");
    assert.equal(searchResults(), [
      [["b"], ["b"]],
      [["a"], ["a"]],
    ]);
  });
  assert.equal(searchResults(), [
    [["a"], ["a"]],
    [[], []],
  ]);
});

test("leave nothing in cached results once they are rolled back", ({ graph }) => {
  const query = graph.newVerticesQuery();
  const list = () => query.execute({ cache: true });
  abort(graph, () => {
    graph.createVertex("a");
    assert.equal(list(), ["a"]);
    graph.createVertex("c");
    assert.equal(list(), ["a", "c"]);
  });
  // The graph has the same operation count again.
  graph.createVertex("b");
  assert.equal(list(), ["b"]);
  assert.is(list(), list(), "it is cached");
});

test("leave nothing in cached results if another thread rolls back meanwhile", ({ graph }) => {
  const query = graph.newVerticesQuery();
  const list = () => query.execute({ cache: true });
  const { plan } = query as unknown as { plan: { execute: (...args: unknown[]) => unknown } };
  const { execute } = plan;
  // Stands for the other thread.
  plan.execute = (...args) => {
    let result: unknown;
    abort(graph, () => {
      graph.createVertex("a");
      result = execute.apply(plan, args);
    });
    return result;
  };
  assert.equal(list(), ["a"]);
  plan.execute = execute;
  assert.equal(list(), []);
});

test("return any result but a promise", ({ graph }) => {
  for (const result of [null, undefined, 0, { a: 1 }, [1]]) {
    assert.is(
      graph.batch(() => result),
      result,
    );
  }
});

test("use one timestamp for all changes, and keep the clock running", ({ graph }) => {
  const { now } = Date;
  let seconds = 1_800_000_000;
  Date.now = () => seconds++ * 1000;
  try {
    const times = ["a", "b"].map((id) => () => {
      graph.createVertex(id);
      return graph.getVertex(id).tmc;
    });
    const [first, second] = graph.batch(() => times.map((create) => create()));
    assert.is(first, second);
    const fail = (): never => {
      throw new Error("over");
    };
    assert.throws(() => graph.batch(fail), /over/);
    graph.createVertex("c");
    graph.createVertex("d");
    assert.ok(graph.getVertex("c").tmc > first!);
    assert.ok(graph.getVertex("d").tmc > graph.getVertex("c").tmc);
  } finally {
    Date.now = now;
  }
});

test("roll back everything when the callback throws", ({ store, graph }) => {
  graph.connect("a", "r", "b");
  takeUnits(store);
  const before = comparable(store);
  assert.throws(() => {
    graph.batch(() => {
      graph.createVertex("c", { type: "new", properties: { long: "x".repeat(1000) } });
      graph.disconnect("a", "r", "b");
      graph.deleteVertex("a");
      throw new Error("mine");
    });
  }, /^mine$/);
  assert.equal(comparable(store), before);
  assert.is(takeUnits(store).length, 0);
  assert.is(store.types.codeOf("new"), 0);
});

test("roll back only a failing change when the batch continues", ({ store, graph }) => {
  const copy = GraphStore.create("test", TEST_THREAD);
  graph.batch(() => {
    graph.createVertex("a", { type: "t" });
    assert.throws(() => graph.createVertex("a", { type: "other" }), /Type mismatch/);
    assert.throws(() => graph.connect("a", "r", ["nobody"]), /No object/);
    assert.throws(() =>
      graph.batch(() => {
        graph.connect("a", "inner", "b");
        throw new Error("inner");
      }),
    );
    graph.connect("a", "outer", "c");
  });
  assert.equal(graph.neighborhood("a"), ["c"]);
  assert.is(graph.order, 2);
  assert.is(store.relationships.codeOf("inner"), 0);
  replayTo(store, copy);
  assert.equal(comparable(copy), comparable(store));
});

test("leave the previous contents after a partial or full roll back", ({ store, graph }) => {
  const random = new Random();
  const copy = GraphStore.create("test", TEST_THREAD);
  const id = () => `v${random.below(12)}`;
  const change = () => {
    const failingStep = random.below(6);
    if (failingStep === 0)
      graph.createVertex(id(), { properties: { [`k${random.below(3)}`]: id() } });
    else if (failingStep === 1) graph.deleteVertex(id());
    else if (failingStep === 2 && graph.hasVertex("v1")) graph.disconnect("v1");
    else graph.connect(id(), [`r${random.below(3)}`, M_INT, random.below(9)], id());
  };
  for (let round = 0; round < 150; round++) {
    const before = comparable(store);
    const isUndone = random.below(2) === 0;
    const attempt = () =>
      graph.batch(() => {
        for (let changes = random.below(8); changes >= 0; changes--) change();
        const middle = comparable(store);
        try {
          graph.batch(() => {
            for (let changes = random.below(8); changes >= 0; changes--) change();
            throw new Error("undo");
          });
        } catch {}
        assert.equal(comparable(store), middle);
        if (isUndone) throw new Error("undo all");
      });
    if (!isUndone) attempt();
    else {
      assert.throws(attempt, /undo all/);
      assert.equal(comparable(store), before);
    }
    if (round % 30 === 0) checkStore(store);
  }
  replayTo(store, copy);
  checkStore(copy);
  assert.equal(comparable(copy), comparable(store));
});

test("are visible to concurrent queries as a whole or not at all", ({ store, graph }) => {
  const otherGraph = openStore(GraphStore.attach(store.share, OTHER_THREAD));
  graph.connect("hub", "r", "a");
  graph.connect("hub", "r", "b");
  const { ids } = store;
  const originalIdOf = ids.idOf.bind(ids);
  let shown = 0;
  ids.idOf = (handle) => {
    if (shown++ === 1) {
      otherGraph.batch(() => {
        for (const name of ["a", "b"]) otherGraph.createVertex(name, { properties: { n: 2 } });
      });
    }
    return originalIdOf(handle);
  };
  const fields = ["id", "properties"] as const;
  const rows = graph.neighborhood("hub", { fields, result: "dict" });
  ids.idOf = originalIdOf;
  const values = rows.map(({ properties }) => properties.n);
  assert.ok(shown > 2);
  assert.equal(values, [2, 2]);
});

test("reject opening vertices, other graphs and waiting", ({ graph }) => {
  const otherGraph = openStore(GraphStore.create("other", TEST_THREAD));
  using openVertex = graph.newVertex("open");
  const rejectedCalls: readonly (readonly [() => unknown, RegExp])[] = [
    [() => graph.openVertex("open"), /cannot open or close vertices in a batch/],
    [() => graph.newVertex("more"), /cannot open or close vertices in a batch/],
    [() => openVertex.close(), /cannot open or close vertices in a batch/],
    [() => openVertex.relax(), /cannot open or close vertices in a batch/],
    [() => otherGraph.createVertex("x"), /limited to one graph: 'other' within a batch of 'test'/],
    [() => otherGraph.batch(() => 1), /limited to one graph/],
    [() => graph.truncate(), /vertex locks|not allowed in a batch/],
    [async () => 1, /must be synchronous/],
  ];
  for (const [run, text] of rejectedCalls) assert.throws(() => graph.batch(run), text);
  assert.throws(() => graph.batch(undefined as never), /batch requires a function/);
  otherGraph.createVertex("x");
  graph.batch(() => openVertex.setProperty("n", 1));
  assert.is(openVertex.getProperty("n"), 1);
});

test("end at a vertex that another session has locked", ({ graph, store }) => {
  const otherGraph = openStore(store);
  const heldVertex = otherGraph.newVertex("held");
  const change = () =>
    graph.batch(() => {
      graph.createVertex("a");
      graph.connect("a", "r", "held", { timeout: 5000 });
    });
  assert.throws(change, /Object is locked: 'held'/);
  assert.is(graph.hasVertex("a"), false);
  heldVertex.close();
});

test("do not wait for another thread, which needs the mutex to continue", ({ graph, store }) => {
  const otherGraph = openStore(GraphStore.attach(store.share, OTHER_THREAD));
  const heldVertex = otherGraph.newVertex("held");
  const change = () =>
    graph.batch(() => {
      graph.createVertex("a");
      graph.connect("a", "r", "held", { timeout: 50 });
    });
  assert.throws(change, /Object is locked: 'held'/);
  assert.throws(
    () => graph.connect("a", "r", "held", { timeout: 50 }),
    /Acquisition timeout: 'held'/,
    "outside of a batch",
  );
  assert.is(graph.hasVertex("a"), false);
  heldVertex.close();
});

test("roll back when they exceed the size limit", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  const fill = () => {
    for (let vertex = 0; ; vertex++) graph.connect(`v${vertex}`, "r", `v${vertex + 1}`);
  };
  assert.throws(() => batch(store, fill), /batch exceeds the 24 MiB undo log/);
  assert.is(graph.order, 0);
  checkStore(store);
});

test.run();
