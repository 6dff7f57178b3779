// The command line from arguments to output and exit code, without a process of its own.

import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageInfo, packageRoot } from "../../runtime/base/package-info.js";
import { run } from "./run-main.js";

const test = suite("command line");
let folder = "";

test.before(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-cli-"));
});
test.after(() => rmSync(folder, { recursive: true }));

test("lists every command without arguments, and with --help", async () => {
  const { stdout, code } = await run();
  assert.is(code, 0);
  for (const name of ["build", "serve", "dev", "check", "init", "doctor"]) {
    assert.match(stdout, new RegExp(`^  ${name} [<[]folder`, "m"));
  }
  assert.match(stdout, /^ {2}argspec \[source\] /m);
  assert.match(stdout, /^ {2}matrix <size> \[folder\] /m);
  assert.is((await run("--help")).stdout, stdout);
});

test("prints the version", async () => {
  assert.is((await run("--version")).stdout, `${packageInfo().version}\n`);
});

test("describes a command from its table", async () => {
  const { stdout } = await run("serve", "--help");
  assert.match(stdout, "Usage: svc serve [folder] [options]");
  assert.match(stdout, "--plugin-timeout <n>");
  assert.match(stdout, "SVC_PORT");
});

test("suggests the nearest command and option, with exit code 2", async () => {
  assert.equal(await run("biuld"), {
    stdout: "",
    stderr:
      "svc: error SVC3001: unknown command `biuld`, did you mean `build`? run `svc " +
      "--help` to list the commands\n",
    code: 2,
  });
  const option = await run("serve", "--prot", "1");
  assert.match(option.stderr, "svc: error SVC3002: unknown option `--prot` for `svc serve`");
  assert.match(option.stderr, "did you mean `--port`?");
  assert.is(option.code, 2);
  assert.match((await run("--versoin")).stderr, "did you mean `--version`?");
});

test("supports commands of two words", async () => {
  assert.match((await run("argspec", "diff", "--help")).stdout, "Usage: svc argspec diff <old> ");
  assert.match((await run("argspec", "--help")).stdout, "Usage: svc argspec [source] ");
  for (const words of [["build"], ["argspec", "diff"]]) {
    assert.is((await run("help", ...words)).stdout, (await run(...words, "--help")).stdout);
  }
  const { stderr, code } = await run("argspec", "dif", "a", "b");
  assert.match(stderr, "SVC3001: unknown command `argspec dif`, did you mean `argspec diff`?");
  assert.is(code, 2);
  // An existing name, or one unlike any command, is an argument.
  const file = join(folder, "diff");
  writeFileSync(file, "");
  assert.match((await run("argspec", file)).stderr, "SVC3015: ");
  assert.match((await run("argspec", "nowhere")).stderr, "SVC3014: there is no `nowhere`");
});

test("rejects an invalid matrix size", async () => {
  for (const size of ["2", "2x", "0x2", "x2", "2x2x2", "33x1", "6x6"]) {
    const { stderr, code } = await run("matrix", size, folder);
    assert.match(stderr, "svc: error SVC3012: expected <replicas>x<partitions> of 1 to 32 engines");
    assert.is(code, 2);
  }
  assert.match((await run("matrix")).stderr, "SVC3004: `svc matrix` needs <size>");
});

test("reports a missing folder, and the command to run before a first build", async () => {
  const missingResult = await run("serve", join(folder, "nowhere"));
  assert.match(missingResult.stderr, "svc: error SVC3005: ");
  assert.is(missingResult.code, 1);
  const unbuilt = await run("serve", folder);
  // The command replaces the general remedy.
  const line = /^svc: error SVC3006: project is not built: run `svc build [^`]+`\n$/;
  assert.match(unbuilt.stderr, line);
  assert.is(unbuilt.code, 1);
});

test("init writes a project with its own name and an installable dependency", async () => {
  const project = join(folder, "My Service");
  const { code, stdout } = await run("init", project);
  assert.is(code, 0);
  const written = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  assert.is(written.name, "my-service");
  assert.is(written.dependencies["svc-server"], `file:${packageRoot()}`);
  assert.match(stdout, "not from a registry: package.json refers to");
  assert.equal(readdirSync(project).sort(), [
    ".gitignore",
    "README.md",
    "package.json",
    "plugins",
    "svc.config.ts",
    "test",
    "tsconfig.json",
  ]);
  const texts = readdirSync(project, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
  assert.not.match(texts.join("\n"), "{{");
});

test("init rejects a folder that is not empty or cannot be created", async () => {
  const file = join(folder, "file");
  const dangling = join(folder, "dangling");
  writeFileSync(file, "");
  symlinkSync(join(folder, "nowhere"), dangling);
  for (const taken of [folder, file, dangling]) {
    const { stderr, code } = await run("init", taken);
    assert.match(stderr, "svc: error SVC3009: ");
    assert.is(code, 1);
  }
});

test.run();
