// Files that need only a part of this package's declarations are read with this part.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { PluginReader } from "../../../compiler/read/plugin-reader.js";
import { ReaderProgram } from "../../../compiler/read/reader-program.js";
import { PACKAGE_TYPES, ProjectFixture } from "../project-fixture.js";

const test = suite("own declarations");

const OWN = "node_modules/svc-server";
const TYPES = `${OWN}/dist/types`;
const NAMES = "type int, type str, plugin, HttpError as Refusal, PluginRequest";

function makeProject(files: Readonly<Record<string, string>>): ProjectFixture {
  return new ProjectFixture({
    [`${OWN}/package.json`]: `{ "name": "svc-server", "version": "1.0.0", "type": "module",
      "exports": { ".": { "types": "./dist/types/runtime/index.d.ts" } } }`,
    [`${TYPES}/runtime/index.d.ts`]: `export { ${NAMES} } from "../part.js";
export { Graph } from "../whole.js";`,
    [`${TYPES}/runtime/plugins.d.ts`]: `export { ${NAMES} } from "../part.js";`,
    [`${TYPES}/part.d.ts`]: PACKAGE_TYPES,
    [`${TYPES}/whole.d.ts`]: `export { Graph } from "./part.js";`,
    ...files,
  });
}

/** Returns which declarations a program of a file with this text reads. */
function readWith(text: string): string {
  const project = makeProject({ "a.ts": text });
  const program = new ReaderProgram(project.dir, "tsconfig.json").open([join(project.dir, "a.ts")]);
  assert.equal(
    program.getSemanticDiagnostics(program.getSourceFile(join(project.dir, "a.ts"))),
    [],
  );
  const names = program.getSourceFiles().map(({ fileName }) => fileName);
  return ["part", "whole"]
    .filter((name) => names.some((path) => path.endsWith(`/${name}.d.ts`)))
    .join();
}

test("a file that imports only names of the part reads only the part", () => {
  const small =
    'import { type int, plugin as p, Refusal } from "svc-server"; export { p, Refusal };';
  assert.is(readWith(small), "part");
  assert.is(readWith('import type { str } from "svc-server"; export type A = str;'), "part");
  assert.is(readWith('export { plugin } from "svc-server";'), "part");
  for (const more of [
    'import type { Graph } from "svc-server"; export type G = Graph;',
    'import * as svc from "svc-server"; export { svc };',
    'import "svc-server";',
    'export * from "svc-server";',
    'export * as all from "svc-server";',
    'export type G = import("svc-server").Graph;',
    'declare module "svc-server" { interface Graph { more: string } }',
  ]) {
    assert.is(readWith(`${small}\n${more}`), "part,whole", more);
  }
});

test("types from the part and from the whole are the same, also without a part", () => {
  const plugin = (name: string, request: string) => `import type { int } from "svc-server";
${request}
/** @plugin */
export function ${name}(_: PluginRequest, a: int, b: Text): Kept { return a + b.length; }
export type Kept = int & { readonly kept?: true };`;
  const source = `import * as svc from "svc-server";
type PluginRequest = svc.PluginRequest; type Text = svc.Graph["name"];`;
  const project = makeProject({
    "a.ts": plugin("first", 'import type { PluginRequest, str as Text } from "svc-server";'),
    "b.ts": plugin("second", source),
  });
  const read = () => JSON.stringify(new PluginReader(project.dir, ["a.ts", "b.ts"]).read());
  const output = read();
  assert.match(output, '"second"');
  rmSync(join(project.dir, TYPES, "runtime/plugins.d.ts"));
  assert.is(read(), output);
});

test.run();
