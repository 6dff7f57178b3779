// The graph that a query names, as scopes and dispatchers see it.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readGraphName } from "../../../runtime/engine/builtin-scopes.js";

const test = suite("graph name of a query");

test("is the last one, decoded like arguments", () => {
  assert.is(readGraphName("graph=a&x=1&graph=b"), "b");
  assert.is(readGraphName("%67raph=caf%C3%A9"), "café");
  assert.is(readGraphName("graph=caf\xc3\xa9"), "café");
});

test("is null without one, and for a query that converters reject", () => {
  assert.is(readGraphName("graphs=a"), null);
  assert.is(readGraphName("graph=%C3"), null);
});

test.run();
