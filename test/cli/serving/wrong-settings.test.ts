// Every invalid value of a setting, in a build, at a start and in programs: each error names the
// setting and the allowed values, and none has a stack trace.
// limit: 60 s
// starts processes
// takes 3 s

import { readFileSync, rmSync } from "node:fs";
import { inspect, isDeepStrictEqual } from "node:util";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildProject } from "../../../compiler/build.js";
import { SvcError } from "../../../runtime/base/errors.js";
import { system } from "../../../runtime/lifecycle/system.js";
import type { SettingName } from "../../../runtime/settings/server-settings.js";
import type { Setting } from "../../../runtime/settings/setting.js";
import { SETTINGS } from "../../../runtime/settings/table.js";
import { addPlugin, TemporaryProject } from "../../compiler/projects.js";
import { WRONG_VALUES } from "../../runtime/settings/wrong-values.js";
import { run } from "../run-main.js";

const test = suite("invalid settings");
const rows = Object.entries<Setting<unknown>>(SETTINGS) as [SettingName, Setting<unknown>][];
const project = new TemporaryProject({ "plugins/add.ts": addPlugin() });
const folder = project.dir;
const MANIFEST = ".svc/manifest.json";
let manifest = "";
/** A variable overrides a build: the log format of tests would hide an invalid one. */
const logFormat = process.env.SVC_LOG_FORMAT;

test.before(async () => {
  delete process.env.SVC_LOG_FORMAT;
  const { ok } = await buildProject(folder);
  assert.ok(ok);
  manifest = readFileSync(project.path(MANIFEST), "utf8");
});
test.after(() => {
  if (logFormat !== undefined) process.env.SVC_LOG_FORMAT = logFormat;
  project.remove();
});

/** Returns a JavaScript expression for a value; null if there is no readable one. */
function expression(value: unknown): string | null {
  if (typeof value === "function") return String(value);
  const style = { compact: true, breakLength: Infinity };
  const text = inspect(value, { depth: null, maxArrayLength: null, ...style });
  return /empty item|\[Function/.test(text) ? null : text;
}

/** Returns whether a manifest can contain a value. */
function isJson(value: unknown): boolean {
  if (typeof value === "bigint") return false;
  return isDeepStrictEqual(JSON.parse(JSON.stringify([value])), [value]);
}

/** Returns a configuration with one setting, and the position of its key. */
function configurationWith(
  key: string,
  value: string,
): { text: string; line: number; column: number } {
  const [top, inner] = key.split(".");
  if (inner === undefined) {
    const text = `export default {\n  ${top}: ${value},\n};\n`;
    return { text, line: 2, column: 3 };
  }
  const text = `export default {\n  ${top}: {\n    ${inner}: ${value},\n  },\n};\n`;
  return { text, line: 3, column: 5 };
}

for (const [name, row] of rows) {
  test(`${name}: a build reports the error with its position`, async () => {
    for (const [value, expected] of WRONG_VALUES[name]) {
      const written = expression(value);
      if (written === null) continue;
      const { text, line, column } = configurationWith(row.key, written);
      project.write("svc.config.mjs", text);
      const { ok, diagnostics } = await buildProject(folder);
      rmSync(project.path("svc.config.mjs"));
      assert.is(ok, false);
      const [{ code, severity, position, length, message }] = diagnostics as [never];
      assert.equal([code, severity, diagnostics.length], ["SVC1102", "error", 1]);
      assert.match((message as string).slice(row.key.length), expected);
      const {
        file,
        line: foundLine,
        column: foundColumn,
      } = position as Record<string, number | string>;
      assert.equal([file, foundLine], ["svc.config.mjs", line]);
      // At the value, or within it.
      assert.ok((foundColumn as number) >= column + row.key.split(".").at(-1)!.length + 2, text);
      assert.ok(
        length >= 1 && (foundColumn as number) - 1 + length <= text.split("\n")[line - 1]!.length,
      );
    }
  });
}

/** Error of a command for the invalid setting; it must not serve. */
async function startError(...words: string[]): Promise<string> {
  const { stdout, stderr, code } = await run("serve", folder, ...words);
  assert.is(stdout, "");
  assert.ok(code === 1 || code === 2, `exit code ${code}`);
  // The package of the test project is another copy, which is a warning.
  assert.match(stderr, /^svc: error SVC\d{4}: /m);
  assert.not.match(stderr, /bug in svc|\n {4}at /);
  return stderr;
}

for (const [name, { key }] of rows.filter(([name]) => name !== "plugins")) {
  test(`${name}: a server rejects a build with it`, async () => {
    for (const [value] of WRONG_VALUES[name]) {
      if (!isJson(value)) continue;
      const tampered = JSON.parse(manifest);
      const [top = "", inner] = key.split(".");
      if (inner === undefined) tampered.config[top] = value;
      else tampered.config[top][inner] = value;
      project.write(MANIFEST, JSON.stringify(tampered));
      const stderr = await startError();
      assert.ok(stderr.includes(name) || stderr.includes(SETTINGS[name].noun ?? name), stderr);
    }
    project.write(MANIFEST, manifest);
  });
}

test("an invalid option value is rejected", async () => {
  const options = rows.flatMap(([, { option, fileOption }]) => option ?? fileOption ?? []);
  for (const option of options) {
    assert.match(
      await startError(`--${option}=\n?`),
      option === "root" ? "SVC3008" : /SVC3003|SVC2207/,
    );
  }
});

test("library programs get an error with its code", async () => {
  for (const [name, { library }] of rows) {
    if (library === null && name !== "port") continue;
    for (const [value] of WRONG_VALUES[name]) {
      // By which programs omit a value.
      if (value === null && name !== "port") continue;
      const start = () => {
        if (name === "port") return system.startHTTP(value as number);
        if (library === "start") return system.startHTTP(0, { [name]: value });
        return system.initialize("wrong", { [name]: value });
      };
      const error = await start().then(
        () => null,
        (reason: unknown) => reason,
      );
      assert.instance(error, SvcError, `${name}: ${inspect(value)}`);
      assert.is(system.isInitialized(), false);
    }
  }
});

test("library programs get an error for unknown options", async () => {
  const cases = [
    [
      () => system.initialize("wrong", { rooot: "data" } as object),
      /"rooot", did you mean `root`\?/,
    ],
    [() => system.initialize("wrong", { port: 1 } as object), /unknown option "port"/],
    [
      () => system.initialize("wrong", { constructor: 1 } as object),
      /unknown option "constructor"/,
    ],
    [
      () => system.startHTTP(0, { serviceIn: true } as object),
      /"serviceIn", did you mean `servicein`/,
    ],
    [() => system.startHTTP(0, { root: "data" } as object), /unknown option "root"/],
  ] as const;
  for (const [start, text] of cases) {
    const error = await start().then(
      () => null,
      (reason: unknown) => reason,
    );
    assert.is((error as SvcError).code, "SVC2205");
    assert.match((error as SvcError).message, text);
    assert.is(system.isInitialized(), false);
  }
});

test.run();
