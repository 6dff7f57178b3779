// Names, numbers and roles of registered plugins.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { PluginEntry } from "../../../../runtime/plugin/contract/plugin-entry.js";
import type { RegisteredPlugin } from "../../../../runtime/plugin/contract/registered-plugin.js";
import { addedSpec } from "../../../../runtime/plugin/register/added-spec.js";
import { PluginRegistry } from "../../../../runtime/plugin/register/registry.js";

const test = suite("plugin registry");

function entry(name: string, role: PluginEntry["role"] = "engine"): RegisteredPlugin {
  const path = `/svc/plugin/${name}`;
  const plainEntry: PluginEntry = {
    name,
    role,
    graph: null,
    readonly: false,
    readers: {},
    description: { path, description: role, parameters: {}, bound_graph: null },
    invoke: () => name,
  };
  return { ...plainEntry, spec: addedSpec(plainEntry), $defs: {} };
}

test("keeps a number on replacement and never reuses it after removal", () => {
  const registry = new PluginRegistry();
  registry.add(entry("a"), entry("b"));
  const repeatedPlugin = entry("a");
  registry.add(repeatedPlugin);
  assert.is(registry.entries()[0], repeatedPlugin);
  assert.equal(registry.table().routes, {
    "/svc/plugin/a": { engine: 0 },
    "/svc/plugin/b": { engine: 1 },
  });
  assert.is(registry.remove("a"), true);
  assert.is(registry.remove("a"), false);
  assert.is(registry.entries()[0], undefined);
  registry.add(entry("a"));
  assert.equal(registry.table().routes, {
    "/svc/plugin/a": { engine: 2 },
    "/svc/plugin/b": { engine: 1 },
  });
});

test("replaces an engine by a pre-processor of the same name and back", () => {
  const registry = new PluginRegistry();
  registry.add(entry("a"));
  registry.add(entry("a", "pre"), entry("a", "post"));
  assert.equal(registry.table().routes, { "/svc/plugin/a": { pre: 1, post: 2 } });
  assert.is(registry.get("a"), undefined);
  assert.ok(registry.get("a", "pre") && registry.get("a", "post"));
  registry.add(entry("a"));
  assert.is(registry.get("a", "pre"), undefined);
  assert.ok(registry.get("a") && registry.get("a", "post"));
  assert.is(registry.remove("a"), true);
  assert.equal(registry.describe(), []);
});

test("computes a hash independent of the registration order", () => {
  const [first, second] = ["a", "b"].map((name): RegisteredPlugin => {
    const plainPlugin = entry(name);
    const result = { kind: "value", schema: { $ref: `#/$defs/Of${name}` } } as const;
    return { ...plainPlugin, spec: { ...plainPlugin.spec, result }, $defs: { [`Of${name}`]: {} } };
  });
  const registry = new PluginRegistry();
  registry.add(first!, second!);
  const { hash } = registry.table().argspec;
  registry.remove("a");
  assert.is.not(registry.table().argspec.hash, hash);
  registry.add(first!);
  assert.is(registry.table().argspec.hash, hash);
});

test("sorts descriptions, one per path", () => {
  const registry = new PluginRegistry();
  registry.add(entry("b", "post"), entry("b", "pre"), entry("a"), entry("c", "post"));
  assert.equal(
    registry.describe().map((record) => [record.path, record.description]),
    [
      ["/svc/plugin/a", "engine"],
      ["/svc/plugin/b", "pre"],
      ["/svc/plugin/c", "post"],
    ],
  );
  assert.equal(
    registry.describe("b").map((record) => record.description),
    ["pre"],
  );
});

test("notifies listeners of every change until they are removed", () => {
  const registry = new PluginRegistry();
  let heard = 0;
  const leave = registry.onChange(() => {
    heard++;
  });
  registry.add(entry("a"), entry("b"));
  registry.remove("x");
  registry.remove("a");
  assert.is(heard, 2);
  leave();
  registry.add(entry("c"));
  assert.is(heard, 2);
});

test.run();
