// The flags of V8 that commands set which compile.

import { cachedDataVersionTag } from "node:v8";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { delayOptimization } from "../../../cli/framework/delay-optimization.js";

const test = suite("delay optimization");

test("changes the flags of this V8", () => {
  // V8 computes this number from its version and its flags.
  const tag = cachedDataVersionTag();
  delayOptimization();
  assert.is.not(cachedDataVersionTag(), tag);
});

test.run();
