// The hash of a contract: the same whatever is said of types, another for other types.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { JsonSchema, PluginSpec } from "../../argspec/argspec.js";
import { BUILTINS } from "../../argspec/builtins.js";
import { contractHash } from "../../argspec/hash.js";

const test = suite("hash of a contract");

function hashOf(schema: JsonSchema): string {
  const point = { type: "object", properties: { x: schema } };
  return contractHash({ plugins: [], $defs: { Point: point } });
}

test("texts do not count", () => {
  const hash = hashOf({ type: "number" });
  assert.is(hashOf({ type: "number", description: "metres east" }), hash);
  assert.is(hashOf({ type: "number", deprecated: true }), hash);
});

test("types do, and properties that are called like words for texts", () => {
  const texts = { description: { type: "string" }, deprecated: { type: "boolean" } };
  const hashes = [
    hashOf({ type: "number" }),
    hashOf({ type: "integer" }),
    hashOf({ type: "object" }),
    hashOf({ type: "object", properties: texts }),
    hashOf({ type: "object", properties: { ...texts, deprecated: { type: "number" } } }),
  ];
  assert.is(new Set(hashes).size, hashes.length);
});

test("what a plugin takes beside its parameters does, its texts do not", () => {
  const [plugin] = BUILTINS.plugins;
  const hashWith = (changes: Partial<PluginSpec>) =>
    contractHash({ plugins: [{ ...plugin!, ...changes }], $defs: {} });
  assert.is(hashWith({ summary: "other", deprecated: true, source: null }), hashWith({}));
  assert.is.not(hashWith({ open: true }), hashWith({}));
  assert.is.not(hashWith({ role: "post" }), hashWith({}));
});

test("what decides how clients call it and what they are answered does", () => {
  const [plugin] = BUILTINS.plugins;
  const hashWith = (changes: Partial<PluginSpec>) =>
    contractHash({ plugins: [{ ...plugin!, ...changes }], $defs: {} });
  // Clients repeat what is safe to repeat.
  assert.is.not(hashWith({ readonly: true }), hashWith({ readonly: false }));
  // The result of a forwarded request is that of its target.
  assert.is.not(hashWith({ forwards: ["near"] }), hashWith({ forwards: ["far"] }));
  assert.is.not(hashWith({ forwards: ["near"] }), hashWith({}));
});

test.run();
