// A bounded cache of results for texts.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { remember } from "../../../runtime/base/remember.js";

const test = suite("remember");

/** Returns a remembered function, and the texts that reach it. */
function counted() {
  const computed: string[] = [];
  const isShort = remember((text) => {
    computed.push(text);
    return text.length < 3;
  });
  return { computed, isShort };
}

test("computes once for each text, whatever the result is", () => {
  const { computed, isShort } = counted();
  for (const text of ["a", "long", "a", "long"]) assert.is(isShort(text), text === "a");
  assert.equal(computed, ["a", "long"]);
});

test("keeps few texts, and no long ones", () => {
  const { computed, isShort } = counted();
  for (let count = 0; count < 65; count++) isShort(String(count));
  isShort("64");
  assert.is(computed.length, 65);
  isShort("0");
  assert.is(computed.length, 66, "the first one was dropped");
  for (const text of ["x".repeat(257), "x".repeat(257)]) isShort(text);
  assert.is(computed.length, 68);
});

test.run();
