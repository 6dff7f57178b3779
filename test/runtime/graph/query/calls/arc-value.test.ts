// The value of the arc between two vertices: every direction, one of several arcs, long runs with
// an index, and rejections.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  D_ANY,
  D_BOTH,
  D_IN,
  D_OUT,
  M_ACC,
  M_CNT,
  M_FLT,
  M_FWDONLY,
  M_INT,
  V_EQ,
} from "../../../../../runtime/graph/model/constants.js";
import type { ArcFilter } from "../../../../../runtime/graph/query/parse/query-options.js";
import { makeGraph } from "../../support/make-graph.js";

const test = suite("arc value");

const graph = makeGraph();
graph.connect("a", ["n", M_INT, -5], "b");
graph.connect("a", ["n", M_FLT, 2.5], "b");
graph.connect("a", "plain", "b");
graph.connect("b", ["back", M_CNT, 7], "a");
graph.connect("a", ["forward", M_INT | M_FWDONLY, 9], "f");
for (let arc = 0; arc < 200; arc++) graph.connect("hub", ["n", M_INT, arc], `h${arc}`);

function assertArcValue(
  initial: string,
  arc: ArcFilter,
  terminal: string,
  value: number | null,
): void {
  test(`${initial} ${JSON.stringify(arc)} ${terminal}: ${value}`, () => {
    assert.is(graph.arcValue(initial, arc, terminal), value);
  });
}

assertArcValue("a", ["n", D_OUT, M_INT], "b", -5);
assertArcValue("a", ["n", D_OUT, M_FLT], "b", 2.5);
assertArcValue("a", { rel: "n", mod: M_FLT }, "b", 2.5);
assertArcValue("a", [null, D_OUT, M_FLT], "b", 2.5);
assertArcValue("a", ["*", D_OUT, M_INT], "b", -5);
assertArcValue("a", "plain", "b", null);
assertArcValue("b", ["plain", D_IN], "a", null);
assertArcValue("b", ["n", D_IN, M_INT], "a", -5);
assertArcValue("a", ["back", D_ANY], "b", 7);
assertArcValue("b", ["back", D_ANY, M_CNT], "a", 7);
assertArcValue("a", ["forward", D_OUT, M_INT], "f", 9);
assertArcValue("f", ["forward", D_IN, M_INT | M_FWDONLY], "a", 9);
assertArcValue("hub", "n", "h150", 150);
assertArcValue("h199", ["n", D_IN], "hub", 199);

test("returns any of several matching arcs", () => {
  assert.ok([-5, 2.5].includes(graph.arcValue("a", "n", "b")!));
});

const MISSING: readonly (readonly [string, ArcFilter, string])[] = [
  ...[["b", "n", "a"] as const, ["a", "never", "b"] as const],
  ...[["a", ["n", D_OUT, M_ACC], "b"] as const, ["a", ["n", D_IN], "b"] as const],
  ...[["hub", "n", "a"] as const, ["f", ["forward", D_OUT], "a"] as const],
];
for (const [initial, arc, terminal] of MISSING) {
  test(`${initial} ${JSON.stringify(arc)} ${terminal}: no arc`, () => {
    assert.throws(
      () => graph.arcValue(initial, arc, terminal),
      (error: unknown) =>
        error instanceof Error && error.name === "SearchError" && error.message === "no arc",
    );
  });
}

for (const arc of [null, D_OUT, ["n", D_BOTH], ["n", D_OUT, M_INT, V_EQ, 5], [false, "n"], "*"]) {
  test(`rejects ${JSON.stringify(arc)}: no single arc with a value`, () => {
    const text = "Unsupported arc condition for this function";
    assert.throws(() => graph.arcValue("a", arc as ArcFilter, "b"), text);
  });
}

test("requires both vertices", () => {
  assert.throws(() => graph.arcValue("a", "n", "z"), "Object does not exist: 'z'");
  assert.throws(() => graph.arcValue("z", "n", "a"), "Object does not exist: 'z'");
});

test.run();
