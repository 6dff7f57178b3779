// Rebuilding a project that stays open, as in svc dev.
// starts processes
// takes 10 s

import { readdirSync, readFileSync, rmSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject } from "../../compiler/build.js";
import { ProjectBuilder } from "../../compiler/project-builder.js";
import { readManifest } from "../../runtime/settings/manifest.js";
import { addPlugin, TemporaryProject } from "./projects.js";

interface Context {
  project: TemporaryProject;
  builder: ProjectBuilder;
}

const test = suite<Context>("project builder");

test.before.each((context) => {
  context.project = new TemporaryProject({
    "plugins/add.ts": addPlugin("a + b + offset").replace(
      "\n\n",
      '\nimport { offset } from "./offset.js";\n\n',
    ),
    "plugins/offset.ts": "export const offset: number = 1;\n",
  });
  context.builder = new ProjectBuilder(context.project.dir);
});
test.after.each(async ({ project, builder }) => {
  await builder.close();
  project.remove();
});

const bundle = ({ project }: Context) => readFileSync(project.path(".svc/modules.js"), "utf8");

test("follows edits, new files and removed files", async (context) => {
  const { project, builder } = context;
  const first = await builder.rebuild();
  assert.equal(first.diagnostics, []);
  assert.is(first.ok, true);
  assert.equal(await first.checkTypes(), []);

  project.write("plugins/offset.ts", "export const offset: number = 4711;\n");
  const edited = await builder.rebuild(["plugins/offset.ts"]);
  assert.is(edited.ok, true);
  assert.match(bundle(context), "4711");

  project.write("plugins/double.ts", addPlugin("a * b", "double"));
  const added = await builder.rebuild([project.path("plugins/double.ts")]);
  assert.is(added.plugins, 2);

  rmSync(project.path("plugins/double.ts"));
  const removed = await builder.rebuild(["plugins/double.ts"]);
  assert.is(removed.plugins, 1);
  assert.equal(await removed.checkTypes(), []);
});

test("applies changed signatures of imported types to plugins", async (context) => {
  const { project, builder } = context;
  const point = (type: string) => `export interface Point { x: ${type} }\n`;
  const typeImport = 'import type { Point } from "./point.js";\n';
  project.write("plugins/point.ts", point("number"));
  project.write(
    "plugins/add.ts",
    typeImport + addPlugin("a + Number(at.x)").replace("a: int", "a: int, at: Point"),
  );
  const first = await builder.rebuild();
  assert.equal(first.diagnostics, []);
  project.write("plugins/point.ts", point("string"));
  await builder.rebuild(["plugins/point.ts"]);
  const converters = readFileSync(project.path(".svc/converters.js"), "utf8");
  assert.match(converters, ".x (a string is required)");
});

test("applies added and changed declarations to plugins", async (context) => {
  const { project, builder } = context;
  const tsconfig = { compilerOptions: { strict: true, module: "nodenext", types: [] } };
  project.write("tsconfig.json", JSON.stringify(tsconfig));
  project.write("plugins/add.ts", addPlugin("a").replace("a: int", "a: int, c?: City"));
  await builder.rebuild();
  const argspec = () => readFileSync(project.path(".svc/argspec.json"), "utf8");
  for (const property of ["name", "size"]) {
    project.write("city.d.ts", `interface City { ${property}: string }`);
    const result = await builder.rebuild(["city.d.ts"]);
    assert.is(result.ok, true);
    assert.match(argspec(), `"${property}": {\n          "type": "string"`);
  }
});

test("reads declarations of packages again after an installation", async (context) => {
  const { project, builder } = context;
  const declaration = "node_modules/units/index.d.ts";
  project.write("node_modules/units/package.json", '{ "name": "units", "types": "index.d.ts" }');
  project.write(declaration, 'export type Unit = "m";\n');
  const source = addPlugin("a").replace("a: int", "a: int, unit: Unit");
  project.write("plugins/add.ts", `import type { Unit } from "units";\n${source}`);
  const first = await builder.rebuild([], { unchecked: true });
  assert.equal(first.diagnostics, []);
  const argspec = () => readFileSync(project.path(".svc/argspec.json"), "utf8");
  project.write(declaration, 'export type Unit = "km";\n');
  await builder.rebuild(["package-lock.json"], { unchecked: true });
  assert.match(argspec(), '"km"');
  // Edited by hand: seen when something else is saved.
  project.write(declaration, 'export type Unit = "mile";\n');
  await builder.rebuild(["plugins/offset.ts"], { unchecked: true });
  assert.match(argspec(), '"mile"');
});

test("reads again after an installation at the root of a workspace", async ({ project }) => {
  const install = (folder: string, unit: string) => {
    project.write(`${folder}/units/package.json`, '{ "name": "units", "types": "index.d.ts" }');
    project.write(`${folder}/units/index.d.ts`, `export type Unit = "${unit}";\n`);
  };
  install("node_modules", "m");
  project.write("package-lock.json", "{}");
  const source = addPlugin("a").replace("a: int", 'a: int, unit: import("units").Unit');
  project.write("pack/plugins/add.ts", source);
  const builder = new ProjectBuilder(project.path("pack"));
  try {
    const { inputs } = await builder.rebuild([], { unchecked: true });
    assert.ok(inputs.includes("../package-lock.json"));
    install("pack/node_modules", "km");
    await builder.rebuild(["../package-lock.json"], { unchecked: true });
    assert.match(readFileSync(project.path("pack/.svc/argspec.json"), "utf8"), '"km"');
  } finally {
    await builder.close();
  }
});

test("keeps the old build on errors, until an edit fixes them", async (context) => {
  const { project, builder } = context;
  await builder.rebuild();
  const before = bundle(context);
  project.write("plugins/add.ts", addPlugin("a +"));
  const broken = await builder.rebuild(["plugins/add.ts"]);
  assert.is(broken.ok, false);
  assert.ok(broken.diagnostics.length > 0);
  assert.is(bundle(context), before);
  project.write("plugins/add.ts", addPlugin("a - b"));
  const repaired = await builder.rebuild(["plugins/add.ts"]);
  assert.is(repaired.ok, true);
  assert.match(bundle(context), "a - b");
});

test("does not write a build with type errors", async (context) => {
  const { project, builder } = context;
  await builder.rebuild();
  project.write("plugins/add.ts", addPlugin("String(a) + b"));
  const result = await builder.rebuild(["plugins/add.ts"]);
  assert.is(result.ok, false);
  assert.equal(
    result.diagnostics.map(({ code }) => code),
    ["TS2322"],
  );
  assert.not.match(bundle(context), "String(a)");
});

test("does not write an aborted build", async (context) => {
  const { project, builder } = context;
  const building = builder.rebuild();
  const deadline = setInterval(() => builder.abandon(), 1);
  const { abandoned, ok } = await building;
  clearInterval(deadline);
  assert.equal([abandoned, ok], [true, false]);
  assert.is(readManifest(project.dir), null);
});

test("writes a build before its type check in unchecked mode", async (context) => {
  const { project, builder } = context;
  await builder.rebuild();
  project.write("plugins/add.ts", addPlugin("String(a) + b"));
  const result = await builder.rebuild(["plugins/add.ts"], { unchecked: true });
  assert.is(result.ok, true);
  assert.match(bundle(context), "String(a)");
  const caches = project.path("node_modules/.cache/svc-server");
  const checks = () => readdirSync(caches).filter((name) => name.startsWith("check-"));
  assert.equal(checks(), [], "a check begins when it is asked for");
  const checking = result.checkTypes();
  assert.is(checks().length, 1);
  const types = await checking;
  assert.equal(
    types.map(({ code }) => code),
    ["TS2322"],
  );
  assert.is(readManifest(project.dir)!.checked, false);
  const built = await buildProject(project.dir);
  assert.equal([built.ok, built.unchanged], [false, false]);

  project.write("plugins/add.ts", addPlugin("a - b"));
  const mended = await builder.rebuild(["plugins/add.ts"], { unchecked: true });
  assert.is(readManifest(project.dir)!.checked, false);
  assert.equal(await mended.checkTypes(), []);
  assert.is(readManifest(project.dir)!.checked, true);
  assert.is((await buildProject(project.dir)).unchanged, true);
  const again = await builder.rebuild(["plugins/add.ts"], { unchecked: true });
  assert.is(again.unchanged, true, "the types of this build were checked");
  assert.equal(await again.checkTypes(), []);
  assert.is(readManifest(project.dir)!.checked, true);
});

test("does not lose an edit made before a configuration error", async (context) => {
  const { project, builder } = context;
  await builder.rebuild();
  project.write("plugins/offset.ts", "export const offset: number = 815;\n");
  project.write("svc.config.mjs", "export default { executors: -1 }");
  const failed = await builder.rebuild(["plugins/offset.ts", "svc.config.mjs"]);
  assert.is(failed.ok, false);
  assert.equal(
    failed.diagnostics.map(({ code, position: { file, line, column }, length }) => {
      return [code, file, line, column, length];
    }),
    [["SVC1102", "svc.config.mjs", 1, 29, 2]],
  );
  project.write("svc.config.mjs", "export default {}");
  assert.is((await builder.rebuild(["svc.config.mjs"])).ok, true);
  assert.match(bundle(context), "815");
});

test.run();
