// All worked examples of the language, each as a test.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { evaluateText } from "../../../../runtime/graph/evaluate/evaluate.js";
import { Memory, memoryOption } from "../../../../runtime/graph/evaluate/memory.js";
import { displayResult } from "../../../../runtime/graph/evaluate/result-values.js";
import { M_INT } from "../../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { TEST_THREAD } from "../support/make-graph.js";
import { makePeople, requireStore } from "../support/people.js";
import { BETWEEN, DEPARTURES, PURE } from "./worked-expressions.js";

const test = suite("worked expressions");
const emptyStore = GraphStore.create("empty", TEST_THREAD);
const people = makePeople();
const NOTHING = { tail: 0, head: 0, arc: null, vector: [], memory: null };

function expected(expression: string, shown: string): string {
  return DEPARTURES.get(expression)?.[0] ?? shown;
}

for (const [expression, shown] of PURE) {
  test(expression, () => {
    const value = evaluateText(emptyStore, expression, NOTHING);
    assert.is(displayResult(emptyStore, value), expected(expression, shown));
  });
}

for (const [expression, shown] of BETWEEN) {
  test(expression, () => {
    const store = requireStore(people);
    const cells = new Memory(store, [3, [20, 2], 10]);
    const value = evaluateText(store, expression, {
      ...NOTHING,
      tail: store.ids.find("ann"),
      head: store.ids.find("bob"),
      arc: ["knows", M_INT, 5],
      memory: memoryOption(store, cells),
    });
    assert.is(displayResult(store, value), expected(expression, shown));
  });
}

test("lists every deviation among the examples", () => {
  const expressions = new Set([...PURE, ...BETWEEN].map(([expression]) => expression));
  for (const expression of DEPARTURES.keys()) assert.ok(expressions.has(expression), expression);
});

test.run();
