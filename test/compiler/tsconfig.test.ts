// Reading of tsconfig.json without TypeScript.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { declarationFiles, tsconfigFiles } from "../../compiler/tsconfig.js";
import { ProjectFixture } from "./project-fixture.js";

const test = suite("tsconfig");

const DECLARATIONS = {
  ...{ "env.d.ts": "", "types/shim.d.ts": "", "types/deep/more.d.mts": "", "types/code.ts": "" },
  ...{ "dist/types/built.d.ts": "", "src/a.d.ts": "", "src/a.ts": "", ".hidden/b.d.ts": "" },
  ...{ "node_modules/pkg/index.d.ts": "", "../outside.d.ts": "" },
};

function declarations(tsconfig: string, others: Readonly<Record<string, string>> = {}) {
  const files = Object.entries({ ...DECLARATIONS, ...others, "tsconfig.json": tsconfig });
  const moved = files.map(([path, text]) => [path.replace(/^(?!\.\.\/)/, "app/"), text]);
  const inParent = moved.map(([path, text]) => [path!.replace("../", ""), text]);
  const { dir } = new ProjectFixture(Object.fromEntries(inParent));
  return declarationFiles(`${dir}/app`);
}

test("finds declarations by include", async () => {
  const everything = ["env.d.ts", "src/a.d.ts", "types/deep/more.d.mts", "types/shim.d.ts"];
  assert.equal(await declarations("{}"), ["dist/types/built.d.ts", ...everything]);
  assert.equal(await declarations('{ "compilerOptions": { "outDir": "./dist" } }'), everything);
  assert.equal(await declarations('{ "exclude": ["dist", "src/**/*"] }'), [
    ...["env.d.ts", "types/deep/more.d.mts", "types/shim.d.ts"],
  ]);
  assert.equal(await declarations('{ "files": ["env.d.ts", "src/a.ts"] }'), ["env.d.ts"]);
  const types = ["types/deep/more.d.mts", "types/shim.d.ts"];
  for (const entry of ["types", "./types/", "types/**/*", "types/**/*.ts", "types/**"]) {
    assert.equal(await declarations(JSON.stringify({ include: [entry] })), types, entry);
  }
  assert.equal(await declarations('{ "include": ["types/*", "src/*.test.ts"] }'), [
    "types/shim.d.ts",
  ]);
  assert.equal(await declarations('{ "include": ["../*.d.ts", "src/a.ts"] }'), ["../outside.d.ts"]);
});

test("inherits lists, with paths relative to their file", async () => {
  const others = {
    "config/base.json": '{ "include": ["../types"], "exclude": ["../types/deep"] }',
    "config/other.json": `{ "include": ["\${configDir}/src"] }`,
  };
  assert.equal(await declarations('{ "extends": "./config/base" }', others), ["types/shim.d.ts"]);
  assert.equal(
    await declarations('{ "extends": ["./config/base.json", "./config/other.json"] }', others),
    ["src/a.d.ts"],
  );
  assert.equal(
    await declarations('{ "extends": "./config/base.json", "include": ["src"] }', others),
    ["src/a.d.ts"],
  );
});

test("accepts comments and trailing commas, and leaves errors to the type check", async () => {
  const text = `{
  // "include": ["types"],
  "include": [ "src/**/*", /* and no more */ ],
  "compilerOptions": { "paths": { "a//b": ["x",] }, },
}`;
  assert.equal(await declarations(text), ["src/a.d.ts"]);
  assert.equal(await declarations("{ broken"), [
    ...["dist/types/built.d.ts", "env.d.ts", "src/a.d.ts"],
    ...["types/deep/more.d.mts", "types/shim.d.ts"],
  ]);
});

test("is optional, and lists each file of a chain once", async () => {
  const { dir } = new ProjectFixture({ "env.d.ts": "" });
  assert.equal(await declarationFiles(dir), []);
  assert.equal(tsconfigFiles(dir), []);
  const chain = new ProjectFixture({
    "tsconfig.json": '{ "extends": ["./a.json", "./b", "@tsconfig/node20"] }',
    "a.json": '{ "extends": "./b.json" }',
    "b.json": '{ "extends": "./tsconfig.json" }',
  });
  assert.equal(tsconfigFiles(chain.dir).sort(), ["a.json", "b.json", "tsconfig.json"]);
});

test("follows the file that a package names for others to extend", () => {
  const project = new ProjectFixture({
    "tsconfig.json": '{ "extends": ["named", "plain"] }',
    "node_modules/named/package.json": '{ "main": "index.js", "tsconfig": "./lib/base.json" }',
    "node_modules/named/index.js": "",
    "node_modules/named/lib/base.json": "{}",
    "node_modules/plain/package.json": "{}",
    "node_modules/plain/tsconfig.json": "{}",
  });
  assert.equal(tsconfigFiles(project.dir).sort(), [
    ...["node_modules/named/lib/base.json", "node_modules/plain/tsconfig.json", "tsconfig.json"],
  ]);
});

test.run();
