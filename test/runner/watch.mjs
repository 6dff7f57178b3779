// `npm run test:watch [-- part of a path...]`: runs unit tests again whenever a file changes.
// Without parts it runs those in the folder that mirrors the changed file's: for
// `runtime/settings/table.ts` all of `test/runtime/settings/`; a changed test file runs by itself.

import { spawn } from "node:child_process";
import { existsSync, watch } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(dirname(fileURLToPath(import.meta.url)));
const root = dirname(here);
const FOLDERS = ["argspec", "cli", "client", "compiler", "runtime", "test"];
/** Editors write a file in several steps. */
const QUIET_MS = 100;

const words = process.argv.slice(2);
const changed = new Set();
let timer;
let running = null;

for (const folder of FOLDERS) {
  watch(join(root, folder), { recursive: true }, (_event, name) => {
    if (name === null || !/\.(ts|mjs|json)$/.test(name) || /node_modules|\.generated/.test(name))
      return;
    changed.add(`${folder}/${name.replaceAll("\\", "/")}`);
    clearTimeout(timer);
    timer = setTimeout(run, QUIET_MS);
  });
}
console.log(words.length > 0 ? "watching" : "watching: tests run where a file changes");
if (words.length > 0) run();

function run() {
  if (running !== null) return;
  const parts = words.length > 0 ? words : [...new Set([...changed].map(findTests))];
  changed.clear();
  const script = join(here, "run.mjs");
  running = spawn(process.execPath, [script, "--unit", ...parts], { cwd: root, stdio: "inherit" });
  running.on("exit", () => {
    running = null;
    if (changed.size > 0) run();
  });
}

/** The tests of a changed file: itself, or the nearest test folder that mirrors its own. */
function findTests(file) {
  if (file.endsWith(".test.ts")) return file;
  let folder = dirname(file.startsWith("test/") ? file : `test/${file}`);
  while (!existsSync(join(root, folder))) folder = dirname(folder);
  return `${folder}/`;
}
