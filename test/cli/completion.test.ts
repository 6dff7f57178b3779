// Completion of command lines, in bash and, if installed, in fish; zsh uses bash's.
// limit: 60 s

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { VERBS } from "../../cli/admin/verbs.js";
import { COMMANDS } from "../../cli/commands.js";
import { run } from "./run-main.js";

const test = suite("completion");

/** Verbs of `svc admin` that begin with an s. */
const WITH_S = VERBS.map(({ name }) => name).filter((name) => name.startsWith("s"));

/** Second words of commands that begin with `graph`. */
const OF_GRAPH = COMMANDS.flatMap(({ name }) => (/^graph (.+)/.exec(name) ?? []).slice(1));

/** Suggestions of bash for lists of words, the last of each incomplete. */
function readCompletions(
  script: string,
  cwd: string,
  lines: readonly (readonly string[])[],
): string[][] {
  const prompts = lines.map((words) => {
    const typed = words.map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(svc ${typed}); COMP_CWORD=${words.length}; COMPREPLY=(); _svc
printf '%s\\n' "\${COMPREPLY[@]}" ---`;
  });
  const program = `${script}\n${prompts.join("\n")}`;
  const { stdout, stderr, status } = spawnSync("bash", ["--norc", "-c", program], {
    cwd,
    encoding: "utf8",
  });
  assert.is(status, 0, stderr);
  const responses = stdout.split("---\n").slice(0, -1);
  return responses.map((text) => text.split("\n").filter((line) => line !== ""));
}

test("completes commands, options, their values and paths in bash", async () => {
  const { stdout: script } = await run("completion", "bash");
  const folder = mkdtempSync(join(tmpdir(), "svc-completion-"));
  mkdirSync(join(folder, "my service"));
  mkdirSync(join(folder, "other"));
  const expected: readonly (readonly [words: readonly string[], offers: readonly string[]])[] = [
    [["bu"], ["build"]],
    [["help", "de"], ["dev"]],
    [["graph", ""], OF_GRAPH],
    [["admin", "s"], WITH_S],
    [["admin", "status", "o"], ["other"]],
    [["admin", "status", "--j"], ["--json"]],
    [["completion", "z"], ["zsh"]],
    [["argspec", "d"], ["diff"]],
    [["argspec", "o"], ["other"]],
    [["build", "--ch"], ["--check"]],
    [["client", "--lang", "p"], ["python"]],
    [["client", "--lang", "p", "--ou"], ["--out"]],
    [["serve", "--root", "my"], ["my service"]],
    [["serve", "--port", ""], []],
    [["build", "o"], ["other"]],
  ];
  const included = [
    [[""], "graph"],
    [[""], "help"],
    [["argspec", "diff", "--"], "--help"],
    ...VERBS.map(({ name }) => [["admin", name], name] as const),
  ] as const;
  try {
    const words = [...expected, ...included].map(([words]) => words);
    const offers = readCompletions(script, folder, words);
    assert.equal(
      expected.map(([words], index) => [words, offers[index]]),
      expected,
    );
    for (const [index, [words, offer]] of included.entries()) {
      assert.ok(offers[expected.length + index]!.includes(offer), `${words}: ${offer}`);
    }
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
    assert.equal(new Set(on("svc graph ")), new Set(OF_GRAPH));
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
