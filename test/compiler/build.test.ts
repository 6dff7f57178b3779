// svc build on projects on disk: written files, up-to-date builds, and errors.
// starts processes
// limit: 60 s
// takes 10 s

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject, checkProject } from "../../compiler/build.js";
import type { BuildResult } from "../../compiler/build-result.js";
import type { SvcError } from "../../runtime/base/errors.js";
import { changedFile, readManifest } from "../../runtime/settings/manifest.js";
import { addPlugin, TemporaryProject } from "./projects.js";

const test = suite<{ project: TemporaryProject }>("build");
const FILES = [
  ...["argspec.json", "converters.js", "manifest.json", "modules.js", "modules.js.map"],
  ...["plugins.d.ts", "plugins.js", "routes.json"],
];

test.before.each((context) => {
  context.project = new TemporaryProject({ "plugins/add.ts": addPlugin() });
});
test.after.each(({ project }) => project.remove());

function codes({ diagnostics }: BuildResult): string[] {
  return diagnostics.map(({ code, position }) => `${code} ${position.file}:${position.line}`);
}

function contents(project: TemporaryProject): Record<string, string> {
  const folder = project.path(".svc");
  const names = readdirSync(folder).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

async function fault(run: Promise<unknown>): Promise<SvcError> {
  try {
    await run;
  } catch (error) {
    return error as SvcError;
  }
  throw new Error("should have failed");
}

test("writes the whole folder, with the same bytes a second time", async ({ project }) => {
  const result = await buildProject(project.dir);
  assert.equal(codes(result), []);
  assert.is(result.ok, true);
  assert.is(result.unchanged, false);
  assert.is(result.plugins, 1);
  const first = contents(project);
  assert.equal(Object.keys(first), FILES);
  for (const [name, text] of Object.entries(first)) {
    assert.not.match(text, project.dir, `${name} holds an absolute path`);
  }
  rmSync(project.path(".svc"), { recursive: true });
  await buildProject(project.dir);
  assert.equal(contents(project), first);
  assert.equal(readdirSync(project.dir).sort(), [
    ".svc",
    "node_modules",
    "package.json",
    "plugins",
  ]);
});

test("writes configuration, plugins and inputs to the manifest", async ({ project }) => {
  project.write("svc.config.ts", "export default { http: { port: 8000 } };");
  project.write("plugins/helper.json", '{ "factor": 2 }');
  project.write(
    "plugins/add.ts",
    `import helper from "./helper.json" with { type: "json" };\n${addPlugin("a + helper.factor")}`,
  );
  project.write("tsconfig.json", '{ "extends": "./base.json", "compilerOptions": {} }');
  const options = { strict: true, module: "nodenext", types: [], resolveJsonModule: true };
  project.write("base.json", JSON.stringify({ compilerOptions: options }));
  const result = await buildProject(project.dir);
  assert.equal(codes(result), []);
  const manifest = readManifest(project.dir)!;
  assert.is(manifest.config.name, "shop");
  assert.is(manifest.config.http.port, 8000);
  assert.equal(manifest.plugins, [
    {
      name: "add",
      role: "engine",
      graph: null,
      readonly: false,
      description: {
        path: "/svc/plugin/add",
        description: "Adds.",
        parameters: { request: "PluginRequest", a: "int", b: "int" },
        bound_graph: null,
      },
    },
  ]);
  assert.equal(manifest.files, ["plugins/add.ts"]);
  for (const input of ["base.json", "plugins/helper.json", "svc.config.ts", "tsconfig.json"]) {
    assert.type(manifest.inputs[input], "string", input);
  }
  assert.is(changedFile(project.dir, manifest.inputs), null);
  project.write("plugins/helper.json", '{ "factor": 3 }');
  assert.is(changedFile(project.dir, manifest.inputs), "plugins/helper.json");
  assert.is((await buildProject(project.dir)).unchanged, false);
});

test("detects changed types of a package and a changed environment", async ({ project }) => {
  const library = (type: string) => `export declare function half(value: ${type}): number;`;
  project.write("node_modules/halves/package.json", '{ "name": "halves", "types": "index.d.ts" }');
  project.write("node_modules/halves/index.d.ts", library("number"));
  const source = addPlugin("half(a) + b");
  project.write("plugins/add.ts", `import { half } from "halves";\n${source}`);
  const port = "+(process.env.TEST_PORT ?? 8000)";
  project.write("svc.config.mjs", `export default { http: { port: ${port} } };`);
  assert.is((await buildProject(project.dir)).ok, true);
  assert.is((await buildProject(project.dir)).unchanged, true);
  process.env.TEST_PORT = "8001";
  try {
    assert.is((await buildProject(project.dir)).unchanged, false);
    assert.is(readManifest(project.dir)!.config.http.port, 8001);
    assert.is((await buildProject(project.dir)).unchanged, true);
  } finally {
    delete process.env.TEST_PORT;
  }
  await buildProject(project.dir);
  project.write("node_modules/halves/index.d.ts", library("string"));
  const { ok, diagnostics } = await buildProject(project.dir);
  assert.is(ok, false);
  assert.is(diagnostics[0]!.code, "TS2345");
});

test("reads and writes nothing when nothing has changed", async ({ project }) => {
  await buildProject(project.dir);
  const before = statSync(project.path(".svc")).ino;
  const secondBuild = await buildProject(project.dir);
  assert.is(secondBuild.ok, true);
  assert.is(secondBuild.unchanged, true);
  assert.is(secondBuild.plugins, 1);
  assert.is(secondBuild.timings.read, undefined);
  assert.is(statSync(project.path(".svc")).ino, before);
});

test("repeats the warnings of an unchanged project", async ({ project }) => {
  project.write("plugins/size.ts", "/** @maximum 5 */\nexport type Size = number;\n");
  const warnings = ["SVC1146 plugins/size.ts:1"];
  assert.equal(codes(await buildProject(project.dir)), warnings);
  const secondBuild = await buildProject(project.dir);
  assert.equal([codes(secondBuild), secondBuild.unchanged], [warnings, true]);
});

test("detects new, removed and modified files", async ({ project }) => {
  await buildProject(project.dir);
  project.write("plugins/more/double.ts", addPlugin("a * 2 + b", "double"));
  assert.is((await buildProject(project.dir)).plugins, 2);
  rmSync(project.path("plugins/more"), { recursive: true });
  assert.is((await buildProject(project.dir)).plugins, 1);
  project.write(".svc/plugins.js", "broken");
  assert.is((await buildProject(project.dir)).unchanged, false);
  assert.not.match(contents(project)["plugins.js"]!, "broken");
  project.write("svc.config.mjs", "export default { http: { port: 8000 } };");
  await buildProject(project.dir);
  assert.is(readManifest(project.dir)!.config.http.port, 8000);
});

test("preserves unchanged files and removes others", async ({ project }) => {
  await buildProject(project.dir);
  const routes = statSync(project.path(".svc/routes.json"));
  project.write(".svc/left-over.txt", "");
  mkdirSync(project.path(".svc.new-999999999"));
  project.write("plugins/add.ts", addPlugin("b + a"));
  await buildProject(project.dir);
  assert.is(statSync(project.path(".svc/routes.json")).ino, routes.ino);
  assert.equal(Object.keys(contents(project)), FILES);
  assert.is(existsSync(project.path(".svc.new-999999999")), false);
});

test("removes an extra file even when nothing else changed", async ({ project }) => {
  await buildProject(project.dir);
  project.write(".svc/left-over.txt", "");
  assert.is((await buildProject(project.dir)).unchanged, false);
  assert.equal(Object.keys(contents(project)), FILES);
});

test("restores a build that was killed during the swap", async ({ project }) => {
  await buildProject(project.dir);
  const before = contents(project);
  renameSync(project.path(".svc"), project.path(".svc.old-999999999"));
  project.write(".svc.new-999999999/manifest.json", "half a buil");
  assert.is(readManifest(project.dir)?.plugins.length, 1);
  assert.equal(contents(project), before);
  assert.is((await buildProject(project.dir)).unchanged, true);
  project.write("plugins/add.ts", addPlugin("b + a"));
  await buildProject(project.dir);
  const left = readdirSync(project.dir).filter((name) => name.startsWith(".svc"));
  assert.equal(left, [".svc"]);
});

test("removes remains of killed builds, but not those of running ones", async ({ project }) => {
  const cache = "node_modules/.cache/svc-server";
  project.write(`${cache}/check-999999999-1.json`, "{}");
  project.write(`${cache}/check-${process.ppid}-1.json`, "{}");
  project.write(`${cache}/readings-0123456789abcdef.json.999999999`, "{}");
  project.write(".svc.config.mjs.999999999.abc.mjs", "");
  project.write(`.svc.new-${process.pid}/half`, "");
  project.write("svc.config.mjs", "export default {};");
  assert.is((await buildProject(project.dir)).ok, true);
  const [check, readings, ...others] = readdirSync(project.path(cache)).sort();
  assert.is(check, `check-${process.ppid}-1.json`);
  assert.match(readings!, /^readings-[0-9a-f]{16}\.json$/);
  assert.equal(others, []);
  assert.equal(
    readdirSync(project.dir).filter((name) => name.startsWith(".svc")),
    [".svc"],
  );
});

test("reports differences with check and writes nothing", async ({ project }) => {
  const missingBuild = await buildProject(project.dir, { check: true });
  assert.is(missingBuild.ok, false);
  assert.equal(missingBuild.differing, FILES);
  assert.is(existsSync(project.path(".svc")), false);
  await buildProject(project.dir);
  assert.is((await buildProject(project.dir, { check: true })).ok, true);
  project.write("plugins/add.ts", addPlugin("a - b"));
  project.write(".svc/surplus.txt", "");
  const differs = await buildProject(project.dir, { check: true });
  assert.is(differs.ok, false);
  assert.equal(differs.differing, [
    ...["converters.js", "manifest.json", "modules.js", "plugins.js", "surplus.txt"],
  ]);
});

test("keeps the old build on any error", async ({ project }) => {
  await buildProject(project.dir);
  const before = contents(project);
  const broken: [string, RegExp][] = [
    [addPlugin('"text"'), /^TS2322 plugins\/add\.ts:5$/],
    [addPlugin("a +"), /plugins\/add\.ts/],
    [addPlugin().replace("export ", ""), /^SVC1002 plugins\/add\.ts:4$/],
    [`import { x } from "./nowhere.js";\n${addPlugin("a + x")}`, /^SVC1104 plugins\/add\.ts:1$/],
    // The bundler finds files in any case, also where the file system does not.
    [`import { x } from "../Other.js";\n${addPlugin("a + x")}`, /^\w+ plugins\/add\.ts:1$/],
  ];
  project.write("other.ts", "export const x = 1;");
  for (const [text, code] of broken) {
    project.write("plugins/add.ts", text);
    const result = await buildProject(project.dir);
    assert.is(result.ok, false);
    assert.ok(
      codes(result).some((reported) => code.test(reported)),
      `${code} not in ${codes(result)}`,
    );
    assert.equal(contents(project), before);
  }
});

test("does not repeat a diagnostic as a TypeScript error", async ({ project }) => {
  const head = 'import { plugin, type PluginRequest } from "svc-server";';
  project.write(
    "plugins/add.ts",
    `${head}
@plugin
export function f(request: PluginRequest) { return 1; }
@plugin
export const g = (request: PluginRequest) => 1;
export class Shop {
  @plugin buy(request: PluginRequest) { return 1; }
  @plugin
  static sell = (request: PluginRequest) => 1;
}
@other
export function h(request: PluginRequest) { return 1; }
declare function other(...args: unknown[]): void;
`,
  );
  assert.equal(codes(await checkProject(project.dir)), [
    ...["SVC1001 plugins/add.ts:2", "SVC1001 plugins/add.ts:4", "SVC1004 plugins/add.ts:7"],
    ...["SVC1004 plugins/add.ts:9", "TS1206 plugins/add.ts:11"],
  ]);
});

test("reports a missing package once and nothing else", async ({ project }) => {
  project.write("tsconfig.json", '{ "compilerOptions": { "types": ["node"], "strict": true } }');
  project.write("plugins/more.ts", addPlugin("a + c", "more"));
  project.write("plugins/add.ts", addPlugin().replace("@plugin", "@plugin @example ?a=x"));
  rmSync(project.path("node_modules/svc-server"), { recursive: true });
  const { ok, diagnostics } = await checkProject(project.dir);
  assert.equal([ok, diagnostics.length], [false, 1]);
  assert.is(diagnostics[0]!.code, "SVC1270");
  assert.match(diagnostics[0]!.message, "`svc-server` is not installed here");
  assert.match(diagnostics[0]!.message, "npm install svc-server");
  assert.match(diagnostics[0]!.position.file, /^plugins\/(add|more).ts$/);
});

test("finds errors and warnings with checkProject and writes nothing", async ({ project }) => {
  const right = await checkProject(project.dir);
  assert.is(right.ok, true);
  assert.is(right.plugins, 1);
  project.write("plugins/add.ts", addPlugin('"text"'));
  assert.is((await checkProject(project.dir)).ok, false);
  assert.is(existsSync(project.path(".svc")), false);
});

test("reports projects that cannot be built at all", async ({ project }) => {
  project.write("svc.config.mjs", "export default { plugins: ['nothing/*.ts'] }");
  const missingConfigFault = await fault(buildProject(project.dir));
  assert.is(missingConfigFault.code, "SVC1103");
  assert.match(missingConfigFault.message, "nothing/*.ts");
  project.write(
    "svc.config.mjs",
    "export default { plugins: [{ name: 'a', engine: 'plugins/no.ts#a' }] }",
  );
  assert.match((await fault(buildProject(project.dir))).message, "plugins/no.ts");
  rmSync(project.path("svc.config.mjs"));
  writeFileSync(project.path(".svc"), "a file where the folder should be");
  assert.is((await fault(buildProject(project.dir))).code, "SVC1105");
});

test("includes declarations of tsconfig.json in analysis and type check", async ({ project }) => {
  const options = { strict: true, module: "nodenext", types: [] };
  const tsconfig = { compilerOptions: options, include: ["plugins", "types"] };
  project.write("tsconfig.json", JSON.stringify(tsconfig));
  project.write("types/global.d.ts", "interface City { name: string }");
  project.write("types/untyped.d.ts", 'declare module "untyped" { export const factor: number; }');
  project.write(
    "plugins/add.ts",
    'import { factor } from "untyped";\n' +
      addPlugin("a * factor").replace("a: int", "a: int, c?: City"),
  );
  const result = await buildProject(project.dir);
  assert.equal(codes(result), []);
  assert.match(contents(project)["argspec.json"]!, '"#/$defs/City"');
  const { files, inputs } = readManifest(project.dir)!;
  assert.equal(files, ["plugins/add.ts"]);
  assert.type(inputs["types/global.d.ts"], "string");
  assert.is((await buildProject(project.dir)).unchanged, true);
});

test("finds plugin files behind links once, in any module format", async ({ project }) => {
  project.write(
    "shared/twice.ts",
    `import { two } from "./two.js";\n${addPlugin("a * two + b", "twice")}`,
  );
  project.write("shared/two.ts", "export const two = 2;");
  project.write("plugins/module.mts", addPlugin("a - b", "less"));
  symlinkSync("../shared", project.path("plugins/linked"));
  symlinkSync("..", project.path("plugins/up"));
  symlinkSync("add.ts", project.path("plugins/again.ts"));
  const result = await buildProject(project.dir);
  assert.equal(codes(result), []);
  assert.equal(Object.keys(JSON.parse(contents(project)["routes.json"]!)), [
    ...["/svc/plugin/add", "/svc/plugin/less", "/svc/plugin/twice"],
  ]);
  assert.equal(readManifest(project.dir)!.files, [
    ...["plugins/add.ts", "plugins/linked/twice.ts", "plugins/linked/two.ts"],
    "plugins/module.mts",
  ]);
  assert.is((await buildProject(project.dir)).unchanged, true);
});

test("builds plugins that the configuration declares", async ({ project }) => {
  project.write("src/math.ts", addPlugin().replace("@plugin", ""));
  project.write(
    "svc.config.mjs",
    "export default { plugins: [{ name: 'sum', module: 'src/math.ts', engine: 'add' }] }",
  );
  const result = await buildProject(project.dir);
  assert.equal(codes(result), []);
  assert.equal(JSON.parse(contents(project)["routes.json"]!), {
    "/svc/plugin/sum": { engine: 0 },
  });
  assert.match(contents(project)["modules.js"]!, "// src/math.ts");
});

test.run();
