// The hash of a contract: independent of documentation, dependent on types.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonSchema, PluginSpec } from "../../argspec/argspec.js";
import { BUILTINS } from "../../argspec/builtins.js";
import { contractHash } from "../../argspec/hash.js";

const test = suite("contract hash");

function hashSchema(schema: JsonSchema): string {
  const point = { type: "object", properties: { x: schema } };
  return contractHash({ plugins: [], $defs: { Point: point } });
}

test("ignores documentation", () => {
  const hash = hashSchema({ type: "number" });
  assert.is(hashSchema({ type: "number", description: "metres east" }), hash);
  assert.is(hashSchema({ type: "number", deprecated: true }), hash);
});

test("depends on types, and on properties named like documentation keywords", () => {
  const texts = { description: { type: "string" }, deprecated: { type: "boolean" } };
  const hashes = [
    hashSchema({ type: "number" }),
    hashSchema({ type: "integer" }),
    hashSchema({ type: "object" }),
    hashSchema({ type: "object", properties: texts }),
    hashSchema({ type: "object", properties: { ...texts, deprecated: { type: "number" } } }),
  ];
  assert.is(new Set(hashes).size, hashes.length);
});

test("depends on additional input of a plugin, but not on its documentation", () => {
  const [plugin] = BUILTINS.plugins;
  const hashWith = (changes: Partial<PluginSpec>) =>
    contractHash({ plugins: [{ ...plugin!, ...changes }], $defs: {} });
  assert.is(hashWith({ summary: "other", deprecated: true, source: null }), hashWith({}));
  assert.is.not(hashWith({ open: true }), hashWith({}));
  assert.is.not(hashWith({ role: "post" }), hashWith({}));
});

test("depends on everything that affects calls and results", () => {
  const [plugin] = BUILTINS.plugins;
  const hashWith = (changes: Partial<PluginSpec>) =>
    contractHash({ plugins: [{ ...plugin!, ...changes }], $defs: {} });
  // Clients retry retryable calls.
  assert.is.not(hashWith({ readonly: true }), hashWith({ readonly: false }));
  // The result of a forwarded request is that of its target.
  assert.is.not(hashWith({ forwards: ["near"] }), hashWith({ forwards: ["far"] }));
  assert.is.not(hashWith({ forwards: ["near"] }), hashWith({}));
});

test.run();
