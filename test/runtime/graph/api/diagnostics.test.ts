// Chosen name codes, arcs with automatic times, and inspection for developers.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import {
  M_INT,
  M_TMC,
  M_TMX,
  V_GTE,
  V_LT,
  V_NOT,
  V_NRANGE,
  V_RANGE,
} from "../../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { comparable } from "../../../property/support/comparable.js";
import { checkStore } from "../support/check-store.js";
import { loggedStore, replayTo } from "../support/logged-graph.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ store: GraphStore; copy: GraphStore; graph: Graph }>("diagnostics");

test.before.each((context) => {
  context.store = loggedStore();
  context.copy = GraphStore.create("test", TEST_THREAD);
  context.graph = openStore(context.store);
});

/** Replays the logged changes on an empty graph. */
function checkCopy({ store, copy }: { store: GraphStore; copy: GraphStore }): void {
  replayTo(store, copy);
  checkStore(store);
  checkStore(copy);
  assert.equal(comparable(copy), comparable(store));
}

/** Standard output of a call. */
function written(run: () => void): string {
  const { write } = process.stdout;
  let text = "";
  process.stdout.write = ((part: string) => {
    text += part;
    return true;
  }) as typeof write;
  try {
    run();
  } finally {
    process.stdout.write = write;
  }
  return text;
}

test("assigns chosen codes and skips them for other names", ({ graph, store, copy }) => {
  assert.is(graph.enumRelationship("far", 600), 600);
  assert.is(graph.enumRelationship("far"), 600);
  assert.is(graph.enumRelationship("far", 600), 600);
  assert.is(graph.relationship(600), "far");
  assert.throws(() => graph.relationship(599), /undefined enumeration/);
  assert.is(graph.enumRelationship("between", 550), 550);
  assert.is(graph.enumRelationship("next"), 601);
  assert.is(graph.enumVertexType("last", 239), 239);
  assert.is(graph.enumKey("k", 7), 7);
  graph.createVertex("a", { type: "last", properties: { k: 1, other: 2 } });
  graph.connect("a", "between", "b");
  assert.equal(graph.relationships(), { between: [550, 1] });
  assert.equal(graph.propertyKeys(), { k: [7, 1], other: [8, 1] });
  const otherStore = GraphStore.attach(store.share, TEST_THREAD + 1);
  assert.equal(openStore(otherStore).relationships(), { between: [550, 1] });
  assert.equal([otherStore.relationships.codeOf("far"), store.types.defined], [600, 3]);
  replayTo(store, copy);
  assert.is(openStore(copy).enumRelationship("far"), 600);
  checkCopy({ store, copy });
});

test("rejects a code that is taken or out of range", ({ graph }) => {
  graph.enumRelationship("a", 600);
  for (const code of [600, 511, 16_128, 1.5, -1, Number.NaN]) {
    assert.throws(
      () => graph.enumRelationship("b", code),
      /is taken or out of range for a relation/,
    );
  }
  assert.throws(() => graph.enumRelationship("a", 601), /'a' has another code: 600/);
  assert.throws(() => graph.enumVertexType("__vertex__", 40), /another code|invalid/);
});

test("assigns skipped codes when no others are left", ({ graph }) => {
  graph.enumVertexType("last", 239);
  for (let type = 0; type < 207; type++) graph.enumVertexType(`t${type}`);
  assert.is(graph.vertexType(graph.enumVertexType("t206")), "t206");
  assert.is(graph.enumVertexType("last"), 239);
});

test("adds automatic times to arcs while enabled", ({ graph, copy, store }) => {
  assert.is(graph.autoArcTimestamps(), false);
  assert.is(graph.autoArcTimestamps(true), true);
  assert.is(graph.connect("a", ["to", M_INT, 1], "b"), 3);
  assert.is(graph.connect("a", ["to", M_INT, 2], "b"), 0);
  assert.is(graph.connect("a", ["gone", M_TMX, 4_000_000_000], "b"), 1);
  assert.is(graph.count("a", "n", "b", 5), 5);
  assert.type(graph.arcValue("a", ["to", 2, M_TMC], "b"), "number");
  checkCopy({ store, copy });
  assert.is(openStore(copy).autoArcTimestamps(), true);
  assert.is(graph.autoArcTimestamps(false), false);
  assert.is(graph.connect("a", "to", "c"), 1);
  graph.setGraphReadonly();
  assert.throws(() => graph.autoArcTimestamps(true), /Graph is readonly/);
});

test("has codes for string values", ({ graph }) => {
  graph.createVertex("a", { properties: { name: "Ann", age: 3 } });
  graph.createVertex("b", { properties: { name: "Ann", text: "" } });
  const code = graph.enumValue("Ann");
  assert.match(code, /^[0-9a-f]{32}$/);
  assert.is(graph.value(code), "Ann");
  assert.equal(graph.propertyStringValues().Ann, [code, 2]);
  assert.throws(() => graph.value(graph.enumValue("Bob")), /undefined enumeration/);
  assert.throws(() => graph.enumValue(1 as never), TypeError);
});

test("prints vertices, locks and arcs", ({ graph }) => {
  graph.connect("a", ["to", M_INT, 7], "b");
  using vertex = graph.openVertex("a");
  vertex.setProperty("k", "v");
  const text = written(() => graph.showVertex("a"));
  assert.match(text, /^Vertex\( a \)\n {2}type __vertex__, REAL\n/);
  assert.match(text, /\n {2}k: "v"\n {2}\( a \)-\[ to <M_INT> 7 \]->\( b \)\n$/);
  assert.match(
    graph.vertexDescriptor(vertex),
    /^handle \d+, descriptor [0-9a-f]+, owner \d+, held 1/,
  );
  assert.match(
    written(() => graph.showOpenVertices()),
    /^WL 1 session \d+: a\n$/,
  );
  const output = written(() => assert.is(graph.showArcs("a"), null));
  assert.is(output, "( a )-[ to <M_INT> 7 ]->( b )\n");
  assert.is(
    written(() => graph.showArcs("nobody")),
    "no arcs\n",
  );
  assert.throws(() => graph.showVertex("nobody"), /Object does not exist: 'nobody'/);
  vertex.close();
  assert.is(
    written(() => graph.showOpenVertices()),
    "no open vertices\n",
  );
});

test("exposes vertex attributes under all names", ({ graph }) => {
  graph.connect("a", "to", "b");
  using vertex = graph.openVertex("a");
  assert.is(vertex.identifier, "a");
  assert.equal([vertex.indegree, vertex.outdegree, vertex.manifestation], [0, 1, "REAL"]);
  assert.equal([vertex.TMC, vertex.TMM, vertex.TMX], [vertex.tmc, vertex.tmm, vertex.tmx]);
  const { handle, index, bitindex, bitvector, allocator } = vertex;
  assert.equal([index, vertex.enum, bitindex, bitvector], [handle, handle, 0, 2 ** handle]);
  assert.equal(allocator, { handle, generation: allocator.generation, refc: 1 });
  const { descriptor } = JSON.parse(JSON.stringify(vertex)) as { descriptor: number };
  assert.is(descriptor, vertex.descriptor);
  assert.is(vertex.descriptor, 17 + 256);
  vertex.setProperty("p", 1);
  assert.is(vertex.descriptor, 17 + 256 + 4 * 256);
  vertex.close();
  using nearVertex = graph.openVertex("a").openNeighbor("to");
  assert.is(nearVertex.id, "b");
  assert.throws(() => nearVertex.openNeighbor("to"), /No matching neighbor/);
  graph.closeAll();
  const select = ".enum; .vector; .arc.issyn";
  const [row] = graph.neighborhood("a", { select, result: "list" });
  assert.equal(row![0], [
    [".enum", 2],
    [".vector", []],
    [".arc.issyn", 0],
  ]);
});

test("inverts a comparison with the negation bit", () => {
  assert.is(V_RANGE | V_NOT, V_NRANGE);
  assert.is(V_GTE | V_NOT, V_LT);
});

test("sets the last replicated serial with resetSerial", ({ graph }) => {
  const { op } = graph.status();
  assert.is(graph.resetSerial(2 ** 50 + 77), 2 ** 50 + 77);
  assert.is(graph.status().transaction.in.serial, 2 ** 50 + 77);
  assert.is(graph.resetSerial(), 0);
  assert.is(graph.status().transaction.in.serial, 0);
  // It is not a graph change and not logged.
  assert.equal(graph.status().op, op);
  assert.throws(() => graph.resetSerial(-1), /a serial is an integer of 0 or more/);
  assert.throws(() => graph.resetSerial(1.5), /a serial is an integer of 0 or more/);
});

test.run();
