// The assertions of tests compare what they are told, see runner/strict-assert.mjs.

import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("strict assertions");

function fail(): never {
  throw new TypeError("no such field");
}

/** Whether an assertion fails. */
function isRefused(check: () => void): boolean {
  try {
    check();
    return false;
  } catch (error) {
    return error instanceof assert.Assertion;
  }
}

test("throws compares a text with the message, and a class with the error", () => {
  assert.throws(fail, "such field");
  assert.throws(fail, TypeError);
  assert.throws(fail, Error);
  assert.ok(isRefused(() => assert.throws(fail, "other field")));
  assert.ok(isRefused(() => assert.throws(fail, RangeError)));
});

test("throws takes patterns and functions, and fails without an error", () => {
  assert.throws(fail, /such/);
  assert.throws(fail, (error: Error) => error.message === "no such field");
  assert.ok(isRefused(() => assert.throws(fail, /other/)));
  assert.ok(isRefused(() => assert.throws(() => undefined, "such field")));
});

test.run();
