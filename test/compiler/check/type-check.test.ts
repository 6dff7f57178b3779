// The native compiler as type checker: its errors as diagnostics, its failures as errors.
// starts processes

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { startTypeCheck } from "../../../compiler/check/type-check.js";
import { SvcError } from "../../../runtime/base/errors.js";
import { ProjectFixture } from "../project-fixture.js";

const test = suite("type check");

const SOURCE = `import type { PluginRequest } from "svc-server";
/** @plugin */
export function f(request: PluginRequest, a: { b: { c: 1 } }): { b: { c: "x" } } { return a; }
const s: number = "text";
type Day = Temporal.PlainDate;
type Other = Unknown.Thing;
`;

test("reports code, position, length and all lines of a message", async () => {
  const project = new ProjectFixture({ "plugins/a.ts": SOURCE, "plugins/fine.ts": "export {};" });
  const diagnostics = (await startTypeCheck(project.dir, ["plugins/a.ts", "plugins/fine.ts"])
    .result)!;
  assert.equal(
    diagnostics.map(({ code, severity, position, length }) => [code, severity, position, length]),
    [
      ["TS2322", "error", { file: "plugins/a.ts", line: 3, column: 84 }, 6],
      ["TS2322", "error", { file: "plugins/a.ts", line: 4, column: 7 }, 1],
      ["TS2503", "error", { file: "plugins/a.ts", line: 5, column: 12 }, 8],
      ["TS2503", "error", { file: "plugins/a.ts", line: 6, column: 14 }, 7],
    ],
  );
  const [withoutTemporal, otherHelp] = diagnostics.slice(2).map(({ help }) => help);
  assert.match(withoutTemporal!, '`"lib": ["esnext"]` in tsconfig.json, and Node.js 26');
  assert.is(otherHelp, "");
  assert.ok(diagnostics[0]!.message.split("\n").length > 1);
});

test("applies the options of the project, but not its list of files", async () => {
  const project = new ProjectFixture({
    "plugins/a.ts": "export const f = (a) => a;",
    "test/other.ts": "const s: number = 'text';",
    "tsconfig.json":
      '{ "compilerOptions": { "strict": false, "composite": true }, "include": ["test"] }',
  });
  assert.equal(await startTypeCheck(project.dir, ["plugins/a.ts"]).result, []);
  project.write("tsconfig.json", '{ "compilerOptions": { "noImplicitAny": true } }');
  const diagnostics = (await startTypeCheck(project.dir, ["plugins/a.ts"]).result)!;
  assert.equal(
    diagnostics.map(({ code }) => code),
    ["TS7006"],
  );
});

test("ignores emit options and errors in packages", async () => {
  const options = {
    ...{
      composite: true,
      declarationMap: true,
      declarationDir: "types",
      emitDeclarationOnly: true,
    },
    ...{ isolatedDeclarations: true, incremental: true, tsBuildInfoFile: "info" },
    ...{ rootDir: "src", outDir: "dist", module: "nodenext" },
  };
  const project = new ProjectFixture({
    "plugins/a.ts": 'import { broken } from "broken";\nexport const a = () => broken;',
    "node_modules/broken/package.json": '{ "name": "broken", "types": "index.d.ts" }',
    "node_modules/broken/index.d.ts":
      'import { inspect } from "not-there";\nexport declare const broken: number;',
    "tsconfig.json": JSON.stringify({ compilerOptions: options, include: ["src"] }),
  });
  assert.equal(await startTypeCheck(project.dir, ["plugins/a.ts"]).result, []);
});

test("reports invalid inherited options in tsconfig.json", async () => {
  const project = new ProjectFixture({
    "a.ts": "export {};",
    "tsconfig.json": '{ "compilerOptions": { "module": "es2022", "moduleResolution": "node16" } }',
  });
  const [diagnostic, ...others] = (await startTypeCheck(project.dir, ["a.ts"]).result)!;
  assert.equal(diagnostic?.position, { file: "tsconfig.json", line: 1, column: 1 });
  assert.match(diagnostic!.message, "'module' must be set to 'Node16'");
  assert.equal(others, []);
});

test("reports errors in tsconfig.json as diagnostics", async () => {
  const project = new ProjectFixture({
    "a.ts": "export {};",
    "tsconfig.json": '{ "compilerOptions": { "unheardOf": "es2023" } }',
  });
  const diagnostics = (await startTypeCheck(project.dir, ["a.ts"]).result)!;
  assert.equal(
    diagnostics.map(({ code, position }) => [code, position.file]),
    [["TS5023", "tsconfig.json"]],
  );
});

test("ends at once without a result when aborted", async () => {
  const project = new ProjectFixture({ "a.ts": "const s: number = 'text';" });
  const check = startTypeCheck(project.dir, ["a.ts"]);
  check.cancel();
  assert.is(await check.result, null);
});

test("throws an error with a code when the compiler fails", async () => {
  const project = new ProjectFixture({
    "a.ts": "export {};",
    "node_modules/typescript/package.json": '{ "name": "typescript", "version": "7.9.9" }',
    "node_modules/typescript/bin/tsc": "console.log('no native binary'); process.exit(9);",
  });
  try {
    await startTypeCheck(project.dir, ["a.ts"]).result;
    assert.unreachable();
  } catch (error) {
    assert.instance(error, SvcError);
    assert.is((error as SvcError).code, "SVC1060");
    assert.match((error as SvcError).message, "no native binary");
  }
});

test("works with readonly packages", async () => {
  const project = new ProjectFixture({
    "a.ts": "const size: number = known;",
    "node_modules/@types/known/index.d.ts": "declare const known: string;",
    "node_modules/.cache": "a file where the folder should be",
  });
  const diagnostics = (await startTypeCheck(project.dir, ["a.ts"]).result)!;
  assert.equal(
    diagnostics.map(({ code, position }) => [code, position.file]),
    [["TS2322", "a.ts"]],
  );
});

test("leaves no files behind", async () => {
  const project = new ProjectFixture({ "a.ts": "export {};" });
  await startTypeCheck(project.dir, ["a.ts"]).result;
  assert.equal(readdirSync(join(project.dir, "node_modules/.cache/svc-server")), []);
  assert.equal(readdirSync(project.dir).sort(), ["a.ts", "node_modules", "package.json"]);
});

test.run();
