// Candidates of a scan in slices, while vertices move within the list of their type.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ExpressionSet } from "../../../../runtime/graph/evaluate/expression-set.js";
import { compileVertexCondition } from "../../../../runtime/graph/query/parse/vertex-condition.js";
import { Candidates } from "../../../../runtime/graph/query/walk/candidates.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite("candidates of a scan");
const COUNT = 300;
const FEW = 10;

function scanWhile(change: (graph: ReturnType<typeof openStore>) => void): string[] {
  const store = GraphStore.create("test", TEST_THREAD);
  const graph = openStore(store);
  for (let index = 0; index < COUNT; index++) graph.createVertex(`v${index}`, "thing");
  const expressions = new ExpressionSet(store, undefined);
  const condition = compileVertexCondition(store, expressions, { type: "thing" }, ".condition");
  const candidates = new Candidates(store, condition, FEW);
  const ids: string[] = [];
  for (let slice = 0, count = candidates.next(); count >= 0; slice++, count = candidates.next()) {
    for (const handle of candidates.slice.subarray(0, count)) ids.push(store.ids.idOf(handle));
    if (slice === 0) change(graph);
  }
  return ids;
}

test("return each vertex once, the last ones first", () => {
  const ids = scanWhile(() => undefined);
  assert.is(ids.length, COUNT);
  assert.is(new Set(ids).size, COUNT);
  assert.ok(ids.indexOf(`v${COUNT - 1}`) < ids.indexOf("v0"));
});

test("do not repeat a vertex that moved to the place of a removed one", () => {
  const ids = scanWhile((graph) => {
    for (let index = 0; index < FEW; index++) graph.deleteVertex(`v${index}`);
  });
  assert.is(new Set(ids).size, ids.length);
  assert.is(ids.length, COUNT - FEW);
});

test.run();
