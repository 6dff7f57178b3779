// Constants of one kind in the position of another: the type check rejects each marked line, and so
// does the call. `npm run check` fails where a marked line would compile.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  D_IN,
  D_OUT,
  F_ID,
  M_FLT,
  M_FWDONLY,
  M_INT,
  M_STAT,
  S_ID,
  S_VAL,
  V_GT,
  V_LT,
} from "../../../../runtime/index.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("mixed constants");
const graph = makeGraph();
graph.connect("a", ["knows", M_STAT], "b");
graph.connect("a", ["owes", M_INT, 5], "b");
graph.connect("b", ["knows", M_STAT | M_FWDONLY], "c");

const REFUSED: readonly (readonly [says: string, call: () => unknown])[] = [
  // @ts-expect-error a modifier is no direction
  ["Invalid arc direction", () => graph.neighborhood("b", { arc: ["knows", M_STAT] })],
  // @ts-expect-error a modifier is no direction
  ["Invalid arc direction", () => graph.disconnect("b", ["knows", M_STAT])],
  // @ts-expect-error a modifier is no direction
  ["Invalid arc direction", () => graph.arcValue("a", ["knows", M_STAT], "b")],
  // @ts-expect-error a modifier is no direction
  ["Invalid arc direction", () => graph.degree("a", { dir: M_STAT })],
  // @ts-expect-error a modifier is no direction
  ["Invalid arc direction", () => graph.vertices({ condition: { traverse: ["k", M_STAT] } })],
  // @ts-expect-error a modifier is no direction
  ["Invalid arc", () => graph.degree("a", M_STAT)],
  // @ts-expect-error a comparison is no modifier
  ["Invalid arc value comparison", () => graph.degree("a", ["owes", D_OUT, V_GT, 5])],
  // @ts-expect-error a direction is no modifier
  ["Invalid arc modifier", () => graph.degree("a", { rel: "knows", mod: D_OUT })],
  // @ts-expect-error a direction is no modifier
  ["Invalid arc modifier", () => graph.connect("a", ["knows", D_OUT], "b")],
  // @ts-expect-error there is no such member
  ["Invalid arc", () => graph.connect("a", { rel: "knows", dir: "out" }, "b")],
];

test("are rejected with the mismatching part", () => {
  for (const [message, call] of REFUSED) {
    assert.throws(call, (error: Error) => error.message.includes(message), `${call}`);
  }
});

test("are accepted in their positions, like plain numbers", () => {
  assert.equal(graph.neighborhood("b", { arc: ["knows", D_IN] }), ["a"]);
  assert.equal(graph.neighborhood("a", { arc: ["knows", D_OUT, M_STAT] }), ["b"]);
  assert.equal(graph.neighborhood("a", { arc: ["knows", 2, 1] }), ["b"]);
  assert.equal(graph.neighborhood("b", { arc: ["knows", D_OUT, M_STAT | M_FWDONLY] }), ["c"]);
  assert.equal(graph.neighborhood("a", { arc: ["owes", D_OUT, M_INT, V_LT, 6] }), ["b"]);
  assert.is(graph.arcValue("a", ["knows", D_OUT, M_STAT], "b"), null);
  assert.is(graph.evaluate("M_STAT"), 1);
});

test("of other kinds are no fields, no order, and no modifiers to the type check", () => {
  // JavaScript cannot tell the numbers apart.
  // @ts-expect-error a sort order is no field
  assert.equal(graph.neighborhood("b", { fields: S_VAL, hits: 0 }), []);
  // @ts-expect-error a comparison is no modifier
  assert.equal(graph.neighborhood("b", { arc: ["x", D_OUT, V_GT] }), []);
  assert.equal(graph.neighborhood("a", { fields: F_ID, hits: 0, sortby: S_ID }), []);
});

test("can be given by name for arcs to connect", () => {
  graph.connect("x", { rel: "weighs", mod: "float", value: 0.5 }, "y");
  assert.is(graph.arcValue("x", ["weighs", D_OUT, M_FLT], "y"), 0.5);
  assert.equal(graph.neighborhood("x", { arc: { rel: "weighs", mod: "float" } }), ["y"]);
  graph.disconnect("x", "weighs");
  graph.connect("x", { rel: "owes", mod: "int", value: 7 }, "y");
  graph.connect("x", { rel: "knows" }, "y");
  graph.connect("x", {}, "y");
  assert.is(graph.arcValue("x", ["owes", D_OUT, M_INT], "y"), 7);
  assert.is(graph.degree("x", "knows"), 1);
  assert.is(graph.degree("x", "__related__"), 1);
  assert.throws(() => graph.connect("x", { rel: "r", mod: "whole" }, "y"), /Invalid arc modifier/);
  assert.throws(() => graph.connect("x", 5 as never, "y"), /Invalid arc/);
});

test.run();
