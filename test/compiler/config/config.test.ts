// svc.config.ts: loading, defaults, and errors with path and expected value.
// limit: 60 s

import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { loadConfig } from "../../../compiler/config/config.js";
import { evaluate } from "../../../compiler/config/evaluate.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { resolveConfig } from "../../../runtime/settings/config-rule.js";

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

test("defaults without a file, with the name of the package", async ({ dir }) => {
  const { config, inputs } = await loadConfig(dir);
  assert.equal(inputs, []);
  assert.equal(config, resolveConfig({}, []));
  const { name, root, http, plugin, plugins, declared } = config;
  assert.equal([name, root, http.port, http.ip], [null, "./data", 9000, null]);
  assert.equal([plugin.timeoutMs, plugins, declared], [30000, ["plugins/**/*.{ts,mts}"], []]);
  write(dir, "package.json", '{"name":"shop"}');
  assert.is((await loadConfig(dir)).config.name, "shop");
});

test("loads a TypeScript file with imports and leaves nothing behind", async ({ dir }) => {
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

test("detects a change of the file", async ({ dir }) => {
  write(dir, "svc.config.mjs", "export default { name: 'a' }");
  assert.is((await loadConfig(dir)).config.name, "a");
  write(dir, "svc.config.mjs", "export default { name: 'b' }");
  assert.is((await loadConfig(dir)).config.name, "b");
});

test("reports files that fail to run", async ({ dir }) => {
  const cases: [string, RegExp][] = [
    ["export default {", /svc\.config\.ts:1:17: /],
    ["throw new Error('boom')", /boom/],
    ["export const config = {}", /no default export/],
    ["export default { get name() { throw new Error('boom'); } }", /svc\.config\.ts: boom$/],
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

test("names the folder if it cannot be written, which is no fault of the file", async ({ dir }) => {
  // The name of the copy is too long. Permissions would not hold back all users.
  const file = `${"a".repeat(240)}.ts`;
  write(dir, file, "export default {};");
  const expected = { name: "svc-server", contents: "", example: "", code: "SVC1101" } as const;
  const error = await evaluate(dir, file, expected).catch((thrown: SvcError) => thrown);
  assert.is((error as SvcError).code, "SVC1105");
  assert.match((error as SvcError).message, /cannot be written: ENAMETOOLONG/);
});

test("reports all errors in one error", async ({ dir }) => {
  write(dir, "svc.config.ts", 'export default { prot: 1, http: { port: "x" }, executors: 0 };');
  const error = await fault(dir);
  assert.is(error.code, "SVC1102");
  assert.match(error.message, /^svc\.config\.ts is not valid\n/);
  assert.match(error.message, /http\.port: expected an integer from 0 to 65534, got "x"/);
  assert.match(error.message, /prot: unknown key, did you mean `root`\?/);
  assert.match(error.message, /executors: expected an integer from 1 to 32, or "auto", got 0/);
});

test("reads declared plugins", () => {
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
});

test("rejects a file that exits the process, and leaves nothing behind", async ({ dir }) => {
  const { exitCode } = process;
  for (const words of ["process.exit(0);", "process.exitCode = 5; process.exit();"]) {
    write(dir, "svc.config.ts", `${words}\nexport default {};`);
    const error = await fault(dir);
    assert.is(error.code, "SVC1101");
    assert.match(error.message, /svc\.config\.ts called process\.exit\(0?\)/);
    assert.equal(readdirSync(dir), ["svc.config.ts"]);
    assert.is(process.exitCode, exitCode);
  }
});

test("prevents a later exit by the file", async ({ dir }) => {
  const words = [
    "setTimeout(() => process.exit(0), 1)",
    "setTimeout(process.exit, 1, 0)",
    "process.nextTick(() => process.exit(0))",
  ];
  for (const later of words) {
    write(dir, "svc.config.ts", `${later};\nexport default {};`);
    const uncaught = new Promise<Error>((resolve) => process.once("uncaughtException", resolve));
    await loadConfig(dir);
    assert.match(
      (await uncaught).message,
      /called process\.exit\(0\); throw an error instead/,
      later,
    );
  }
});

test("reports deeply nested values like other invalid ones", async ({ dir }) => {
  const made = "let deep = [];\nfor (let n = 0; n < 200_000; n++) deep = [deep];\n";
  for (const key of ["http", "dispatcher", "graphs", "plugins", "name", "descriptor"]) {
    const value = key === "http" ? "{ port: deep, trusted: deep }" : "deep";
    write(dir, "svc.config.ts", `${made}export default { ${key}: ${value} };`);
    assert.is((await fault(dir)).code, "SVC1102", key);
  }
});

test.run();
