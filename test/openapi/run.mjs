// Generates clients from our OpenAPI documents with a widely used generator, and checks the
// documents with a widely used linter: `node test/openapi/run.mjs`, after `npm run build`. Installs
// both beside this file, with a TypeScript of their own, and prints `N passed, N failed`, or
// `openapi: skipped (reason)` if they are not available.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));

const problem = install();
if (problem !== "") {
  console.log(`openapi: skipped (${problem})`);
  process.exit(0);
}
const runner = join(root, "test/run.mjs");
const suites = ["test/openapi/generator.test.ts", "test/openapi/lint.test.ts"];
const { status } = spawnSync(process.execPath, [runner, ...suites], { stdio: "inherit" });
process.exitCode = status ?? 1;

/** The reason why they cannot be installed; empty when they are. */
function install() {
  const packages = ["@hey-api/openapi-ts", "@redocly/cli"];
  if (packages.every((name) => existsSync(join(here, "node_modules", name)))) return "";
  const options = { cwd: here, encoding: "utf8", shell: process.platform === "win32" };
  const { status, stderr, error } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], options);
  if (error) return error.message;
  const reason = stderr.split("\n").find((line) => line.startsWith("npm error"));
  return status === 0 ? "" : `npm ci: ${reason ?? `ended with ${status}`}`;
}
