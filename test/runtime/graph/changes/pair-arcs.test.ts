// Filters of only relationship, direction and modifier have a fast path. It finds and removes the
// same arcs as the compiled path, which a harmless `true` forces here.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SvcError } from "../../../../runtime/base/errors.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import {
  D_ANY,
  D_IN,
  D_OUT,
  M_CNT,
  M_FLT,
  M_FWDONLY,
  M_INT,
  M_STAT,
} from "../../../../runtime/graph/model/constants.js";
import type { ArcFilter } from "../../../../runtime/graph/query/parse/query-options.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { Random, SEED } from "../../../property/support/random.js";
import { timeless } from "../../../property/support/random-changes.js";
import { checkStore } from "../support/check-store.js";
import { graphContent } from "../support/graph-content.js";
import { makeGraph, openStore, TEST_THREAD } from "../support/make-graph.js";

const CALLS = 3000;
const IDS = ["a", "b", "c", "d", "e", "hub"];
const RELATIONSHIPS = ["to", "from", "none"];
const MODIFIERS = [M_STAT, M_INT, M_CNT, M_FLT];

const test = suite("arcs between two vertices");

/** A filter, and the same one for the compiler. */
type Filters = readonly [plain: ArcFilter, compiled: ArcFilter];

function anyFilter(random: Random): Filters {
  const name = random.of(RELATIONSHIPS);
  const direction = random.of([D_OUT, D_OUT, D_IN, D_ANY]);
  const modifier = random.of([null, M_INT, M_STAT, M_CNT, M_FWDONLY]);
  const plainFilter = random.of<ArcFilter>([
    name,
    [name],
    [name, direction],
    [name, direction, modifier],
  ]);
  return [plainFilter, [true, plainFilter] as ArcFilter];
}

/** A filter that matches at most one arc of a pair. */
function exactFilter(random: Random): Filters {
  const plainFilter = [
    random.of(RELATIONSHIPS),
    random.of([D_OUT, D_IN]),
    random.of(MODIFIERS),
  ] as const;
  return [plainFilter, [true, plainFilter] as ArcFilter];
}

/** Result of a call, or its error message. */
function outcome(call: () => unknown): unknown {
  try {
    return call();
  } catch (error) {
    assert.instance(error, SvcError);
    return String(error);
  }
}

function connectAtRandom(graphs: readonly Graph[], random: Random): void {
  const [from, to] = [random.of(IDS), random.of(IDS)];
  const arc = [random.of(["to", "from"]), random.of(MODIFIERS)] as const;
  for (const graph of graphs) graph.connect(from, arc, to);
}

test(`plain filters find and remove the same arcs as compiled ones (seed ${SEED})`, () => {
  const random = new Random();
  const stores = ["plain", "compiled"].map(() => GraphStore.create("pairs", TEST_THREAD));
  const graphs = stores.map(openStore);
  const outcomes = new Set<unknown>();
  for (let call = 0; call < CALLS; call++) {
    connectAtRandom(graphs, random);
    const [from, to] = [random.of(IDS), random.of(IDS)];
    const query = (both: Filters, work: (graph: Graph, filter: ArcFilter) => unknown): void => {
      const [plainOutcome, compiled] = both.map((filter, index) =>
        outcome(() => work(graphs[index]!, filter)),
      );
      assert.equal(plainOutcome, compiled, `${JSON.stringify(both[0])} from ${from} to ${to}`);
      outcomes.add(typeof plainOutcome);
    };
    query(anyFilter(random), (graph, filter) => graph.disconnect(from, filter, to));
    query(exactFilter(random), (graph, filter) => graph.arcValue(from, filter, to));
  }
  const [plainContent, compiled] = stores.map((store) => timeless(graphContent(store)));
  assert.equal(plainContent, compiled);
  for (const store of stores) checkStore(store);
  assert.ok(outcomes.has("number") && outcomes.has("string"), "calls have succeeded and failed");
});

test("returns the value of the selected arc among several", () => {
  const graph = makeGraph();
  graph.connect("a", ["to", M_INT, -7], "b");
  graph.connect("a", ["to", M_FLT, 0.5], "b");
  graph.connect("a", "from", "b");
  assert.is(graph.arcValue("a", ["to", D_OUT, M_INT], "b"), -7);
  assert.is(graph.arcValue("a", ["to", D_OUT, M_FLT], "b"), 0.5);
  assert.is(graph.arcValue("b", ["to", D_IN, M_FLT], "a"), 0.5);
  assert.is(graph.arcValue("b", ["to", D_ANY, M_INT], "a"), -7);
  assert.is(graph.arcValue("a", "from", "b"), null);
  assert.throws(() => graph.arcValue("b", ["to", D_OUT, M_INT], "a"), /no arc/);
});

test("keeps an arc of a vertex that another session has locked", () => {
  const store = GraphStore.create("held", TEST_THREAD);
  const [graph, otherGraph] = [openStore(store), openStore(store)];
  graph.connect("a", "to", "b");
  for (const id of ["a", "b"]) {
    const heldVertex = otherGraph.openVertex(id, "r");
    assert.throws(() => graph.disconnect("a", "to", "b"), /Object is locked/);
    heldVertex.close();
  }
  assert.is(graph.disconnect("a", "to", "b"), 1);
  assert.is(graph.disconnect("a", "to", "b"), 0);
});

test("resolves a relationship after taking the writer mutex", () => {
  const store = GraphStore.create("renamed", TEST_THREAD);
  const graph = openStore(store);
  graph.connect("a", "to", "b");
  const otherGraph = openStore(GraphStore.attach(store.share, TEST_THREAD + 1));
  const { writer } = store;
  // As if another thread had reassigned the code just before.
  writer.begin = () => {
    Reflect.deleteProperty(writer, "begin");
    otherGraph.truncate();
    otherGraph.connect("a", "from", "b");
    writer.begin();
  };
  assert.is(graph.disconnect("a", "to", "b"), 0);
  assert.equal(graph.relationships().from?.[1], 1);
});

test.run();
