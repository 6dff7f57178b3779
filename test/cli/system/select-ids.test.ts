// Instances selected by a list of ids and patterns.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { selectIds } from "../../../cli/system/select-ids.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import { eightNodes } from "../../runtime/system/eight-nodes.js";

const test = suite("instance selection");
const system = readDescriptor(eightNodes());
const ALL = ["A1", "TD", "B0.1", "B0.2", "S1.1", "S2.1", "S1.2", "S2.2"];

const CHOICES: readonly (readonly [string, readonly string[]])[] = [
  ["*", ALL],
  ["@", ALL],
  ["S1.1", ["S1.1"]],
  ["S2.1, TD ,S2.1", ["TD", "S2.1"]],
  ["S*", ["S1.1", "S2.1", "S1.2", "S2.2"]],
  ["*.1", ["B0.1", "S1.1", "S2.1"]],
  ["S*.*2", ["S1.2", "S2.2"]],
  ["*1*,B*", ["A1", "B0.1", "B0.2", "S1.1", "S2.1", "S1.2"]],
];

for (const [text, ids] of CHOICES) {
  test(`${text} selects ${ids.join()}`, () => assert.equal(selectIds(system, text), ids));
}

for (const text of ["S9*", "S9.9", "TD,X1", "", ",", "S1.1*1", ".*"]) {
  test(`${JSON.stringify(text)} selects none and is reported`, () => {
    try {
      selectIds(system, text);
      assert.unreachable();
    } catch (error) {
      assert.is((error as SvcError).code, "SVC3111");
    }
  });
}

test("patterns with many stars take linear time", () => {
  assert.throws(() => selectIds(system, "*a".repeat(4000)), /no instance matching/);
});

test.run();
