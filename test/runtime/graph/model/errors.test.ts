// Classes and codes of graph errors, each raised by a user action.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isErrorCode } from "../../../../runtime/base/error-codes.js";
import { SvcError } from "../../../../runtime/base/errors.js";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { Session } from "../../../../runtime/graph/changes/sessions/session.js";
import { D_OUT, M_INT, M_STAT } from "../../../../runtime/graph/model/constants.js";
import {
  ArcError,
  EnumerationError,
  IndexError,
  KeyError,
  LookupError,
  ValueError,
  VertexError,
} from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { makeGraph, openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("graph errors");

/** The error that a call throws. */
function thrownBy(run: () => unknown): SvcError {
  try {
    run();
  } catch (error) {
    assert.instance(error, SvcError, String(error));
    return error as SvcError;
  }
  throw new Error("nothing was thrown");
}

const CASES: readonly [name: string, code: string, act: (graph: Graph) => unknown][] = [
  ["AccessError", "SVC2401", (graph) => graph.openVertex("a", "r").setProperty("x")],
  ["ArcError", "SVC2403", (graph) => graph.connect("a", ["r", M_STAT, 3], "b")],
  ["EnumerationError", "SVC2404", (graph) => graph.vertexType(100)],
  ["VertexError", "SVC2405", (graph) => graph.createVertex("")],
  ["QueryError", "SVC2406", (graph) => graph.neighborhood("a", { arc: ["r", D_OUT, 999] })],
  ["SearchError", "SVC2407", (graph) => graph.arcValue("a", "none", "b")],
  ["OperationTimeout", "SVC2408", (graph) => graph.newVertex("b") && graph.setGraphReadonly(0)],
  ["DataError", "SVC2409", (graph) => graph.save()],
  ["LookupError", "SVC2410", (graph) => graph.getVertex("a").requireProperty("none")],
  ["KeyError", "SVC2410", (graph) => graph.getVertex("none")],
  ["IndexError", "SVC2410", (graph) => graph.getVertexID(100)],
  ["ValueError", "SVC2411", (graph) => graph.newVertex("a").setProperty("x", 2 ** 60)],
  [
    "UnsupportedError",
    "SVC2412",
    (graph) =>
      graph.vertices({ condition: { similarity: { vector: "tail", score: 0.5 } } as object }),
  ],
];

test("have the class and code of the interface", () => {
  for (const [name, code, act] of CASES) {
    const graph = makeGraph();
    graph.connect("a", ["r", M_INT, 1], "b");
    const error = thrownBy(() => act(graph));
    assert.equal([error.name, error.code], [name, code], error.message);
    assert.ok(isErrorCode(error.code));
  }
});

test("derive classes as the interface does", () => {
  assert.instance(new ArcError("x"), ValueError);
  for (const Derived of [KeyError, IndexError, EnumerationError]) {
    assert.instance(new Derived("x"), LookupError);
  }
  assert.not.instance(new VertexError("x"), ValueError);
});

test("reject a wait within a change, which would never end", () => {
  const store = GraphStore.create("test", TEST_THREAD);
  const vertex = openStore(store).newVertex("a");
  const session = new Session(store);
  const { name, code } = thrownBy(() =>
    store.writer.mutate(() => session.awaitRelease(vertex.handle, 0, 1)),
  );
  assert.equal([name, code], ["AccessError", "SVC2401"]);
});

test("contains the message in the stack once, however often it grows", () => {
  const graph = makeGraph();
  const error = thrownBy(() => graph.neighborhood("a", { arc: ["r", 7] as never }));
  assert.match(error.message, /arc\[1\] is 7; expected/);
  assert.is(error.stack!.split("; expected: ").length, 2, error.stack);
  assert.ok(error.stack!.includes(error.message));
});

test.run();
