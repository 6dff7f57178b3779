// Errors of invalid arguments to graph changes name the position in the arguments, the value and
// the allowed values.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { M_CNT, M_INT, M_STAT } from "../../../../runtime/graph/model/constants.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("invalid arguments of changes");
// Hostile arguments: types would reject most of them.
const graph = makeGraph() as unknown as Record<string, (...args: unknown[]) => unknown>;

const CASES: readonly (readonly [string, unknown[], RegExp])[] = [
  [
    "connect",
    ["a", 5, "b"],
    /^ArcError: Invalid arc, must be.*\n {2}arc is 5; expected: "rel", \[/,
  ],
  ["connect", ["a", [7], "b"], /relationship must be a string\n {2}arc\[0\] is 7; expected: a let/],
  [
    "connect",
    ["a", ["r", 99], "b"],
    /Invalid arc modifier\n {2}arc\[1\] is 99; expected: M_INT and/,
  ],
  ["connect", ["a", { rel: "r", mod: "whole" }, "b"], /\n {2}arc\.mod is "whole"; expected: M_INT/],
  [
    "connect",
    ["a", { rel: "r", dir: "out" }, "b"],
    /\n {2}arc\.dir is "out"; expected: rel, mod, v/,
  ],
  [
    "connect",
    ["a", ["r", M_INT, "5"], "b"],
    /^TypeError.*\n {2}arc\[2\] is "5"; expected: numbers fr/,
  ],
  [
    "connect",
    ["a", ["r", M_INT, 2 ** 40], "b"],
    /^ArcError.*\n {2}arc\[2\] is 1099511627776; expected/,
  ],
  [
    "connect",
    ["a", ["r", M_CNT, -1], "b"],
    /^ValueError.*use count\(\) to subtract\n {2}arc\[2\] is/,
  ],
  ["connect", ["a", ["r", M_STAT, 5], "b"], /\n {2}arc\[2\] is 5; expected: no value, for M_STAT/],
  ["connect", ["a", ["r", 1, 2, 3], "b"], /\n {2}arc is \["r", 1, 2, 3\]; expected: up to three/],
  [
    "connect",
    ["a", "r", ["b", 5]],
    /^TypeError: expected a vertex or its id.*\n {2}\[1\] is 5; expected/,
  ],
  [
    "connect",
    ["a", "r", "b", { lifespan: "x" }],
    /^TypeError.*\n {2}lifespan is "x"; expected: sec/,
  ],
  [
    "createVertex",
    ["v", { properties: { "9k": 1 } }],
    /\n {2}properties\["9k"\] is "9k"; expected: a/,
  ],
  [
    "createVertex",
    ["v", { properties: { n: 2 ** 60 } }],
    /\n {2}properties\.n is 1152921504606847000;/,
  ],
  [
    "createVertex",
    ["v", { properties: { f: () => 1 } }],
    /^TypeError.*\n {2}properties\.f is a func/,
  ],
  ["createVertex", ["v", { lifespan: "1" }], /\n {2}lifespan is "1"; expected: seconds; -1/],
  ["createVertex", ["v", { type: 5 }], /^TypeError.*\n {2}type is 5; expected: a letter, then/],
  [
    "count",
    ["a", "r", "b", 1.5],
    /^ValueError: delta must be integer\n {2}delta is 1\.5; expected/,
  ],
  ["count", ["a", 5, "b"], /\n {2}relationship is 5; expected: a letter, then letters, digits/],
  ["accumulate", ["a", "r", "b", "1"], /\n {2}delta is "1"; expected: numbers/],
  [
    "openVertex",
    ["a", "x"],
    /^ValueError: Access mode.*\n {2}mode is "x"; expected: 'r', 'w', 'a'/,
  ],
];

for (const [method, args, text] of CASES) {
  test(`rejects ${method}(${JSON.stringify(args)}) with the position of the error`, () => {
    try {
      graph[method]!(...args);
    } catch (error) {
      const { name, message, stack } = error as Error;
      assert.match(`${name}: ${message}`, text);
      assert.ok(stack!.includes(message), "the stack has it, too");
      return;
    }
    assert.unreachable();
  });
}

test("names key or value for a single property", () => {
  const vertex = makeGraph().newVertex("v");
  assert.throws(
    () => vertex.setProperty("9k", 1),
    /invalid property key.*\n {2}key is "9k"; expected/,
  );
  assert.throws(
    () => vertex.setProperty("k", 2 ** 60),
    /out of range\n {2}value is 115292150460684/,
  );
  vertex.close();
});

test("names the list element", () => {
  const sample = makeGraph();
  const vertices = [{ id: "a" }, { id: "b", properties: { n: 2 ** 60 } }];
  assert.throws(
    () => sample.createVertices(vertices),
    /\n {2}vertices\[1\]\.properties\.n is 1152/,
  );
  const arcs = [["r", "b"] as const, [["r", M_INT, "x"], "c"] as never];
  assert.throws(() => sample.connectMany("a", arcs), /\n {2}arcs\[1\]\.arc\[2\] is "x"; expected/);
  assert.is(sample.order, 0);
});

test.run();
