// One plugin of an argspec with only the types that it needs.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec, PluginSpec, ResultSpec } from "../../argspec/argspec.js";
import { BUILTINS } from "../../argspec/builtins.js";
import { selectPlugin } from "../../argspec/select.js";

const test = suite("selectPlugin");
const refTo = (name: string) => ({ $ref: `#/$defs/${name}` });

const ARGSPEC: Argspec = {
  argspec: 1,
  service: { name: "shop", prefix: null },
  hash: "a".repeat(64),
  plugins: [
    plugin("search", "engine", { kind: "response", sortkey: refTo("Key"), item: refTo("Node") }),
    plugin("search", "pre", { kind: "request" }),
    plugin("other", "engine", { kind: "value", schema: { enum: ["#/$defs/Unused"] } }),
  ],
  $defs: {
    Key: { type: "string" },
    Leaf: { type: "object", properties: { $ref: { type: "null" } }, additionalProperties: false },
    Node: {
      type: "object",
      properties: { next: { anyOf: [refTo("Node"), { type: "null" }] } },
      additionalProperties: { type: "array", prefixItems: [refTo("Leaf")], items: refTo("Rest") },
    },
    Rest: { type: "string" },
    Unused: refTo("Key"),
  },
};

function plugin(
  name: string,
  role: PluginSpec["role"],
  result: ResultSpec | { kind: "response"; sortkey: object; item: object },
): PluginSpec {
  const [path, source] = [`/svc/plugin/${name}`, null];
  const lists = { params: [], reserved: [], errors: [], examples: [] };
  const texts = { summary: "", description: "", deprecated: false };
  return {
    ...{ name, path, role, graph: null, readonly: false, source, ...texts, ...lists },
    result: { meta: true, ...result } as ResultSpec,
  };
}

test("keeps all processors of a name with their types, in order", () => {
  const { plugins, $defs, ...others } = selectPlugin(ARGSPEC, "search");
  assert.equal(
    plugins.map(({ role }) => role),
    ["engine", "pre"],
  );
  assert.equal(Object.keys($defs), ["Key", "Leaf", "Node", "Rest"]);
  assert.equal(others, { argspec: 1, service: ARGSPEC.service, hash: ARGSPEC.hash });
});

test("ignores members that only look like references", () => {
  assert.equal(selectPlugin(ARGSPEC, "other").$defs, {});
});

test("returns no plugins for an unknown name", () => {
  assert.equal(selectPlugin(ARGSPEC, "toString").plugins, []);
});

test("includes the types of parameters", () => {
  const { plugins } = ARGSPEC;
  const schema = { type: "array", items: refTo("Unused") };
  const param = { name: "q", in: "query", wire: "json", required: true, schema } as const;
  const withParameter = { ...ARGSPEC, plugins: [{ ...plugins[2]!, params: [param] }] };
  assert.equal(Object.keys(selectPlugin(withParameter, "other").$defs), ["Key", "Unused"]);
});

test("finds the built-in plugins", () => {
  assert.equal(Object.keys(selectPlugin(BUILTINS, "plugins").$defs), ["PluginDescription"]);
});

test.run();
