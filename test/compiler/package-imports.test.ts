// Bundling of a project: bundled sources and external imports.

import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Bundler } from "../../compiler/bundle.js";
import { ProjectFixture } from "./project-fixture.js";

const test = suite("package imports");

const SOURCE = `
import { readFile } from "node:fs/promises";
import { installed } from "installed/sub";
import { aliased } from "~/lib/aliased";
import { inner } from "#inner";
import { typed } from "@org/typed";
import { plain } from "@org/plain";
import { missing } from "missing";
export const all = [readFile, installed, aliased, inner, typed, plain, missing];
`;

function project(): ProjectFixture {
  const fixture = new ProjectFixture({
    "packages/typed/package.json": '{ "name": "@org/typed", "exports": "./src/index.ts" }',
    "packages/typed/src/index.ts": 'export { deep as typed } from "./deep.js";',
    "packages/typed/src/deep.ts": 'import "installed"; export const deep: string = "deep";',
    "packages/plain/package.json": '{ "name": "@org/plain", "main": "index.js" }',
    "packages/plain/index.js": 'exports.plain = require("node:os").EOL;',
    "app/package.json":
      '{ "name": "app", "type": "module", "imports": { "#inner": "./lib/inner.ts" } }',
    "app/tsconfig.json": '{ "compilerOptions": { "paths": { "~/*": ["./*"] } } }',
    "app/lib/aliased.ts": 'export const aliased = "aliased";',
    "app/lib/inner.ts": 'export const inner = "inner";',
    "app/plugins/a.ts": SOURCE,
    "node_modules/installed/package.json":
      '{ "name": "installed", "exports": { ".": "./index.cjs", "./sub": "./index.cjs" } }',
    "node_modules/installed/index.cjs": "exports.installed = 1;",
  });
  mkdirSync(join(fixture.dir, "node_modules/@org"));
  for (const name of ["typed", "plain"]) {
    symlinkSync(`../../packages/${name}`, join(fixture.dir, "node_modules/@org", name));
  }
  return fixture;
}

test("bundle sources of the project and its workspace, but not packages", async () => {
  const { dir } = project();
  const bundler = new Bundler(join(dir, "app"));
  try {
    const { files, inputs, diagnostics } = await bundler.bundle('export * from "./plugins/a.ts";');
    assert.equal(diagnostics, []);
    const code = files.get("modules.js") ?? "";
    const imports = [...code.matchAll(/^import .*?"([^"]+)";$/gm)].map(([, path]) => path);
    assert.equal(imports.sort(), [
      ...["@org/plain", "installed", "installed/sub", "missing", "node:fs/promises"],
    ]);
    assert.equal(inputs, [
      ...["../packages/typed/src/deep.ts", "../packages/typed/src/index.ts"],
      ...["lib/aliased.ts", "lib/inner.ts", "plugins/a.ts"],
    ]);
  } finally {
    await bundler.close();
  }
});

/** One without detectable exports, one that lists them, and modules that are not CommonJS. */
const COMMON_JS = {
  "node_modules/opaque/package.json": '{ "name": "opaque", "main": "index.js" }',
  "node_modules/opaque/index.js": "module.exports = Object.assign({}, { chunk: 1, other: 2 });",
  "node_modules/named/package.json": '{ "name": "named", "exports": "./index.cjs" }',
  "node_modules/named/index.cjs":
    'exports.one = 1; __exportStar(require("./more.cjs"), exports);' +
    'module.exports = { ...require("./more.cjs"), ...require("./more.cjs"), one: 1 };',
  "node_modules/named/more.cjs": 'exports.two = 2; exports.again = require("./index.cjs");',
  "node_modules/modern/package.json": '{ "name": "modern", "type": "module", "main": "i.js" }',
  "node_modules/modern/i.js": "export const there = 1;",
  "node_modules/untold/package.json": '{ "name": "untold", "main": "i.js" }',
  "node_modules/untold/i.js": "export const there = 1;",
};

const NAMES = `
import whole, { chunk as part } from "opaque";
import { one, two } from "named";
import { there } from "modern";
import { there as other } from "untold";
import { default as all, type Some } from "opaque";
export const used = [whole, part, one, two, there, other, all];
`;

test("report names that Node would not find in a CommonJS package", async () => {
  const project = new ProjectFixture({ ...COMMON_JS, "a.ts": NAMES, "b.ts": "export {};" });
  const bundler = new Bundler(project.dir);
  const entry = 'export * from "./a.ts"; export * from "./b.ts";';
  const findCodes = async () =>
    (await bundler.bundle(entry)).diagnostics.map(({ code, position, message }) => {
      return `${code} ${position.file}:${position.line}:${position.column} ${message}`;
    });
  const message = "CommonJS package `opaque` has no export `chunk` that Node.js detects";
  try {
    assert.equal(await findCodes(), [`SVC1121 a.ts:2:17 ${message}`]);
    project.write(
      "b.ts",
      'export {\n  chunk,\n  other as two } from "opaque"; import { chunk as x } from "opaque";',
    );
    assert.equal((await findCodes()).sort(), [
      `SVC1121 a.ts:2:17 ${message}`,
      `SVC1121 b.ts:2:3 ${message}`,
      `SVC1121 b.ts:3:3 ${message.replace("chunk", "other")}`,
    ]);
    project.write("b.ts", 'import * as opaque from "opaque"; export const { chunk } = opaque;');
    project.write("a.ts", 'export { default } from "opaque";');
    assert.equal(await findCodes(), []);
  } finally {
    await bundler.close();
  }
});

test("report warnings of the bundler, and build all the same", async () => {
  const source = "export const is = (n: number) =>\n  n === -0;";
  const { dir } = new ProjectFixture({ "lib/a.ts": source });
  const bundler = new Bundler(dir);
  try {
    const { files, diagnostics } = await bundler.bundle('export * from "./lib/a.ts";');
    assert.match(files.get("modules.js") ?? "", "-0");
    assert.equal(
      diagnostics.map(({ code, severity, position, length }) => [code, severity, position, length]),
      [["SVC1122", "warning", { file: "lib/a.ts", line: 2, column: 9 }, 2]],
    );
  } finally {
    await bundler.close();
  }
});

test.run();
