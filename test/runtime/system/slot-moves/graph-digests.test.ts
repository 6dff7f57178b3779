// A replica has caught up once it has executed as many operations, with equal contents.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { isReached } from "../../../../runtime/system/slot-moves/graph-digests.js";

const test = suite("digests of graphs");

test("with more operations include earlier contents, with equal counts must match", () => {
  const expected = { a: "9 abc", b: "10 def" };
  assert.ok(isReached(expected, expected));
  assert.ok(isReached({ a: "10 xyz", b: "11 xyz", c: "1 x" }, expected));
  assert.not(isReached({ a: "9 abc", b: "9 def" }, expected));
  assert.not(isReached({ a: "9 abd", b: "10 def" }, expected), "it has diverged");
  assert.not(isReached({ b: "10 def" }, expected));
  assert.not(isReached({ a: "", b: "10 def" }, expected), "it is being changed");
});

test.run();
