// Hashes of descriptors.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { descriptorHash } from "../../../runtime/system/descriptor-hash.js";

const test = suite("descriptor hash");

test("hashes descriptors independently of key order", () => {
  const hash = descriptorHash({ a: 1, b: [{ c: 2, d: 3 }] });
  assert.is(descriptorHash({ b: [{ d: 3, c: 2 }], a: 1 }), hash);
  assert.is.not(descriptorHash({ a: 1, b: [{ c: 2, d: 4 }] }), hash);
});

test.run();
