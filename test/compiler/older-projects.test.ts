// Projects whose tsconfig.json has options of older TypeScript releases, or another name.
// limit: 90 s
// starts processes
// takes 5 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, checkProject } from "../../compiler/build.js";
import type { BuildResult } from "../../compiler/build-result.js";
import { replacementOptions } from "../../compiler/read/renamed-options.js";
import { SvcError } from "../../runtime/base/errors.js";
import { ProjectFixture } from "./project-fixture.js";

const test = suite("older projects");

const PLUGIN = `import type { int, PluginRequest } from "svc-server";
import { offset } from "lib/offset";
import { factor } from "@shop/factor";
/** @plugin */
export function add(_request: PluginRequest, a: int): number { return a * factor + offset; }
`;
const OLD_OPTIONS = {
  ...{ target: "ES5", module: "commonjs", moduleResolution: "Node", downlevelIteration: true },
  ...{ esModuleInterop: false, alwaysStrict: false, outFile: "all.js", strict: true },
};

function codes({ diagnostics }: BuildResult): string[] {
  return diagnostics.map(({ code, position }) => `${code} ${position.file}:${position.line}`);
}

test("map removed options to their equivalents", () => {
  const options = {
    ...OLD_OPTIONS,
    baseUrl: "./src",
    paths: { "@shop/*": ["shop/*"], "*": ["x"] },
  };
  const { dir } = new ProjectFixture({
    "config/base.json": JSON.stringify({ compilerOptions: options }),
    "node_modules/@tsconfig/old/tsconfig.json": '{ "compilerOptions": { "module": "AMD" } }',
    "app/tsconfig.json":
      '{ "extends": ["../config/base.json", "@tsconfig/old"],' +
      ' "compilerOptions": { "target": "es2020" } }',
  });
  assert.equal(replacementOptions(`${dir}/app`, "tsconfig.json"), {
    ...{ module: "esnext", moduleResolution: "bundler", esModuleInterop: true, alwaysStrict: true },
    ...{ downlevelIteration: null, outFile: null, baseUrl: null },
    paths: { "*": [`${dir}/config/src/x`], "@shop/*": [`${dir}/config/src/shop/*`] },
  });
  const modern = '{ "compilerOptions": { "module": "nodenext", "paths": { "a": ["./a"] } } }';
  const project = new ProjectFixture({ "tsconfig.json": modern });
  assert.equal(replacementOptions(project.dir, "tsconfig.json"), {});
  assert.equal(replacementOptions(project.dir, "none.json"), {});
});

test("build, and have their types checked", async () => {
  const compilerOptions = { ...OLD_OPTIONS, baseUrl: ".", paths: { "@shop/*": ["shop/*"] } };
  const project = new ProjectFixture({
    "tsconfig.json": JSON.stringify({ compilerOptions }),
    "lib/offset.ts": "export const offset = 1;",
    "shop/factor.ts": "export const factor: number = 2;",
    "plugins/add.ts": PLUGIN,
  });
  assert.equal(codes(await buildProject(project.dir)), []);
  project.write("shop/factor.ts", 'export const factor = "two";');
  assert.equal(codes(await buildProject(project.dir)), ["TS2363 plugins/add.ts:5"]);
});

test("use the defaults of their own TypeScript", async () => {
  const source = "export const first = (list) => list[0];\n";
  const plugin = PLUGIN.replace(/^import .*"(?:lib|@shop).*\n/gm, "").replace(
    " * factor + offset",
    "",
  );
  const project = new ProjectFixture({
    "tsconfig.json": '{ "compilerOptions": { "module": "nodenext" } }',
    "lib/first.ts": source,
    "plugins/add.ts": `import "../lib/first.js";\n${plugin}`,
  });
  assert.equal(codes(await checkProject(project.dir)), ["TS7006 lib/first.ts:1"]);
  const olderVersion = { name: "typescript", version: "5.9.3" };
  project.write("node_modules/typescript/package.json", JSON.stringify(olderVersion));
  assert.equal(codes(await checkProject(project.dir)), []);
  const strict = { module: "nodenext", strict: true };
  project.write("tsconfig.json", JSON.stringify({ compilerOptions: strict }));
  assert.equal(codes(await checkProject(project.dir)), ["TS7006 lib/first.ts:1"]);
});

test("use a named tsconfig.json, with a build of their own", async () => {
  const paths = { "lib/*": ["./lib/*"], "@shop/*": ["./shop/*"] };
  const options = { module: "esnext", moduleResolution: "bundler", paths };
  const project = new ProjectFixture({
    "tsconfig.json": '{ "compilerOptions": { "module": "nodenext" } }',
    "tsconfig.build.json": JSON.stringify({ compilerOptions: options }),
    "lib/offset.ts": "export const offset = 1;",
    "shop/factor.ts": "export const factor = 2;",
    "plugins/add.ts": PLUGIN,
  });
  const { dir } = project;
  const buildOptions = { tsconfig: "./tsconfig.build.json" };
  assert.equal(codes(await buildProject(dir)), [
    "TS2307 plugins/add.ts:2",
    "TS2307 plugins/add.ts:3",
  ]);
  const built = await buildProject(dir, buildOptions);
  assert.equal([codes(built), built.ok, built.unchanged], [[], true, false]);
  assert.is((await buildProject(dir, buildOptions)).unchanged, true);
  assert.is((await buildProject(dir)).ok, false);
  assert.is((await buildProject(dir, { ...buildOptions, check: true })).ok, true);
  project.write("tsconfig.build.json", '{ "compilerOptions": { "module": "nodenext" } }');
  assert.is((await buildProject(dir, buildOptions)).ok, false);
  const missing = await buildProject(dir, { tsconfig: "none.json" }).catch((error) => error);
  assert.instance(missing, SvcError);
  assert.match(missing.message, "file not found: none.json");
});

test.run();
