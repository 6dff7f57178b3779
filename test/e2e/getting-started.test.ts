// The tutorial of docs/guides/getting-started.md, step by step: its commands run in a project of
// their own, its files are written there, and its server is started where it says so.
// limit: 120 s
// takes 10 s

import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { parseCommands, parseFences } from "./support/document.js";
import { type RunningServer, started } from "./support/server.js";

const PAGE = "docs/guides/getting-started.md";
/** The development server may need a moment for a new file. */
const RELOAD_MS = 20_000;
const BIN = join(packageRoot(), "bin", "svc.cjs");

const test = suite("getting started");
const text = readFileSync(join(packageRoot(), PAGE), "utf8");
const scratch = mkdtempSync(join(tmpdir(), "svc-start-"));
const project = join(scratch, "my-service");
let server: RunningServer | null = null;

test.after(async () => {
  await server?.end();
  rmSync(scratch, { recursive: true });
});

/** Runs a command of the page in the project, or in the repository before it exists. */
function run(command: string, cwd: string): SpawnSyncReturns<string> {
  const env = { ...process.env, npm_config_prefer_offline: "true", npm_config_loglevel: "error" };
  return spawnSync("bash", ["-c", withPort(command)], { cwd, env, encoding: "utf8" });
}

/** The server of the test has a port of its own. */
function withPort(code: string): string {
  return server === null ? code : code.replaceAll("9000", String(server.port));
}

async function runSetup(line: string): Promise<void> {
  // This repository is built already.
  if (line.startsWith("npm ci") || line === "cd ../my-service") return;
  if (line === "npm run dev") {
    const { scripts } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
    assert.is(scripts.dev, "svc dev");
    server = await started([BIN, "dev", project, "--port", "0"]);
    return;
  }
  const isInit = line.includes("svc.cjs init");
  const command = line.replace("../my-service", project);
  const { status, stdout, stderr } = run(command, isInit ? packageRoot() : project);
  assert.is(status, 0, `${line}\n${stdout}${stderr}`);
}

async function check(command: string, expected: string): Promise<void> {
  const masked = (output: string) => output.replace(/"exec_ms": ?[\d.]+/g, "").trimEnd();
  const start = performance.now();
  let printed = "";
  do {
    const { stdout, stderr } = run(command, project);
    printed = `${masked(stdout)}${stderr}`;
    if (printed === masked(expected)) return;
    await setTimeout(200);
  } while (performance.now() - start < RELOAD_MS);
  assert.is(printed, masked(expected), `${command}\n${server?.log()}`);
}

test("every step of the page works", async () => {
  const steps = [...text.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
  assert.equal(steps, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  for (const { language, code, line } of parseFences(text)) {
    if (language === "sh") {
      for (const command of code.trimEnd().split("\n")) await runSetup(command);
    } else if (language === "console") {
      for (const { command, output } of parseCommands(code, line)) await check(command, output);
    } else {
      const [, path] = /^\/\/ (\S+)\n/.exec(code)!;
      writeFileSync(join(project, path!), withPort(code));
    }
  }
});

test.run();
