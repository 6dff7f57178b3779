// Internal assertions name the assumption that did not hold.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AssertionError, assert as assume } from "../../../runtime/base/assert.js";

const test = suite("internal assertions");

test("throw with the assumption, unless it holds", () => {
  assume(true, "frames are whole words");
  const broken = (): void => assume(false, "frames are whole words");
  assert.throws(broken, (error: unknown) => error instanceof AssertionError);
  assert.throws(broken, /assertion failed: frames are whole words/);
});

test.run();
