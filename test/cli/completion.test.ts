// Completion of command lines, in bash and, if installed, in fish; zsh uses bash's.
// limit: 60 s

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { VERBS } from "../../cli/admin/verbs.js";
import { run } from "./run-main.js";

const test = suite("completion");

/** Verbs of `svc admin` that begin with an s. */
const WITH_S = VERBS.map(({ name }) => name).filter((name) => name.startsWith("s"));

/** Suggestions of bash for these words, the last of them incomplete. */
function offered(script: string, cwd: string, ...words: string[]): string[] {
  const typed = words.map((word) => `'${word}'`).join(" ");
  const program = `${script}
COMP_WORDS=(svc ${typed}); COMP_CWORD=${words.length}; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-c", program], {
    cwd,
    encoding: "utf8",
  });
  assert.is(status, 0, stderr);
  return stdout.split("\n").filter((line) => line !== "");
}

test("completes commands, options, their values and paths in bash", async () => {
  const { stdout: script } = await run("completion", "bash");
  const folder = mkdtempSync(join(tmpdir(), "svc-completion-"));
  mkdirSync(join(folder, "my service"));
  mkdirSync(join(folder, "other"));
  const on = (...words: string[]) => offered(script, folder, ...words);
  try {
    assert.equal(on("bu"), ["build"]);
    assert.ok(on("").includes("graph") && on("").includes("help"));
    assert.equal(on("help", "de"), ["dev"]);
    assert.equal(on("graph", ""), ["import", "export", "rebuild-vectors"]);
    assert.equal(on("admin", "s"), WITH_S);
    assert.ok(VERBS.every(({ name }) => on("admin", name).includes(name)));
    assert.equal(on("admin", "status", "o"), ["other"]);
    assert.equal(on("admin", "status", "--j"), ["--json"]);
    assert.equal(on("completion", "z"), ["zsh"]);
    assert.equal(on("argspec", "d"), ["diff"]);
    assert.equal(on("argspec", "o"), ["other"]);
    assert.equal(on("build", "--ch"), ["--check"]);
    assert.ok(on("argspec", "diff", "--").includes("--help"));
    assert.equal(on("client", "--lang", "p"), ["python"]);
    assert.equal(on("client", "--lang", "p", "--ou"), ["--out"]);
    assert.equal(on("serve", "--root", "my"), ["my service"]);
    assert.equal(on("serve", "--port", ""), []);
    assert.equal(on("build", "o"), ["other"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("covers every command, option and choice in all shells", async () => {
  const [zsh, fish] = [await run("completion", "zsh"), await run("completion", "fish")];
  assert.match(zsh.stdout, /^autoload -U \+X bashcompinit && bashcompinit\n/);
  assert.match(zsh.stdout, "complete -F _svc svc");
  assert.match(fish.stdout, "complete -c svc -f -n __svc_first -a build -d 'Checks");
  assert.match(fish.stdout, "-n '__svc_second graph' -a import");
  assert.match(fish.stdout, `-n '__svc_is \\'client\\'' -l lang -x -a 'typescript python'`);
  assert.match(fish.stdout, `-n '__svc_is \\'build\\'' -l check -d 'fail if .svc/`);
});

const hasFish = spawnSync("fish", ["--version"]).status === 0;

(hasFish ? test : test.skip)("fish completes commands, options and their values", async () => {
  const { stdout: script } = await run("completion", "fish");
  const folder = mkdtempSync(join(tmpdir(), "svc-completion-"));
  mkdirSync(join(folder, "deep"));
  const on = (line: string) => {
    const program = `${script}\ncomplete -C '${line}'`;
    const options = { cwd: folder, encoding: "utf8" } as const;
    const { stdout, stderr, status } = spawnSync("fish", ["--no-config", "-c", program], options);
    assert.is(status, 0, stderr);
    return stdout.split("\n").flatMap((offer) => (offer === "" ? [] : [offer.split("\t")[0]]));
  };
  try {
    assert.equal(on("svc bu"), ["build"]);
    assert.equal(on("svc help de"), ["dev"]);
    assert.equal(new Set(on("svc graph ")), new Set(["import", "export"]));
    assert.equal(new Set(on("svc admin s")), new Set(WITH_S));
    assert.equal(on("svc admin --js"), ["--json"]);
    assert.equal(on("svc completion z"), ["zsh"]);
    assert.equal(new Set(on("svc argspec d")), new Set(["diff", "deep/"]));
    assert.equal(on("svc client --lang p"), ["python"]);
    assert.equal(on("svc build --ch"), ["--check"]);
    assert.equal(on("svc serve --root de"), ["deep/"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("rejects other shells by name", async () => {
  const { stderr, code } = await run("completion", "cmd");
  assert.match(stderr, "svc: error SVC3090: unsupported shell: cmd. pass bash, zsh or fish");
  assert.is(code, 1);
});

test.run();
