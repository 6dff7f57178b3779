// What the bundle of a project takes in, and what it leaves to be imported.

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

test("sources of the project and of its workspace are bundled, packages are not", async () => {
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

test.run();
