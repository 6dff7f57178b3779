// The argspec of a server in library mode: the plugins added at the moment, built or not.
// limit: 60 s
// takes 10 s

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type * as Library from "svc-server";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Argspec, PluginSpec } from "../../argspec/argspec.js";
import { contractHash } from "../../argspec/hash.js";
import { readArgspec } from "../../argspec/read-argspec.js";
import { get, svc } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

// The built package, whose threads have their entries in `dist/`.
const library = new URL("../../dist/index.js", import.meta.url).href;
const { bytes, float, int, json, loadPlugins, str, system }: typeof Library = await import(library);

const test = suite("argspec in library mode");
const project = new TemporaryProject({
  "plugins/point.ts": `import type { int, PluginRequest } from "svc-server";

interface Point {
  x: int;
}

/** Moves a point. @plugin */
export function move(_request: PluginRequest, from: Point, by: int = 1): Point {
  return { x: from.x + by };
}
`,
});
const otherProject = new TemporaryProject({
  "plugins/point.ts": `import type { PluginRequest, str } from "svc-server";

interface Point {
  name: str;
}

/** Names a point. @plugin */
export function named(_request: PluginRequest, of: Point): Point[] {
  return [of];
}
`,
});
let built: Argspec;

test.before(async () => {
  await Promise.all([svc("build", project.folder), svc("build", otherProject.folder)]);
  const file = join(project.folder, ".svc", "argspec.json");
  built = readArgspec(JSON.parse(readFileSync(file, "utf8")));
  await system.initialize("shop", {
    http: 0,
    ip: "127.0.0.1",
    prefix: "shop",
    root: project.folder,
  });
});

test.after(async () => {
  for (const name of ["both", "move", "named", "shift"]) system.removePlugin(name);
  await system.unload();
  project.remove();
  otherProject.remove();
});

interface Told {
  readonly argspec: Argspec;
  /** Of the header. */
  readonly hash: string | null;
}

async function describe(): Promise<Told> {
  const headers = { "x-svc-argspec": "" };
  const { base } = system.serverPorts();
  const response = await get(base, "/svc/builtin/argspec?format=schema", { headers });
  assert.is(response.status, 200, response.text);
  return {
    argspec: readArgspec(response.json.response),
    hash: response.headers.get("x-svc-argspec"),
  };
}

async function load({ folder }: TemporaryProject): Promise<void> {
  for (const plugin of await loadPlugins(join(folder, ".svc"))) system.addPlugin(plugin);
}

test("is empty without plugins", async () => {
  const { argspec, hash } = await describe();
  assert.equal(argspec.plugins, []);
  assert.equal(argspec.service, { name: "shop", prefix: "/shop" });
  assert.is(hash, argspec.hash);
});

test("has the hash and plugins of a build that was added as a whole", async () => {
  await load(project);
  const { argspec, hash } = await describe();
  assert.equal(argspec, { ...built, service: { name: "shop", prefix: "/shop" } });
  assert.is(hash, built.hash);
});

test("describes a function with its declared parameters", async () => {
  system.addPlugin(() => 1, {
    name: "added",
    description: "Adds up. And more.",
    parameters: {
      request: null,
      a: int,
      b: [float, 1.5],
      c: ["str", "x"],
      d: [bytes, new Uint8Array(2)],
      e: [json, { k: [1] }],
      f: "*",
      g: [str, null],
      headers: "dict",
      content: "json",
    },
  });
  const { argspec, hash } = await describe();
  const spec = argspec.plugins.find(({ name }) => name === "added");
  const query = { in: "query", required: true } as const;
  const optional = { in: "query", required: false } as const;
  const text = { type: "string" };
  assert.equal(spec, {
    name: "added",
    path: "/svc/plugin/added",
    role: "engine",
    graph: null,
    readonly: false,
    summary: "Adds up.",
    description: "Adds up. And more.",
    deprecated: false,
    source: null,
    params: [
      { name: "a", ...query, wire: "int", schema: { type: "integer", "x-svc-range": "safe" } },
      { name: "b", ...optional, wire: "float", default: 1.5, schema: { type: "number" } },
      { name: "c", ...optional, wire: "str", default: "x", schema: text },
      { name: "d", ...optional, wire: "bytes", schema: text },
      { name: "e", ...optional, wire: "json", default: { k: [1] }, schema: {} },
      { name: "f", ...query, wire: "str", schema: text },
      { name: "g", ...optional, wire: "str", schema: text },
      { name: "content", in: "body", wire: "json", required: false, schema: {} },
    ],
    reserved: ["request", "headers", "content"],
    result: { kind: "union", schema: {} },
    errors: [],
    examples: [],
  } satisfies PluginSpec);
  assert.is(hash, contractHash(argspec));
  assert.is.not(hash, built.hash);
});

test("omits removed plugins", async () => {
  system.removePlugin("added");
  assert.is((await describe()).hash, built.hash);
  system.removePlugin("move");
  const { argspec } = await describe();
  assert.equal([argspec.plugins, argspec.$defs], [[], {}]);
});

test("distinguishes types of the same name from two builds", async () => {
  await Promise.all([load(project), load(otherProject)]);
  const { argspec, hash } = await describe();
  const byName = new Map(argspec.plugins.map((plugin) => [plugin.name, plugin]));
  const declaredType = (name: string): string => {
    const { $ref } = byName.get(name)!.params[0]!.schema as { $ref: string };
    return $ref.slice("#/$defs/".length);
  };
  assert.equal(Object.keys(argspec.$defs).sort(), ["Point", "Point2"]);
  assert.equal(argspec.$defs[declaredType("move")]!.required, ["x"]);
  assert.equal(argspec.$defs[declaredType("named")]!.required, ["name"]);
  assert.is(
    JSON.stringify(byName.get("named")!.result).includes(`$defs/${declaredType("named")}`),
    true,
  );
  assert.is(hash, contractHash(argspec));
});

test("keeps the description of a built function under another name", async () => {
  const [move] = await loadPlugins(join(project.folder, ".svc"));
  system.addPlugin(move, { name: "shift" });
  const { argspec } = await describe();
  const [original, renamed] = ["move", "shift"].map(
    (pluginName) => argspec.plugins.find(({ name }) => name === pluginName)!,
  );
  assert.equal(renamed, { ...original, name: "shift", path: "/svc/plugin/shift" });
});

test("lists processors with their roles", async () => {
  const pre = (_request: unknown) => 1;
  const post = (_response: unknown) => 1;
  system.addPlugin(null, { name: "both", pre, post, parameters: { request: null, n: int } });
  const both = (await describe()).argspec.plugins.filter(({ name }) => name === "both");
  const shown = both.map(({ role, params, reserved }) => [role, params.length, reserved]);
  assert.equal(shown, [
    ["pre", 1, ["request"]],
    ["post", 0, ["response"]],
  ]);
});

test.run();
