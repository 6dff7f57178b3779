// Vertex locks of several sessions in one thread, and the life cycle of handles.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Graph } from "../../../../../runtime/graph/api/graph.js";
import { Session } from "../../../../../runtime/graph/changes/sessions/session.js";
import { M_CNT } from "../../../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../../support/make-graph.js";

const test = suite("vertex locks");

let store: GraphStore;
let ownGraph: Graph;
let otherGraph: Graph;

test.before.each(() => {
  store = GraphStore.create("test", TEST_THREAD);
  ownGraph = openStore(store);
  otherGraph = openStore(store);
  for (const id of ["A", "B", "C"]) ownGraph.createVertex(id);
});

test.after.each(() => {
  ownGraph.closeAll();
  otherGraph.closeAll();
  assert.equal(ownGraph.getOpenVertices(), []);
});

function fails(run: () => unknown, text: string, name = "AccessError"): void {
  assert.throws(
    run,
    (error: Error) => error.name === name && error.message === text,
    `expected ${name}: ${text}`,
  );
}

/** Locks of each session, as `getOpenVertices` lists them. */
function listLocks(): [id: string, mode: string][] {
  return ownGraph.getOpenVertices().map(([id, , mode]) => [id, mode]);
}

test("allow many readers or one writer of a vertex", () => {
  const reading = [
    ownGraph.openVertex("A", "r"),
    otherGraph.openVertex("A", "r"),
    otherGraph.openVertex("A", "r"),
  ];
  assert.is(reading[0]!.readers, 3);
  assert.is(reading[0]!.owner, 0);
  fails(() => openStore(store).openVertex("A"), "Object is locked: 'A'");
  fails(() => openStore(store).newVertex("A"), "Object is locked: 'A'");
  for (const vertex of reading) vertex.close();
  const writing = ownGraph.openVertex("A");
  assert.is(writing.readers, 0);
  assert.ok(writing.owner > 0);
  for (const mode of ["r", "a", "w"] as const) {
    fails(() => otherGraph.openVertex("A", mode), "Object is locked: 'A'");
    // This thread itself would have to release it.
    fails(() => otherGraph.openVertex("A", mode, 1000), "Object is locked: 'A'");
  }
  assert.equal(listLocks(), [["A", "WL"]]);
  assert.equal(ownGraph.getOpenVertices(writing.owner).length, 1);
  assert.equal(ownGraph.getOpenVertices(writing.owner + 1), []);
});

test("are reentrant for the writing session", () => {
  const vertices = [
    ownGraph.openVertex("A"),
    ownGraph.openVertex("A", "r"),
    ownGraph.newVertex("A"),
  ];
  assert.equal(
    vertices.map((vertex) => [vertex.writable(), vertex.readonly(), vertex.xrecursion]),
    vertices.map(() => [true, false, 3]),
  );
  assert.is(ownGraph.closeAll(), 3);
  const readonly = ownGraph.openVertex("A", "r");
  fails(() => ownGraph.openVertex("A"), "Object is locked: 'A'");
  fails(() => ownGraph.openVertex("A", "a", 1000), "Object is locked: 'A'");
  fails(() => readonly.setProperty("x", 1), "Vertex not writable");
});

test("allow at most 112 locks of a vertex", () => {
  for (const mode of ["a", "r"] as const) {
    const vertices = Array.from({ length: 112 }, () => ownGraph.openVertex("A", mode));
    fails(() => ownGraph.openVertex("A", mode), "Recursion limit reached for object: 'A'");
    assert.is(vertices[0]!.xrecursion + vertices[0]!.readers, 112);
    assert.is(vertices.pop()!.close(), true);
    ownGraph.openVertex("A", mode);
    assert.is(ownGraph.closeAll(), 112);
  }
});

test("support the documented modes, and report missing vertices", () => {
  fails(() => ownGraph.openVertex("x", "r"), "Object does not exist: 'x'", "KeyError");
  fails(() => ownGraph.openVertex("x"), "Object does not exist: 'x'", "KeyError");
  fails(() => ownGraph.openVertex(99), "Object does not exist: '99'", "KeyError");
  const modes =
    "Access mode must be one of 'r', 'w', 'a'\n  mode is \"x\"; expected: 'r', 'w', 'a'";
  fails(() => ownGraph.openVertex("A", "x" as never), modes, "ValueError");
  const several = "Access mode must be one of 'r', 'a'\n  mode is \"w\"; expected: 'r', 'a'";
  fails(() => ownGraph.openVertices(["A"], "w" as never), several, "ValueError");
  const createdVertex = ownGraph.openVertex("x", "w");
  assert.equal(
    [createdVertex.type, createdVertex.virtual, createdVertex.writable()],
    ["__vertex__", false, true],
  );
  assert.is(ownGraph.openVertex(createdVertex.address, "a").id, "x");
  ownGraph.connect("x", "to", "v");
  assert.is(ownGraph.openVertex("v", "r").virtual, true);
  ownGraph.closeAll();
  assert.is(ownGraph.openVertex("v", "a").virtual, false);
});

test("are not held after a failed creation", () => {
  ownGraph.createVertex("T", "thing");
  assert.throws(() => ownGraph.newVertex("T", "other"), /Type mismatch for existing object: 'T'/);
  assert.throws(
    () => ownGraph.newVertex("N", { properties: { "1st": 1 } }),
    /invalid property key/,
  );
  assert.equal(listLocks(), []);
  assert.is(ownGraph.hasVertex("N"), false);
});

test("are taken for several vertices together, or for none", () => {
  const opened = ownGraph.openVertices(["B", "A", "C"]);
  assert.equal(
    opened.map(({ id }) => id),
    ["B", "A", "C"],
  );
  assert.is(ownGraph.closeVertices(opened), 3);
  assert.is(ownGraph.closeVertices(opened), 0);
  const duplicate = "Bad context (duplicate vertices in acquisition set)";
  fails(() => ownGraph.openVertices(["A", "B", "A"]), duplicate);
  fails(() => ownGraph.openVertices(["A", "zz"]), "No object : 'zz'", "KeyError");
  assert.equal(listLocks(), []);
  const otherVertex = otherGraph.openVertex("C");
  fails(() => ownGraph.openVertices(["A", "B", "C"]), "Object is locked: 'C'");
  assert.equal(listLocks(), [["C", "WL"]]);
  assert.equal(ownGraph.openVertices(["A", "B"], "r").length, 2);
  otherVertex.close();
  assert.is(ownGraph.openVertices([ownGraph.openVertex("C", "r")], "r")[0]!.readers, 2);
  ownGraph.closeAll();
  ownGraph.connect("B", "to", "C");
  assert.is(ownGraph.openNeighbor("B").id, "C");
});

test("for reading prevent changes of arcs, but not new vertices", () => {
  ownGraph.connect("A", ["n", M_CNT], "B");
  const readonly = ownGraph.openVertex("C", "r");
  const text = "Read-only vertices held by current thread, operation not allowed";
  fails(() => ownGraph.connect("A", "to", "B"), text);
  fails(() => ownGraph.disconnect("A"), text);
  fails(() => ownGraph.count("A", "n", "B"), text);
  fails(() => ownGraph.accumulate("A", "m", "B"), text);
  fails(() => ownGraph.deleteVertex("A"), text);
  assert.is(ownGraph.createVertex("D"), 1);
  assert.is(ownGraph.newVertex("E").writable(), true);
  assert.is(otherGraph.connect("A", "to", "B"), 1);
  fails(
    () => ownGraph.truncate(),
    "Current thread holds one or more vertex locks, cannot truncate.",
  );
  readonly.close();
  ownGraph.closeAll();
  assert.is(ownGraph.connect("B", "to", "A"), 1);
  assert.is(ownGraph.truncate(), 5);
});

test("can be escalated by the only reader, and relaxed to reading", () => {
  const vertex = ownGraph.openVertex("A", "r");
  const otherVertex = otherGraph.openVertex("A", "r");
  fails(() => vertex.escalate(), "Object is locked: 'A'");
  const infinite = "Infinite timeout not allowed for this operation";
  fails(() => vertex.escalate(-1), infinite, "ValueError");
  otherVertex.close();
  ownGraph.escalateVertex(vertex);
  assert.is(vertex.writable(), true);
  fails(() => vertex.escalate(), "Bad context (vertex is not readonly)");
  vertex.setProperty("x", 1);
  assert.is(ownGraph.relaxVertex(vertex), true);
  assert.is(vertex.readonly(), true);
  assert.is(vertex.relax(), true);
  assert.is(otherGraph.openVertex("A", "r").getProperty("x"), 1);
  otherGraph.closeAll();
  vertex.escalate();
  ownGraph.openVertex("A");
  assert.is(vertex.relax(), false);
  assert.equal([vertex.writable(), vertex.xrecursion], [true, 1]);
});

test("for writing fail in a readonly graph, and delay making it readonly", () => {
  const vertex = ownGraph.openVertex("A");
  const text = "Current thread holds 1 writable vertices: (A)";
  fails(() => ownGraph.setGraphReadonly(0), text, "OperationTimeout");
  fails(
    () => otherGraph.setGraphReadonly(0),
    "Others hold 1 writable vertices: (A)",
    "OperationTimeout",
  );
  vertex.relax();
  ownGraph.setGraphReadonly();
  fails(() => vertex.escalate(), "Graph is readonly");
  fails(() => ownGraph.openVertex("B"), "Graph is readonly");
  fails(() => ownGraph.openVertex("new", "w"), "Graph is readonly");
  assert.is(otherGraph.openVertex("A", "r").readers, 2);
  ownGraph.clearGraphReadonly();
  ownGraph.closeAll();
  otherGraph.closeAll();
  ownGraph.openVertex("B");
  ownGraph.setGraphReadonly(0, true);
  assert.is(ownGraph.isGraphReadonly(), true);
  ownGraph.clearGraphReadonly();
});

test("invalidate a handle when it is closed", () => {
  const vertex = ownGraph.openVertex("A");
  const second = ownGraph.openVertex("A");
  assert.is(vertex.readable(), true);
  assert.is(vertex.close(), true);
  assert.is(vertex.close(), false);
  assert.is(ownGraph.closeVertex(vertex), false);
  assert.equal([vertex.readable(), vertex.readonly(), vertex.writable()], [false, false, false]);
  for (const read of [() => vertex.id, () => vertex.deg, () => vertex.op, () => vertex.owner]) {
    fails(read, "Vertex is not accessible");
  }
  for (const call of [
    () => vertex.getProperty("x"),
    () => vertex.setProperty("x"),
    () => vertex.relax(),
    () => vertex.commit(),
    () => vertex.neighborhood(),
    () => ownGraph.connect(vertex, "to", "B"),
  ]) {
    fails(call, "Vertex cannot be accessed");
  }
  assert.is(second.xrecursion, 1);
  assert.is(ownGraph.closeAll(), 1);
  fails(() => second.id, "Vertex is not accessible");
  const disposed = ownGraph.openVertex("A");
  disposed[Symbol.dispose]();
  fails(() => disposed.id, "Vertex is not accessible");
  const foreignVertex = openStore(GraphStore.create("stranger", TEST_THREAD)).newVertex("A");
  fails(() => ownGraph.connect(foreignVertex, "to", "B"), "Vertex not readable");
});

test("end when a graph object is closed, while the graph stays open", () => {
  otherGraph.close();
  fails(() => otherGraph.order, "Graph cannot be accessed");
  fails(() => otherGraph.openVertex("A"), "Graph cannot be accessed");
  otherGraph = openStore(store);
  assert.is(otherGraph.order, 3);
});

test("report the last operation on commit", () => {
  const vertex = ownGraph.openVertex("A");
  const before = vertex.commit();
  assert.is(vertex.commit(), before);
  vertex.setProperty("x", 1);
  assert.ok(vertex.commit() > before);
  ownGraph.openVertex("B");
  assert.is(ownGraph.openVertex("C", "r").commit(), -1);
  assert.is(ownGraph.commitAll(), 2);
  assert.is(ownGraph.closeAll(), 3);
});

test("prevent changes by other sessions, but not reads", () => {
  ownGraph.connect("A", ["n", M_CNT], "B");
  const vertex = ownGraph.openVertex("A");
  vertex.setProperty("x", 1);
  const text = "Object is locked: 'A'";
  for (const change of [
    () => otherGraph.createVertex("A", { properties: { x: 2 } }),
    () => otherGraph.deleteVertex("A"),
    () => otherGraph.connect("A", "to", "C"),
    () => otherGraph.connect("C", "to", "A"),
    () => otherGraph.disconnect("A"),
    () => otherGraph.count("A", "n", "B"),
  ]) {
    fails(change, text);
  }
  assert.equal(otherGraph.neighborhood("A"), ["B"]);
  assert.equal(otherGraph.vertices({ condition: { property: { x: 1 } } }), ["A"]);
  assert.is(otherGraph.degree("A"), 1);
  vertex.close();
  assert.is(otherGraph.deleteVertex("A"), 1);
});

test("delay the removal of a deleted vertex", () => {
  const vertex = ownGraph.openVertex("A");
  assert.is(ownGraph.deleteVertex("A"), 1);
  assert.equal([vertex.virtual, ownGraph.hasVertex("A"), ownGraph.order], [true, true, 3]);
  vertex.close();
  assert.equal([ownGraph.hasVertex("A"), ownGraph.order], [false, 2]);
});

test("exclude sessions that lock the same name", () => {
  const lock = ownGraph.lock("name");
  assert.equal([lock.id, lock.type], ["lock_::test::name", "lock_"]);
  fails(() => otherGraph.lock("name"), "Object is locked: 'lock_::test::name'");
  otherGraph.lock("another").close();
  const [first, second] = [ownGraph.lock(), otherGraph.lock()];
  assert.match(first.id, /^lock_::test::[0-9a-f]{32}$/);
  assert.not.equal(first.id, second.id);
  lock.close();
  assert.is(otherGraph.lock("name", 60).rtx > 50, true);
  otherGraph.closeAll();
  const sum = ownGraph.synchronized(
    (a: number, b: number) => {
      fails(() => otherGraph.synchronized(() => 0), "Object is locked: 'lock_::test::_SYN'");
      return a + b;
    },
    1,
    2,
  );
  assert.is(sum, 3);
  assert.throws(() => ownGraph.synchronized(() => ownGraph.getVertex("none")), /none/);
  assert.is(
    otherGraph.synchronized(() => 4),
    4,
  );
});

test("cannot be taken after the end of a session", () => {
  const session = new Session(store);
  const request = new Graph({ store, session, path: null, isLocal: false });
  const vertex = request.newVertex("A");
  session.end();
  fails(() => vertex.id, "Vertex is not accessible");
  fails(() => request.newVertex("A"), "request has ended and cannot hold vertices");
  assert.equal(listLocks(), []);
  assert.is(request.connect("A", "to", "B"), 1);
});

test("do not restrict changes while a vertex is only read", () => {
  ownGraph.createVertex("read", { properties: { n: 1 } });
  const vertex = ownGraph.getVertex("read");
  assert.equal([vertex.readable(), vertex.readonly(), vertex.writable()], [true, true, false]);
  assert.equal([vertex.readers, listLocks()], [0, []]);
  assert.is(ownGraph.connect("read", "to", "B"), 1);
  assert.is(ownGraph.connect(vertex, "to", "C"), 1);
  assert.is(otherGraph.disconnect("read", "to", "C"), 1);
  const writing = otherGraph.openVertex("read");
  writing.setProperty("n", 2);
  assert.is(vertex.getProperty("n"), 2);
  fails(() => vertex.setProperty("n", 3), "Vertex not writable");
  fails(() => vertex.escalate(), "Object is locked: 'read'");
  writing.close();
  vertex.escalate();
  vertex.setProperty("n", 3);
  assert.equal(listLocks(), [["read", "WL"]]);
  assert.is(vertex.close(), true);
  assert.is(vertex.close(), false);
  assert.equal(listLocks(), []);
});

test("are not needed to notice that a vertex was removed", () => {
  ownGraph.createVertex("gone", { properties: { n: 1 } });
  const vertex = ownGraph.getVertex("gone");
  assert.is(vertex.relax(), true);
  ownGraph.deleteVertex("gone");
  fails(() => vertex.id, "Vertex is not accessible");
  // It has the handle of the removed one.
  const next = ownGraph.newVertex("next", { properties: { n: 2 } });
  fails(() => vertex.getProperty("n"), "Vertex cannot be accessed");
  fails(() => ownGraph.connect(vertex, "to", "B"), "Vertex cannot be accessed");
  assert.is(vertex.readable(), false);
  next.close();
  fails(() => ownGraph.getVertex("gone"), "Object does not exist: 'gone'", "KeyError");
});

test.run();
