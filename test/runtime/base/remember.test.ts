// A bounded cache of results for texts.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_TEXTS, remember } from "../../../runtime/base/remember.js";

const test = suite("remember");

/** Returns a remembered function, and the texts that reach it. */
function setUp() {
  const computed: string[] = [];
  const isShort = remember((text) => {
    computed.push(text);
    return text.length < 3;
  });
  return { computed, isShort };
}

test("computes once for each text, whatever the result is", () => {
  const { computed, isShort } = setUp();
  for (const text of ["a", "long", "a", "long"]) assert.is(isShort(text), text === "a");
  assert.equal(computed, ["a", "long"]);
});

test("keeps recently used texts, and drops others", () => {
  const { computed, isShort } = setUp();
  for (let count = 0; count < 3 * MAX_TEXTS; count++) {
    isShort("used");
    isShort(String(count));
  }
  assert.is(computed.length, 3 * MAX_TEXTS + 1);
  isShort(String(3 * MAX_TEXTS - 1));
  assert.is(computed.length, 3 * MAX_TEXTS + 1, "the last text is remembered");
  isShort("0");
  assert.is(computed.length, 3 * MAX_TEXTS + 2, "the first text was dropped");
});

test("does not remember long texts", () => {
  const { computed, isShort } = setUp();
  for (const text of ["x".repeat(257), "x".repeat(257)]) isShort(text);
  assert.is(computed.length, 2);
});

test.run();
