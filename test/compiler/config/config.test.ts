// svc.config.ts: loading, defaults, and errors that name path and expected value.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadConfig } from "../../../compiler/config/config.js";
import { resolveConfig } from "../../../compiler/config/config-schema.js";
import type { SvcError } from "../../../runtime/base/errors.js";

const test = suite<{ dir: string }>("config");

test.before.each((context) => {
  context.dir = mkdtempSync(join(tmpdir(), "svc-config-"));
});
test.after.each(({ dir }) => rmSync(dir, { recursive: true }));

function write(dir: string, name: string, text: string): void {
  mkdirSync(dirname(join(dir, name)), { recursive: true });
  writeFileSync(join(dir, name), text);
}

async function fault(dir: string): Promise<SvcError> {
  try {
    await loadConfig(dir);
  } catch (error) {
    return error as SvcError;
  }
  throw new Error("should have failed");
}

function problems(value: unknown): string[] {
  const found: string[] = [];
  resolveConfig(value, found);
  return found;
}

const DEFAULTS = {
  name: null,
  root: "./data",
  http: {
    port: 9000,
    ip: null,
    adminIp: null,
    prefix: null,
    servicein: true,
    transport: "auto",
    cors: null,
    maxBodyBytes: 64 * 1024 * 1024,
    traceback: true,
    trusted: [],
  },
  graphs: {},
  saveEvery: 300,
  executors: 1,
  executorHeapMb: 0,
  plugin: { timeoutMs: 30000 },
  dispatcher: null,
  descriptor: null,
  plugins: ["plugins/**/*.{ts,mts}"],
  declared: [],
};

test("no file: defaults, named after the package", async ({ dir }) => {
  assert.equal(await loadConfig(dir), { config: DEFAULTS, inputs: [] });
  write(dir, "package.json", '{"name":"shop"}');
  assert.is((await loadConfig(dir)).config.name, "shop");
});

test("a TypeScript file with imports; nothing is left behind", async ({ dir }) => {
  write(
    dir,
    "svc.config.ts",
    `import { defineConfig } from "svc-server/config";
     import { port } from "./settings/port.js";
     export default defineConfig({ http: { port, prefix: "api/v1/" }, name: undefined });`,
  );
  write(dir, "settings/port.ts", "export const port: number = 8000;");
  const { config, inputs } = await loadConfig(dir);
  assert.is(config.http.port, 8000);
  assert.is(config.http.prefix, "/api/v1");
  assert.equal(inputs, ["settings/port.ts", "svc.config.ts"]);
  assert.equal(readdirSync(dir).sort(), ["settings", "svc.config.ts"]);
});

test("a change of the file is seen", async ({ dir }) => {
  write(dir, "svc.config.mjs", "export default { name: 'a' }");
  assert.is((await loadConfig(dir)).config.name, "a");
  write(dir, "svc.config.mjs", "export default { name: 'b' }");
  assert.is((await loadConfig(dir)).config.name, "b");
});

test("files that do not run", async ({ dir }) => {
  const cases: [string, RegExp][] = [
    ["export default {", /svc\.config\.ts:1:17: /],
    ["throw new Error('boom')", /boom/],
    ["export const config = {}", /no default export/],
    ['import "./nowhere.js"; export default {}', /svc\.config\.ts:1:8: Could not resolve/],
  ];
  for (const [text, message] of cases) {
    write(dir, "svc.config.ts", text);
    const error = await fault(dir);
    assert.is(error.code, "SVC1101");
    assert.match(error.message, message);
    assert.equal(readdirSync(dir), ["svc.config.ts"]);
  }
});

test("every mistake is reported in one error", async ({ dir }) => {
  write(dir, "svc.config.ts", 'export default { prot: 1, http: { port: "x" }, executors: 0 };');
  const error = await fault(dir);
  assert.is(error.code, "SVC1102");
  assert.match(error.message, /^svc\.config\.ts is not valid\n/);
  assert.match(error.message, /http\.port: expected an integer from 0 to 65534, got "x"/);
  assert.match(error.message, /prot: unknown key, did you mean `root`\?/);
  assert.match(error.message, /executors: expected an integer from 1 to 32 or "auto", got 0/);
});

test("values and what they must be", () => {
  const cases: [unknown, string][] = [
    [7, "configuration: expected an object, got 7"],
    [{ name: "" }, 'name: expected a non-empty string, got ""'],
    [{ http: [] }, "http: expected an object, got []"],
    [{ http: { port: 65535 } }, "http.port: expected an integer from 0 to 65534, got 65535"],
    [{ http: { port: 80.5 } }, "http.port: expected an integer from 0 to 65534, got 80.5"],
    [{ http: { prot: 1 } }, "http.prot: unknown key, did you mean `port`?"],
    [
      { http: { transport: "tls" } },
      'http.transport: expected one of "auto", "net", "uws", got "tls"',
    ],
    [{ http: { servicein: 1 } }, "http.servicein: expected true or false, got 1"],
    [{ http: { cors: "a\nb" } }, 'http.cors: expected an origin, on one line, got "a\\nb"'],
    [
      { http: { trusted: ["here"] } },
      'http.trusted[0]: expected a network such as 10.0.0.0/8, got "here"',
    ],
    [{ plugins: "a" }, 'plugins: expected a list of patterns and declarations, got "a"'],
    [
      { plugins: ["../a.ts"] },
      'plugins[0]: expected a path or pattern inside the project, with /, got "../a.ts"',
    ],
    [
      { plugin: { timeoutMs: -1 } },
      "plugin.timeoutMs: expected an integer from 0 to 2147483647, got -1",
    ],
    [
      { dispatcher: { a: [() => 1] } },
      "dispatcher.a[0]: expected a value that JSON can carry, got a function",
    ],
    [{ graphs: { g: 1 } }, "graphs.g: expected an object, got 1"],
    [
      { graphs: { "1g": {} } },
      'graphs: "1g" is not a graph name: a letter, then letters, digits and _.#$%@',
    ],
    [
      { graphs: { g: { path: "../x" } } },
      'graphs.g.path: expected a path inside the data folder, with /, got "../x"',
    ],
    [
      { graphs: { g: { readonl: true } } },
      "graphs.g.readonl: unknown key, did you mean `readonly`?",
    ],
    [
      { dispatcher: { d: Number.NaN } },
      "dispatcher.d: expected a value that JSON can carry, got NaN",
    ],
    [{ descriptor: 5 }, "descriptor: expected an object, got 5"],
  ];
  for (const [value, message] of cases) {
    assert.equal(problems(value), [message]);
  }
});

test("declared plugins", () => {
  const { plugins, declared } = resolveConfig(
    {
      plugins: [
        "extra/*.ts",
        { name: "a", module: "./src/a.ts", engine: "run", graph: "g" },
        { name: "b", pre: "src/b.ts#before", post: "src/b.ts#B.after" },
      ],
    },
    [],
  );
  assert.equal(plugins, ["extra/*.ts"]);
  assert.equal(declared, [
    { name: "a", role: "engine", graph: "g", module: "src/a.ts", exportPath: "run" },
    { name: "b", role: "pre", graph: null, module: "src/b.ts", exportPath: "before" },
    { name: "b", role: "post", graph: null, module: "src/b.ts", exportPath: "B.after" },
  ]);
  const declare = (value: object) => problems({ plugins: [value] });
  assert.match(declare({ name: "1a", engine: "m.ts#f" })[0] ?? "", /^plugins\[0\]\.name: expected/);
  assert.match(declare({ name: "a" })[0] ?? "", /at least one of engine, pre and post/);
  assert.match(declare({ name: "a", engine: "f" })[0] ?? "", /expected `module#export`/);
  assert.match(declare({ name: "a", engine: "../m.ts#f" })[0] ?? "", /inside the project/);
  assert.match(
    declare({ name: "a", engine: "m.ts#f", pre: "m.ts#g" })[0] ?? "",
    /engine cannot be combined/,
  );
});

test.run();
