// The files of a generated client: its service-specific part against golden files, and invariants
// for every argspec.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { emitTypescriptClient, emitTypescriptTypes } from "../../../argspec/typescript/client.js";
import { packageRoot } from "../../../runtime/base/package-info.js";
import { matchesGolden } from "../../golden/golden.js";
import {
  INTEGER,
  list,
  makeArgspec,
  object,
  optional,
  param,
  plugin,
  ref,
  STRING,
} from "../sample-argspec.js";

const test = suite("typescript client");

const RUNTIME = { esm: "// esm\n", cjs: "// cjs\n", types: "// types\n" };
const DEFINITIONS = {
  City: {
    ...object({ name: STRING, near: { ...list(ref("City")), description: "by rail" } }, ["name"]),
    description: "A place.",
  },
  Client: { enum: ["a", "b"] },
};
const SHOP = makeArgspec(
  [
    plugin("buy", {
      description: "Buys an item.",
      summary: "Buys an item.",
      params: [
        param("item", { description: "what\nis bought" }),
        optional("count", { wire: "int", schema: INTEGER, default: 1 }),
        optional("content", { in: "body", wire: "json", schema: ref("City") }),
      ],
      errors: [{ exception: "SoldOut", description: "when there is none" }],
      examples: [{ query: { item: "book", count: 2 }, text: "?item=book&count=2" }],
      result: { kind: "value", schema: { anyOf: [ref("City"), { type: "null" }] } },
    }),
    plugin("search", {
      summary: "Finds | cities.",
      description: "Finds | cities.",
      readonly: true,
      deprecated: true,
      deprecation: "use `find`",
      returns: "the nearest first",
      params: [param("q", { wire: "bytes" }), optional("at", { wire: "json", schema: {} })],
      result: { kind: "response", sortkey: STRING, item: ref("City"), meta: true },
    }),
    plugin("with", { params: [param("kind", { schema: ref("Client") })] }),
  ],
  DEFINITIONS,
);

async function generateFiles(argspec = SHOP): Promise<Map<string, string>> {
  return new Map(await emitTypescriptClient(argspec, RUNTIME));
}

/** The service-specific part. */
function ownPart(text: string, end: string): string {
  const [header, ...others] = text.split(end);
  assert.ok(others.length > 0, `without ${end}`);
  return header!;
}

test("matches the golden files", async () => {
  const files = await generateFiles();
  for (const name of ["package.json", "README.md"]) {
    matchesGolden(`client/${name}`, files.get(name)!);
  }
  matchesGolden("client/index.js", ownPart(files.get("index.js")!, "\nconst builtin$"));
  const declarations = files.get("index.d.ts")!;
  matchesGolden(
    "client/index.d.ts",
    ownPart(declarations, "\n/** Built-in plugins of every server."),
  );
  matchesGolden("client/types.d.ts", await emitTypescriptTypes(SHOP));
});

test("declares the response as clients see it, with types only", async () => {
  const declaredMembers = (text: string) =>
    /interface PluginResponse<K, T> \{\n([^}]*)\}/.exec(text)![1]!.replace(/^ *\/\*\*.*\n/gm, "");
  const options = join(packageRoot(), "client/typescript/options.ts");
  const optionNames = declaredMembers(readFileSync(options, "utf8"));
  assert.is(declaredMembers(await emitTypescriptTypes(SHOP)), optionNames);
});

test("keeps names in examples within the code of the README and of comments", async () => {
  const names = ["a-b", "x: 1 });\n```\n# Not ours\n```\n", "\r", "`", "__proto__"];
  const query = Object.fromEntries(names.map((name) => [name, 1]));
  const spec = plugin("find", { examples: [{ query, text: "" }] });
  const files = await generateFiles(makeArgspec([spec]));
  const fences = files.get("README.md")!.match(/^ *```.*$/gm);
  assert.equal(fences, ["```ts", "```"]);
  assert.match(files.get("README.md")!, 'client.find({ "a-b": 1, "x: 1 });\\n```\\n# Not ours');
  assert.not.match(files.get("index.d.ts")!, /^ \* ```/m);
});

test("has the same code in CommonJS with other exports", async () => {
  const files = await generateFiles();
  const head = /^(?:"use strict"|import|export \{|const \{|exports\.).*\n\n?/gm;
  const body = (name: string) =>
    files.get(name)!.replace(head, "").replace("export class", "class").trim();
  assert.is(body("index.cjs"), body("index.js"));
  assert.is(files.get("index.d.cts")!.replaceAll(".cjs", ".js"), files.get("index.d.ts"));
});

test("copies the runtime of clients unchanged", async () => {
  const files = await generateFiles();
  const runtimeFiles = ["runtime.js", "runtime.cjs", "runtime.d.ts", "runtime.d.cts"];
  const { esm, cjs, types } = RUNTIME;
  assert.equal(
    runtimeFiles.map((name) => files.get(name)),
    [esm, cjs, types, types],
  );
});

test("contains every file that the manifest names", async () => {
  const files = await generateFiles();
  const names = files.get("package.json")!.matchAll(/"\.\/([^"]+)"/g);
  for (const [, name] of names) assert.ok(files.has(name!), name);
});

test("is deterministic", async () => {
  assert.equal([...(await generateFiles())], [...(await generateFiles())]);
});

test("has code independent of texts and positions", async () => {
  const moved = SHOP.plugins.map((spec) => ({
    ...spec,
    source: { file: "x", line: 1, column: 1 },
  }));
  assert.equal(
    [...(await generateFiles({ ...SHOP, plugins: moved }))],
    [...(await generateFiles())],
  );
});

test("has a package name from the service, in valid characters", async () => {
  const clientName = async (name: string | null) => {
    const files = await generateFiles(makeArgspec([], {}, name));
    return JSON.parse(files.get("package.json")!).name;
  };
  assert.is(await clientName("shop"), "shop-client");
  assert.is(await clientName(null), "svc-client");
  assert.is(await clientName("../@Scope/My Shop\n*/"), "scope-my-shop-client");
  assert.is(await clientName("мир"), "svc-client");
});

test.run();
