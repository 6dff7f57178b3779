// Builds in a temporary folder, loaded and added to a registry.

import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { addPlugin } from "../../../../runtime/plugin/register/add-plugin.js";
import { loadPlugins } from "../../../../runtime/plugin/register/load-plugins.js";
import { PluginRegistry } from "../../../../runtime/plugin/register/registry.js";

const test = suite("loadPlugins");

const folder = mkdtempSync(join(tmpdir(), "svc-load-"));
test.after(() => rmSync(folder, { recursive: true }));

function writeBuild(result: number, seconds: number): void {
  const entry = (name: string, role: string, graph: string | null) => `{
    name: "${name}", role: "${role}", graph: ${JSON.stringify(graph)}, readonly: false,
    readers: { a: () => 7 },
    description: {
      path: "/svc/plugin/${name}", description: "About ${name}", parameters: { a: "int" },
      bound_graph: ${JSON.stringify(graph)},
    },
    invoke: () => ${result},
  }`;
  const entries = [entry("add", "engine", null), entry("find", "pre", "cities")];
  const file = join(folder, "plugins.js");
  writeFileSync(file, `export const plugins = [${entries.join(",")}];\n`);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  const spec = (name: string, role: string) => ({ name, role, path: `/svc/plugin/${name}` });
  const plugins = [spec("add", "engine"), spec("find", "pre")];
  writeFileSync(join(folder, "argspec.json"), JSON.stringify({ plugins, $defs: {} }));
  utimesSync(file, seconds, seconds);
}

test("attaches the build record to functions", async () => {
  writeBuild(1, 1000);
  const [add, find] = await loadPlugins(folder);
  assert.equal([add!.name, find!.name], ["add", "find"]);
  const registry = new PluginRegistry();
  addPlugin(registry, add);
  addPlugin(registry, find);
  assert.is(registry.get("add")!.invoke({} as never, {} as never), 1);
  assert.is(registry.get("add")!.readers.a!("", 0), 7);
  assert.is(registry.get("find", "pre")!.graph, "cities");
  addPlugin(registry, add, { name: "plus" });
  assert.is(registry.describe("plus")[0]!.path, "/svc/plugin/plus");
  assert.is(registry.describe("plus")[0]!.description, "About add");
  addPlugin(registry, null, { name: "seek", pre: find! });
  assert.ok(registry.get("seek", "pre"));
});

test("rejects another role or graph than the built one", async () => {
  writeBuild(1, 1000);
  const [add, find] = await loadPlugins(folder);
  const registry = new PluginRegistry();
  assert.throws(() => addPlugin(registry, null, { name: "x", pre: add! }), /was built as engine/);
  assert.throws(() => addPlugin(registry, find, { graph: "other" }), /built for graph cities/);
  assert.throws(() => add!({} as never), /give it to addPlugin/);
});

test("loads a newer build after an older one", async () => {
  for (const [result, seconds] of [
    [1, 2000],
    [2, 3000],
  ] as const) {
    writeBuild(result, seconds);
    const registry = new PluginRegistry();
    addPlugin(registry, (await loadPlugins(folder))[0]);
    assert.is(registry.get("add")!.invoke({} as never, {} as never), result);
  }
});

test("reports missing or invalid builds", async () => {
  const failure = async (name: string): Promise<string> => {
    try {
      await loadPlugins(name);
    } catch (error) {
      return `${(error as Error).name}: ${(error as Error).message}`;
    }
    return "none";
  };
  assert.match(await failure(join(folder, "none")), /^PluginError: no build in .*svc build/);
  writeFileSync(join(folder, "plugins.js"), "throw new Error('at load')");
  assert.match(await failure(folder), /^PluginError: .* failed to load: Error: at load/);
});

test.run();
