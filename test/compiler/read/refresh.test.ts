// An incremental analyzer: after any change its result equals that of a new one, and unaffected
// results are kept.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PluginReader } from "../../../compiler/read/plugin-reader.js";
import { SvcError } from "../../../runtime/base/errors.js";
import { ProjectFixture } from "../project-fixture.js";
import { codes } from "../reading.js";

const test = suite("incremental analysis");

const plugin = (name: string, type: string, imports = "") => `
import type { PluginRequest, int, str } from "svc-server";
${imports}
/** @plugin */
export function ${name}(request: PluginRequest, a: ${type}) { return a; }
`;
const POINT = `import type { Point } from "../lib/point.js";`;

const FILES: Readonly<Record<string, string>> = {
  "plugins/a.ts": plugin("first", "int"),
  "plugins/b.ts": plugin("second", "Point", POINT),
  "plugins/c.ts": plugin("third", `import("../lib/point.js").Point`),
  "lib/point.ts": `export type { Point } from "./deep.js";`,
  "lib/deep.ts": "export interface Point { x: number }",
};
const PLUGINS = ["plugins/a.ts", "plugins/b.ts", "plugins/c.ts"];

/** The kept analyzer must agree with a new one, to the byte. */
function assertSame(
  project: ProjectFixture,
  reader: PluginReader,
  changed: string[],
  files: string[],
) {
  const refreshed = reader.refresh(changed, files);
  const fresh = new PluginReader(project.dir, files).read();
  assert.is(JSON.stringify(refreshed, null, 1), JSON.stringify(fresh, null, 1));
  return refreshed;
}

test("follows a changed plugin file, a changed import, a new and a removed file", () => {
  const project = new ProjectFixture(FILES);
  const reader = new PluginReader(project.dir, PLUGINS);
  const first = reader.read();
  assert.equal(first.dependencies, ["lib/deep.ts", "lib/point.ts", ...PLUGINS]);
  assert.equal(first.diagnostics, []);

  project.write("plugins/a.ts", plugin("renamed", "str"));
  const edited = assertSame(project, reader, ["plugins/a.ts"], PLUGINS);
  assert.equal(
    edited.plugins.map(({ name }) => name),
    ["renamed", "second", "third"],
  );

  project.write("lib/deep.ts", "// moved down\nexport interface Point { x: number; y: string }");
  const deep = assertSame(project, reader, ["lib/deep.ts"], PLUGINS);
  assert.match(JSON.stringify(deep.types), '"y"');

  project.write("plugins/d.ts", plugin("fourth", "Map<string | number, number>"));
  const files = [...PLUGINS, "plugins/d.ts"];
  const added = assertSame(project, reader, ["plugins/d.ts"], files);
  assert.equal(codes(added.diagnostics), ["SVC1040"]);

  project.remove("plugins/d.ts");
  const removed = assertSame(project, reader, ["plugins/d.ts"], PLUGINS);
  assert.equal(removed.diagnostics, []);
});

const SHARED: Readonly<Record<string, readonly [string, string, string]>> = {
  "that contain each other": [
    ...(["First", "Second"] as const),
    `export interface First { other: Second | null; wrong: symbol }
export interface Second { first: First }`,
  ],
  "with a misplaced limit": [
    ...(["First", "First"] as const),
    "/** @maximum 9 */\nexport interface First { x: string }",
  ],
};
for (const [name, [first, second, types]] of Object.entries(SHARED)) {
  test(`finds errors of shared types ${name} after the first file is gone`, () => {
    const use = (type: string) => `import type { ${type} } from "../lib/shapes.js";`;
    const project = new ProjectFixture({
      "plugins/a.ts": plugin("first", first, use(first)),
      "plugins/b.ts": plugin("second", second, use(second)),
      "lib/shapes.ts": types,
    });
    const reader = new PluginReader(project.dir, ["plugins/a.ts", "plugins/b.ts"]);
    assert.ok(reader.read().diagnostics.length > 0);
    project.remove("plugins/a.ts");
    const { diagnostics } = assertSame(project, reader, ["plugins/a.ts"], ["plugins/b.ts"]);
    assert.ok(diagnostics.length > 0);
  });
}

test("finds an import that appears later", () => {
  const { "lib/deep.ts": deep, ...files } = FILES;
  const project = new ProjectFixture(files);
  const reader = new PluginReader(project.dir, PLUGINS);
  reader.read();
  project.write("lib/deep.ts", deep!);
  const result = assertSame(project, reader, ["lib/deep.ts"], PLUGINS);
  assert.equal(Object.keys(result.types), ["Point"]);

  project.remove("lib/deep.ts");
  assert.equal(assertSame(project, reader, ["lib/deep.ts"], PLUGINS).types, {});
});

test("keeps other files readable despite a syntax error, until it is fixed", () => {
  const project = new ProjectFixture(FILES);
  const reader = new PluginReader(project.dir, PLUGINS);
  reader.read();
  project.write("plugins/a.ts", "export function (");
  const broken = assertSame(project, reader, ["plugins/a.ts"], PLUGINS);
  assert.equal(
    broken.plugins.map(({ name }) => name),
    ["second", "third"],
  );
  project.write("plugins/a.ts", FILES["plugins/a.ts"]!);
  assert.equal(assertSame(project, reader, ["plugins/a.ts"], PLUGINS).diagnostics, []);
});

test("applies changed global declarations to files without imports", () => {
  const project = new ProjectFixture({
    ...FILES,
    "plugins/a.ts": plugin("first", "Global"),
    "lib/point.ts": `${FILES["lib/point.ts"]}\ndeclare global { interface Global { a: 1 } }`,
  });
  const reader = new PluginReader(project.dir, PLUGINS);
  reader.read();
  project.write(
    "lib/point.ts",
    `${FILES["lib/point.ts"]}\ndeclare global { interface Global { b: 2 } }`,
  );
  const result = assertSame(project, reader, ["lib/point.ts"], PLUGINS);
  assert.match(JSON.stringify(result.types), '"b"');
});

test("applies global declarations that a file gets, or that a new import brings", () => {
  const uses = `export type Box = Global;`;
  const project = new ProjectFixture({
    ...FILES,
    "plugins/a.ts": plugin("first", "Box", `import type { Box } from "../lib/box.js";`),
    "lib/box.ts": uses,
    "lib/global.ts": "export {};\ndeclare global { interface Global { b: 2 } }",
  });
  const reader = new PluginReader(project.dir, PLUGINS);
  reader.read();
  const deep = FILES["lib/deep.ts"]!;
  project.write("lib/deep.ts", `${deep}\ndeclare global { interface Global { a: 1 } }`);
  const added = assertSame(project, reader, ["lib/deep.ts"], PLUGINS);
  assert.match(JSON.stringify(added.types), '"a"');
  project.write("lib/deep.ts", `import "./global.js";\n${deep}`);
  const imported = assertSame(project, reader, ["lib/deep.ts"], PLUGINS);
  assert.match(JSON.stringify(imported.types), '"b"');
  project.write("lib/deep.ts", deep);
  assertSame(project, reader, ["lib/deep.ts"], PLUGINS);
});

const hook = (header: string) => `import type { PluginRequest } from "svc-server";
export function limit(request: PluginRequest) { request.header("${header}"); }`;

test("reads modules that only a tag names", () => {
  const tagged = plugin("first", "int").replace("@plugin", "@plugin @before lib/guard.ts#limit");
  const project = new ProjectFixture({ ...FILES, "plugins/a.ts": tagged });
  const reader = new PluginReader(project.dir, PLUGINS);
  assert.equal(codes(reader.read().diagnostics), ["SVC1144"]);
  const headers = (changed: string) =>
    assertSame(project, reader, [changed], PLUGINS).plugins[0]!.guards.map(
      (guard) => guard.headers,
    );

  project.write("lib/guard.ts", hook("x-a"));
  assert.equal(headers("lib/guard.ts"), [["x-a"]]);
  project.write("lib/guard.ts", hook("x-b"));
  assert.equal(headers("lib/guard.ts"), [["x-b"]]);

  project.write("plugins/b.ts", plugin("second", "int", `import "../lib/guard.js";`));
  assert.equal(headers("plugins/b.ts"), [["x-b"]]);
  project.write("lib/guard.ts", hook("x-c"));
  assert.equal(headers("lib/guard.ts"), [["x-c"]]);

  project.write("plugins/b.ts", FILES["plugins/b.ts"]!);
  headers("plugins/b.ts");
  project.write("plugins/a.ts", FILES["plugins/a.ts"]!);
  assert.equal(headers("plugins/a.ts"), []);
  project.write("plugins/a.ts", tagged);
  headers("plugins/a.ts");
  project.remove("lib/guard.ts");
  assert.equal(headers("lib/guard.ts"), []);
});

test("resolves imports by the tsconfig of the project", () => {
  const project = new ProjectFixture({
    "plugins/a.ts": plugin("first", "Point", `import type { Point } from "#lib";`),
    "lib/deep.ts": FILES["lib/deep.ts"]!,
    "tsconfig.json": `{ // comments are allowed
      "compilerOptions": {
        "lib": ["es2023"], "module": "nodenext", "paths": { "#lib": ["./lib/deep.ts"] }
      } }`,
  });
  const result = new PluginReader(project.dir, ["plugins/a.ts"]).read();
  assert.equal(Object.keys(result.types), ["Point"]);
});

const GLOBAL_TYPE_USES: Readonly<Record<string, readonly [string, string]>> = {
  result: ["", "() => cpus()"],
  member: ["", "() => cpus()[0]!.model"],
  parameter: ["", "(a: Globe) => 1"],
  inside: ["", "(a: { b: Globe[] }) => 1"],
  base: ["interface Mine extends Globe { b: 1 }", "(a: Mine) => 1"],
  error: ["", "(a: Map<string, Globe>) => 1"],
};
for (const [name, [declarations, fn]] of Object.entries(GLOBAL_TYPE_USES)) {
  test(`has global types when a signature needs them: ${name}`, () => {
    const source = (firstLine: string) => `${firstLine}
import { type PluginRequest, plugin } from "svc-server";
import { cpus } from "node:os";
export { cpus };
${declarations}
export const f = plugin(${fn.replace("(", "(request: PluginRequest, ")});`;
    const types = "node_modules/@types/node/index.d.ts";
    const project = new ProjectFixture({
      "a.ts": source(""),
      "tsconfig.json":
        '{ "compilerOptions": { "lib": ["es2023"], "module": "nodenext", "types": ["node"] } }',
      [types]: `interface Globe { global: string }
declare module "node:os" { export function cpus(): { model: string }[]; }`,
    });
    const withheld = new PluginReader(project.dir, ["a.ts"]).read();
    project.write("a.ts", source(`/// <reference path="${types}" />`));
    const initial = new PluginReader(project.dir, ["a.ts"]).read();
    const { plugins, types: table, diagnostics } = initial;
    assert.is(JSON.stringify(withheld.plugins), JSON.stringify(plugins), name);
    assert.equal(withheld.types, table, name);
    assert.equal(codes(withheld.diagnostics), codes(diagnostics), name);
    assert.match(JSON.stringify([plugins, table, diagnostics]), /"str"|Globe|Map/, name);
  });
}

test("throws an error with a code for an invalid tsconfig", () => {
  const project = new ProjectFixture({
    "a.ts": "export {};",
    "tsconfig.json": '{ "compilerOptions": ',
  });
  assert.throws(
    () => new PluginReader(project.dir, ["a.ts"]),
    (error: unknown) =>
      error instanceof SvcError &&
      error.code === "SVC1061" &&
      error.message.startsWith("tsconfig.json:1:21: "),
  );
});

test("reads functions that only the configuration declares", () => {
  const project = new ProjectFixture({
    "plugins/a.ts": `import type { PluginRequest, int } from "svc-server";
/** Plain. */
export function plain(request: PluginRequest, a: int) { return a; }
export class Shop { static buy(request: PluginRequest) { return 1; } }`,
  });
  const configured = ["plain", "Shop.buy", "missing"].map((exportPath) => ({
    ...({ name: `the_${exportPath.replace(".", "_")}`, role: "pre", graph: null } as const),
    ...{ module: "plugins/a.ts", exportPath },
  }));
  const result = new PluginReader(project.dir, ["plugins/a.ts"], configured).read();
  assert.equal(
    result.plugins.map(({ name, role, exportPath, description }) => [
      name,
      role,
      exportPath,
      description,
    ]),
    [
      ["the_Shop_buy", "pre", "Shop.buy", ""],
      ["the_plain", "pre", "plain", "Plain."],
    ],
  );
  assert.equal(codes(result.diagnostics), ["SVC1015"]);
});

test("detects limits that no plugin uses any more", () => {
  const small = `import type { Small } from "../lib/small.js";`;
  const project = new ProjectFixture({
    "plugins/a.ts": plugin("first", "Small", small),
    "plugins/b.ts": plugin("second", "Small[]", small),
    "lib/small.ts": "/** @maximum 9 */\nexport type Small = number;",
  });
  const files = ["plugins/a.ts", "plugins/b.ts"];
  const reader = new PluginReader(project.dir, files);
  const edits = [
    ["a", "int", []],
    ["b", "int", ["SVC1146"]],
    ["b", "Small", []],
  ] as const;
  assert.equal(reader.read().diagnostics, []);
  for (const [file, type, expected] of edits) {
    project.write(`plugins/${file}.ts`, plugin(`of_${file}`, type, small));
    const result = assertSame(project, reader, [`plugins/${file}.ts`], files);
    assert.equal(codes(result.diagnostics), expected);
  }
});

test.run();
