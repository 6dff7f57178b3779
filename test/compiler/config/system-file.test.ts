// svc.system.ts: its evaluation in a build, and errors.
// limit: 60 s

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadSystem } from "../../../cli/system/load-system.js";
import { buildProject } from "../../../compiler/build.js";
import { loadSystemFile } from "../../../compiler/config/system-file.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { TemporaryProject } from "../projects.js";

const test = suite<{ dir: string }>("system file");

test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "svc-system-file-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true }));

function write(dir: string, name: string, text: string): void {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), text);
}

async function catchError(act: () => unknown): Promise<SvcError> {
  try {
    await act();
  } catch (error) {
    return error as SvcError;
  }
  throw new Error("should have failed");
}

const TWO = `import { defineSystem } from "svc-server/system";
  import { port } from "./ports.js";
  export default defineSystem({
    name: "Two",
    instances: { TD: { type: "dispatch", hport: port }, S1: { type: "search", hport: 9100 } },
    topology: { dispatch: { TD: [{ partitions: ["S1"] }] } },
  });`;

const ONE = `import type { PluginRequest } from "svc-server";
  /** One. @plugin */
  export function one(_request: PluginRequest): number { return 1; }`;

test("is evaluated with its imports and leaves nothing behind", async ({ dir }) => {
  write(dir, "svc.system.ts", TWO);
  write(dir, "ports.ts", "export const port: number = 9990;");
  const system = await loadSystemFile(dir, null);
  assert.equal(system!.inputs, ["ports.ts", "svc.system.ts"]);
  assert.not(system!.isOpen);
  assert.is(JSON.parse(system!.text).instances.TD.hport, 9990);
  assert.equal(readdirSync(dir).sort(), ["ports.ts", "svc.system.ts"]);
  assert.is(await loadSystemFile(dir, "other.json"), null);
});

test("reports all errors at once, with their paths", async ({ dir }) => {
  write(
    dir,
    "svc.system.mjs",
    `export default {
       instances: { TD: { type: "dispach", hport: 9990 }, S1: { hport: 99100 } },
       topology: { dispatch: { TD: [{ partitions: ["S2"] }] } },
     }`,
  );
  const { code, message } = await catchError(() => loadSystemFile(dir, null));
  assert.is(code, "SVC1181");
  assert.match(message, /^svc\.system\.mjs is not valid\n/);
  for (const path of ["instances.TD.type", "instances.S1.hport", "engine S2 is undefined"]) {
    assert.ok(message.includes(path), `${path} in ${message}`);
  }
});

test("reports the position of an exception", async ({ dir }) => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ["export default {", /svc\.system\.ts:1:17: /],
    ["throw new Error('boom')", /boom/],
    ["export const system = {}", /defineSystem/],
    ["process.exit(3)", /process\.exit\(3\)/],
  ];
  for (const [text, expected] of cases) {
    write(dir, "svc.system.ts", text);
    const { code, message } = await catchError(() => loadSystemFile(dir, null));
    assert.is(code, "SVC1180");
    assert.match(message, expected);
  }
  write(dir, "svc.system.ts", "const a = {}; a.a = a; export default a");
  assert.is((await catchError(() => loadSystemFile(dir, null))).code, "SVC1181");
});

test("is stored by a build, which commands read", async () => {
  const project = new TemporaryProject({ "plugins/one.ts": ONE });
  const { dir } = project;
  write(dir, "svc.system.mjs", TWO.replace(/import .*ports.*/, "const port = 9990;"));
  assert.match((await catchError(() => loadSystem(dir, null))).message, /run `svc build` first/);
  assert.equal((await buildProject(dir)).diagnostics, []);
  assert.is(loadSystem(dir, null).name, "Two");
  assert.ok((await buildProject(dir)).unchanged);
  const text = readFileSync(join(dir, ".svc/system.json"), "utf8");
  assert.is(JSON.parse(text).name, "Two");
  write(dir, "svc.system.mjs", TWO.replace(/import .*ports.*/, "const port = 9980;"));
  assert.ok(!(await buildProject(dir)).unchanged);
  assert.is(loadSystem(dir, null).instances.get("TD")!.hport, 9980);
  // A named program is not one that a build has evaluated.
  const named = await catchError(() => loadSystem(dir, null, join(dir, "svc.system.mjs")));
  assert.is(named.code, "SVC3110");
  rmSync(join(dir, "svc.system.mjs"));
  assert.equal((await buildProject(dir)).diagnostics, []);
  assert.not(readdirSync(join(dir, ".svc")).includes("system.json"));
  project.remove();
});

test("is evaluated by each build if it reads the environment", async () => {
  const project = new TemporaryProject({ "plugins/one.ts": ONE });
  const { dir } = project;
  const port = "Number(process.env.SYSTEM_FILE_TEST ?? 9990)";
  write(dir, "svc.system.mjs", `export default { instances: { G1: { hport: ${port} } } }`);
  assert.equal((await buildProject(dir)).diagnostics, []);
  assert.ok((await buildProject(dir)).unchanged);
  process.env.SYSTEM_FILE_TEST = "9980";
  try {
    await buildProject(dir);
    assert.is(loadSystem(dir, null).instances.get("G1")!.hport, 9980);
  } finally {
    delete process.env.SYSTEM_FILE_TEST;
    project.remove();
  }
});

test.run();
