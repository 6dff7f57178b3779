// `svc argspec diff` on two releases of a service: its output and exit code, and that servers treat
// calls of the previous release as it predicts.
// limit: 60 s
// takes 10 s

import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Change } from "../../argspec/diff/change.js";
import { packageRoot } from "../../runtime/base/package-info.js";
import { plainNode } from "../runner/node-command.mjs";
import { buildProject, type RunningServer, serve } from "./support/server.js";
import { TemporaryProject } from "./support/temporary-project.js";

const test = suite("svc argspec diff");

/** Name, type before and after, a query of existing clients; null: the type breaks it. */
const PARAMETERS = [
  ["fewer", "number", "int", "v=2.5", "parameter-narrowed"],
  ["more", "int", "number", "v=5", "parameter-widened"],
  ["word", '"a" | "b"', '"a"', "v=b", "parameter-narrowed"],
  ["digits", "int", "string", "v=5", "parameter-as-text"],
  ["number", "string", "int", "v=five", "parameter-form"],
  ["octets", "string", "bytes", "v=%C3%BC", "parameter-widened"],
  ["text", "bytes", "string", "v=%FF", "parameter-form"],
  ["all", "int", 'int | "all"', "v=5", "parameter-widened"],
  ["json", "string", "string[]", "v=five", "parameter-form"],
  ["point", "{ x: number }", "{ x: number; y?: number }", "v={%22x%22:1}", "parameter-widened"],
  ["needs", "{ x: int; y?: int }", "{ x: int; y: int }", "v={%22x%22:1}", "parameter-narrowed"],
  ["pair", "int[]", "[int, int]", "v=[1]", "parameter-narrowed"],
  ["same", "Leaf | Leaf[]", "Leaf[] | Leaf", "v=[1]", null],
] as const;

const TREE = "type Leaf = int | { left: Leaf; right?: Leaf };\n";
const IMPORT = 'import type { bytes, int, PluginRequest } from "svc-server";\n';

/** One plugin for each row, and a few that change in other ways. */
function release(version: 1 | 2): string {
  const plugins = PARAMETERS.map(
    ([name, ...types]) => `/** @plugin */
export function ${name}(_request: PluginRequest, v: ${types[version - 1]}): string {
  return typeof v;
}
`,
  );
  const others = {
    1: `/** Counts. @plugin */
export function count(_request: PluginRequest, from?: int): { n: int; last: int } {
  return { n: 1, last: from ?? 0 };
}
/** @plugin */
export function gone(_request: PluginRequest): null {
  return null;
}
`,
    2: `/** Counts again. @plugin */
export function count(_request: PluginRequest, from: int): { n: int | null; last: int; more: int } {
  return { n: null, last: from, more: 2 };
}
/** @plugin */
export function gained(_request: PluginRequest): null {
  return null;
}
`,
  };
  return [IMPORT, TREE, ...plugins, others[version]].join("\n");
}

let project: TemporaryProject;
let server: RunningServer;
let previousSource = "";

test.before(async () => {
  project = new TemporaryProject({ "plugins/all.ts": release(1) });
  previousSource = join(project.folder, "former.json");
  await buildProject(project.folder);
  copyFileSync(join(project.folder, ".svc/argspec.json"), previousSource);
  project.write("plugins/all.ts", release(2));
  await buildProject(project.folder);
  server = await serve(project.folder);
});
test.after(async () => {
  await server.end();
  project.remove();
});

function diff(...words: readonly string[]) {
  const command = [join(packageRoot(), "bin/svc.cjs"), "argspec", "diff", ...words];
  const { status, stdout, stderr } = spawnSync(plainNode(), command, { encoding: "utf8" });
  return { status, stdout, stderr };
}

function changes(...words: readonly string[]): readonly Change[] {
  return JSON.parse(diff(...words, "--json").stdout) as Change[];
}

test("prints the changes, and fails for breaking ones", () => {
  const { status, stdout, stderr } = diff(previousSource, project.folder);
  assert.is(status, 1);
  assert.is(stderr, "");
  const lines = stdout.split("\n").map((line) => line.trim().replaceAll(/ {2,}/g, " | "));
  for (const line of [
    "count | from | is required now",
    "count | result.n | can have values of other types | integer -> null | integer",
    "count | has another description",
    "gained | is new",
    "gone | is gone",
    "point | v.y | accepts more values | absent -> number",
    'word | v | accepts fewer values | "a" | "b" -> "a"',
  ]) {
    assert.ok(lines.includes(line), `${line}\n${stdout}`);
  }
  assert.is(lines.at(-2), "15 plugins: 10 breaking, 6 compatible, 1 docs");
});

test("predicts the outcome of calls of existing clients", async () => {
  const diff = changes(previousSource, project.folder);
  for (const [name, , , query, rule] of PARAMETERS) {
    const pluginChanges = diff.filter(({ plugin }) => plugin === name);
    assert.equal(
      pluginChanges.map((change) => change.rule),
      rule === null ? [] : [rule],
      name,
    );
    const { status } = await fetch(`http://127.0.0.1:${server.port}/svc/plugin/${name}?${query}`);
    assert.is(status, pluginChanges[0]?.severity === "breaking" ? 400 : 200, name);
  }
});

test("compares servers, files and builds alike", () => {
  const url = `http://127.0.0.1:${server.port}`;
  assert.equal(changes(previousSource, url), changes(previousSource, project.folder));
  const same = diff(project.folder, url);
  assert.equal(same, { status: 0, stdout: "no changes\n", stderr: "" });
  assert.equal(diff(previousSource, previousSource, "--json"), {
    status: 0,
    stdout: "[]\n",
    stderr: "",
  });
});

test("exits with 2 when an input is missing", () => {
  const usage = diff(previousSource);
  assert.is(usage.status, 2);
  assert.match(usage.stderr, "svc: error SVC3004: ");
  const missing = diff(previousSource, join(project.folder, "none"));
  assert.is(missing.status, 2);
  assert.match(missing.stderr, "svc: error SVC3014: ");
  const hostile = diff(previousSource, join(project.folder, "package.json"));
  assert.is(hostile.status, 2);
  assert.match(hostile.stderr, "svc: error SVC3015: ");
  assert.is(usage.stdout + missing.stdout + hostile.stdout, "");
});

test.run();
