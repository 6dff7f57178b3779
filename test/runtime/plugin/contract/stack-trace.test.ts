// Stack frames of a real bundle, mapped back to its TypeScript sources.

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  describeUncaught,
  pluginFrames,
  showStackTraces,
} from "../../../../runtime/plugin/contract/stack-trace.js";

const test = suite("traceback");

const project = mkdtempSync(join(tmpdir(), "svc-traceback-"));
const bundle = join(project, ".svc", "plugins.js");

test.before(async () => {
  mkdirSync(join(project, "plugins"));
  mkdirSync(join(project, ".svc"));
  writeFileSync(
    join(project, "plugins", "fail.ts"),
    "interface Unused {}\n\nexport function fail(): never {\n  throw new Error('no');\n}\n",
  );
  writeFileSync(
    join(project, ".svc", "entry.js"),
    'import { fail } from "../plugins/fail.ts";\nexport const convert = () => fail();\n',
  );
  await build({
    entryPoints: [join(project, ".svc", "entry.js")],
    outfile: bundle,
    bundle: true,
    format: "esm",
    sourcemap: true,
  });
});

test.after(() => rmSync(project, { recursive: true }));
test.after.each(() => showStackTraces(true));

/** `file:line:column` of a text in the bundle. */
function placeIn(text: string, suffix = ""): string {
  const lines = readFileSync(bundle, "utf8").split("\n");
  const line = lines.findIndex((content) => content.includes(text));
  return `${pathToFileURL(bundle)}${suffix}:${line + 1}:${lines[line]!.indexOf(text) + 1}`;
}

function errorWith(...frames: string[]): Error {
  const error = new Error("no");
  error.stack = ["Error: no", ...frames.map((frame) => `    at ${frame}`)].join("\n");
  return error;
}

test("maps frames of a bundle to its sources", () => {
  const error = errorWith(
    `fail (${placeIn("throw new Error")})`,
    `async ${placeIn("throw new Error", "?123")}`,
  );
  assert.equal(pluginFrames(error)[0], "    at fail (plugins/fail.ts:4:3)\n");
  assert.equal(pluginFrames(error)[1], "    at plugins/fail.ts:4:3\n");
});

test("shows only frames of plugin code", () => {
  const renderUrl = new URL("../../../../runtime/plugin/run/render.ts", import.meta.url).href;
  const error = errorWith(
    "node:internal/process/task_queues:95:5",
    `render (${renderUrl}:1:1)`,
    `convert (${placeIn("=> fail()")})`,
    "work (/somewhere/node_modules/pkg/index.js:1:1)",
    "eval (eval at run (x), <anonymous>:1:1)",
    "Array.map (<anonymous>)",
    "new Promise (<anonymous>)",
    `mine (${pathToFileURL(join(process.cwd(), "lib/mine.js"))}:7:8)`,
    `runPlugin (${renderUrl}:1:1)`,
    `main (${pathToFileURL(join(process.cwd(), "lib/main.js"))}:1:1)`,
  );
  assert.equal(pluginFrames(error), ["    at mine (lib/mine.js:7:8)\n"]);
});

test("shows at most 20 lines", () => {
  const frame = `fail (${placeIn("throw new Error")})`;
  assert.is(pluginFrames(errorWith(...Array(50).fill(frame))).length, 20);
});

test("can be hidden", () => {
  showStackTraces(false);
  assert.equal(pluginFrames(errorWith(`fail (${placeIn("throw new Error")})`)), []);
});

test("ignores message lines that look like frames", () => {
  const error = new Error("no\n    at fake (/etc/passwd:1:1)");
  assert.not.ok(pluginFrames(error).some((frame) => frame.includes("passwd")));
});

test("handles invalid stacks", () => {
  const strange = new Error("x");
  for (const stack of [undefined, null, 5, {}, "", "at ", "    at (", "    at file://%:1:1"]) {
    Object.defineProperty(strange, "stack", { value: stack, configurable: true });
    assert.equal(pluginFrames(strange), []);
  }
  assert.equal(pluginFrames("text"), []);
  assert.equal(pluginFrames(null), []);
});

test("includes the chain of causes", () => {
  const frame = `fail (${placeIn("throw new Error")})`;
  const several = Object.assign(new AggregateError([]), { code: "ECONNREFUSED", stack: "" });
  const fetched = errorWith(frame);
  Object.assign(fetched, {
    message: "fetch failed",
    stack: `Error: fetch failed\n    at ${frame}`,
  });
  fetched.cause = Object.assign(several, { cause: "the cable" });
  const text = describeUncaught(Object.assign(errorWith(frame), { cause: fetched }));
  const at = "    at fail (plugins/fail.ts:4:3)";
  assert.is(
    text,
    `Error: no\n${at}\ncaused by Error: fetch failed\n${at}\n` +
      "caused by AggregateError: ECONNREFUSED\ncaused by the cable",
  );
});

test("handles causes of any type", () => {
  const round = errorWith();
  round.cause = round;
  assert.is(describeUncaught(round).split("caused by").length, 5);
  const trap = new Proxy(new Error("no"), {
    get: () => {
      throw new Error("trap");
    },
  });
  assert.match(
    describeUncaught(Object.assign(errorWith(), { cause: trap })),
    /^Error: no\ncaused by /,
  );
  assert.not.match(describeUncaught(Object.assign(errorWith(), { cause: null })), "caused");
});

test.run();
