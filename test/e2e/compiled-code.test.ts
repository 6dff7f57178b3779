// Compiled code that servers of tests begin with: it belongs to the modules as they are, and they
// run as usual with it and without.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { COMPILED_CODE, plainNode } from "../runner/node-command.mjs";

const test = suite("compiled code");
const folder = mkdtempSync(join(tmpdir(), "svc-code-"));
const runner = join(folder, "test/runner");
const code = join(folder, ".generated/code");
const PRELOADED = join(runner, "compiled-code.cjs");
const PROGRAM = `
import { createRequire } from "node:module";
import { Worker } from "node:worker_threads";
const { used } = createRequire(import.meta.url)(${JSON.stringify(PRELOADED)});
const { sum } = await import("./dist/sum.js");
const worker = new Worker(new URL("dist/thread.js", import.meta.url));
const inWorker = await new Promise((resolve) => worker.once("message", resolve));
console.log(JSON.stringify([await sum(), used(), inWorker]));
`;

function write(path: string, text: string): void {
  writeFileSync(join(folder, path), text);
}

function node(...words: string[]): string {
  const { stdout, stderr } = spawnSync(plainNode(), words, { encoding: "utf8", cwd: folder });
  assert.is(stderr, "");
  return stdout;
}

/** The sum, the number of modules with code, and both of a thread. */
function run(): unknown {
  return JSON.parse(node("--expose-internals", "--require", PRELOADED, "program.mjs"));
}

const COMPILE = ["--expose-internals", join(runner, "compile-build.cjs")];
const compile = () => node(...COMPILE);

test.before(() => {
  mkdirSync(join(folder, "dist/parts"), { recursive: true });
  cpSync(join(packageRoot(), "test/runner"), runner, { recursive: true });
  write("package.json", '{ "type": "module" }');
  write("program.mjs", PROGRAM);
  write("dist/one.js", "export const one = () => 1;");
  write("dist/parts/two.js", 'export const two = import.meta.url.endsWith("/two.js") ? 2 : 0;');
  const sum = `import { one } from "./one.js";
export async function sum() {
  const { two } = await import("./parts/two.js");
  return one() + two;
}`;
  write("dist/sum.js", sum);
  const thread = `import { createRequire } from "node:module";
import { parentPort } from "node:worker_threads";
import { sum } from "./sum.js";
const { used } = createRequire(import.meta.url)(${JSON.stringify(PRELOADED)});
sum().then((value) => parentPort.postMessage([value, used()]));`;
  write("dist/thread.js", thread);
});
test.after(() => rmSync(folder, { recursive: true }));

// Others keep it themselves.
if (COMPILED_CODE.length > 0) {
  test("is used by each thread, also for modules that import or describe modules", () => {
    assert.equal(run(), [3, 0, [3, 0]]);
    compile();
    assert.equal(run(), [3, 3, [3, 4]]);
  });

  test("is not used for a module that has changed, and is removed with it", () => {
    // As long as before.
    write("dist/one.js", "export const one = () => 5;");
    assert.equal(run(), [7, 2, [7, 3]]);
    compile();
    assert.equal(run(), [7, 3, [7, 4]]);
    assert.is(readdirSync(code).length, 4);
  });

  test("can be written by two processes at once", () => {
    rmSync(code, { recursive: true });
    const body = JSON.stringify(COMPILE);
    write(
      "meanwhile.cjs",
      `const fs = require("node:fs");
const { renameSync } = fs;
fs.renameSync = (from, to) => {
  fs.renameSync = renameSync;
  require("node:child_process").execFileSync(process.execPath, ${body});
  renameSync(from, to);
};`,
    );
    node("--require", join(folder, "meanwhile.cjs"), ...COMPILE);
    assert.is(readdirSync(code).length, 4);
    assert.equal(run(), [7, 3, [7, 4]]);
  });

  test("is used by the servers of this run", () => {
    const names = [COMPILED_CODE.at(-1), join(packageRoot(), "dist/index.js")];
    const [preloaded, library] = names.map((name) => JSON.stringify(name));
    const load = `import(${library}).then(() => console.log(require(${preloaded}).used()));`;
    write("load.cjs", load);
    assert.ok(Number(node(...COMPILED_CODE, "load.cjs")) > 3);
  });

  test("is not used if V8 rejects it", () => {
    const [file] = readdirSync(code).filter((name) => name.startsWith("one"));
    writeFileSync(join(code, file!), "garbage");
    assert.equal(run(), [7, 2, [7, 3]]);
  });
}

test.run();
