// `svc init` as a user meets it: the package is packed, installed from the tarball, asked for a
// project, and that project is installed, built, tested, served and called outside the repository.
// limit: 120 s

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/package-info.js";
import { get, serve } from "./support/server.js";

const test = suite("svc init");
let scratch = "";
let project = "";

/** Runs a command to its end; npm takes what it has in its cache. */
function run(cwd: string, command: string, ...words: string[]): string {
  const env = { ...process.env, npm_config_prefer_offline: "true", npm_config_loglevel: "error" };
  const { status, stdout, stderr } = spawnSync(command, words, { cwd, env, encoding: "utf8" });
  assert.is(status, 0, `${command} ${words.join(" ")}\n${stdout}${stderr}`);
  return stdout;
}

test.before(() => {
  scratch = mkdtempSync(join(tmpdir(), "svc-init-"));
  project = join(scratch, "my-service");
});
test.after(() => rmSync(scratch, { recursive: true }));

test("the package can be packed and installed, without sources or tests", () => {
  run(packageRoot(), "npm", "pack", "--ignore-scripts", "--pack-destination", scratch);
  const [tarball] = readdirSync(scratch).filter((name) => name.endsWith(".tgz"));
  const tools = join(scratch, "tools");
  mkdirSync(tools);
  writeFileSync(join(tools, "package.json"), '{ "private": true }\n');
  run(tools, "npm", "install", "--no-audit", "--no-fund", join(scratch, tarball!));
  const installed = readdirSync(join(tools, "node_modules", "svc-server"));
  assert.ok(installed.includes("dist") && installed.includes("templates"));
  assert.not(installed.includes("test") || installed.includes("runtime"));
});

test("init writes a project that can be installed", () => {
  const output = run(scratch, join(scratch, "tools/node_modules/.bin/svc"), "init", "my-service");
  assert.match(output, "not published yet");
  const { name, dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  assert.is(name, "my-service");
  assert.match(dependencies["svc-server"], /^file:/);
  run(project, "npm", "install", "--no-audit", "--no-fund");
});

test("its tests pass", () => {
  run(project, "npm", "test");
});

test("it builds and serves", async () => {
  const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  assert.is(scripts.start, "svc build && svc serve");
  run(project, "npx", "svc", "build");
  const served = await serve(project);
  try {
    const { json } = await get(served.port, "/svc/plugin/hello?name=you&times=2");
    assert.equal(json.response, ["Hello, you!", "Hello, you!"]);
  } finally {
    assert.is(await served.stop(), 0);
  }
});

test.run();
