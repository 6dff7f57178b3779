// Instances of another copy of a class are recognized, and nothing else.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { brandClass } from "../../../runtime/base/brand.js";

const test = suite("brand");

class Own extends Error {}
class Sub extends Own {}
class OtherCopy extends Error {}

const isOwn = brandClass(Own, "Own");
brandClass(OtherCopy, "Own");

test("recognizes instances of all copies and of subclasses", () => {
  for (const value of [new Own(), new Sub(), new OtherCopy()]) assert.ok(isOwn(value));
});

test("rejects other values, including hostile proxies", () => {
  const hostile = new Proxy(
    {},
    {
      get() {
        throw new Error("hostile");
      },
    },
  );
  for (const value of [new Error(), {}, null, undefined, "Own", () => 1, hostile]) {
    assert.not(isOwn(value));
  }
});

test.run();
