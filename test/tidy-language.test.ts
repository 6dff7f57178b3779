// The English of comments, documents, tests and texts, names of exports, and subjects of commits:
// docs/contributing/style.md.

import { spawnSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BANNED_WORDS } from "./support/language/banned-words.js";
import { extractProse, type Prose, splitSentences } from "./support/language/prose.js";
import { ROOT, type SourceFile, sourceFiles } from "./support/source-files.js";

/** Texts that must name a banned word, and pages that are generated from texts counted here. */
const EXCEPTIONS = new RegExp(
  "^(docs/contributing/style|docs/internals/glossary|test/support/language/|test/tidy-language|" +
    "docs/reference/(cli|errors|graph-api|metrics|settings))",
);
const SHORT_SENTENCES = /^([A-Z]+|docs\/\w+\/[\w-]+|(examples|templates)\/\w+\/README)\.md$/;
const MAX_WORDS = 25;
const MAX_SHOWN = 10;
/** Subjects are checked behind this commit. */
const FIRST_COMMIT = "db9f54d3";
const MAX_COMMITS = 200;
const MAX_SUBJECT = 72;
const SUBJECT =
  /^(?:feat|fix|perf|refactor|test|docs|build|chore|ci|revert)(?:\([\w/., -]+\))?!?: [a-z`]/;
const NO_IMPERATIVE =
  /: (?:add|change|fix|move|remove|rename|rewrite|show|split|test|update|use)(?:s|es|d|ed|ing) /;

/** Values named after a relation, such as `sizeOf`. */
const EXPORT = /^export (?:async )?(?:function\*?|const|let) ([a-z]\w*[a-z](?:Of|In))\b/gm;

const test = suite("language");
const files = sourceFiles();
const prose = extractProse(files.filter(({ path }) => !EXCEPTIONS.test(path)));

function usesIn(texts: readonly Prose[], pattern: RegExp): string[] {
  return texts.flatMap(({ source, text }) => {
    const count = [...text.matchAll(pattern)].length;
    return Array.from({ length: count }, () => `${source}: ${text}`);
  });
}

const names = files
  .filter(({ path }) => /^(argspec|cli|client|compiler|console|runtime)\/.*\.tsx?$/.test(path))
  .flatMap(({ text }) => [...text.matchAll(EXPORT)].map(([, name = ""]) => name))
  .filter((name) => !/ServiceIn$/.test(name));
const exported = [...new Set(names)].sort();

for (const { name, pattern, instead } of BANNED_WORDS) {
  test(`says ${instead} instead of: ${name}`, () => {
    for (const [kind, texts] of prose) {
      const places = usesIn(texts, pattern);
      const shown = places.slice(0, MAX_SHOWN).join("\n");
      assert.is(places.length, 0, `${kind}: write ${instead}\n${shown}`);
    }
  });
}

test("names no export xOf or xIn", () => {
  assert.equal(exported, []);
});

function longSentences(documents: readonly SourceFile[]): string[] {
  const words = (text: string): number => text.split(/\s+/).filter((w) => /\w/.test(w)).length;
  return documents
    .flatMap(splitSentences)
    .filter(({ text }) => words(text) > MAX_WORDS)
    .map(({ source: label, text }) => `${label}: ${words(text)} words: ${text}`);
}

test("sentences of documents are short", () => {
  const documents = files.filter(({ path }) => SHORT_SENTENCES.test(path));
  assert.is(longSentences(documents).join("\n"), "");
});

function wrongSubjects(subjects: readonly string[]): string[] {
  return subjects.filter((subject) => {
    return subject.length > MAX_SUBJECT || !SUBJECT.test(subject) || NO_IMPERATIVE.test(subject);
  });
}

test("commits have subjects `type(scope): imperative`", () => {
  const range = [`-${MAX_COMMITS}`, "--format=%s", `${FIRST_COMMIT}..HEAD`];
  const { status, stdout } = spawnSync("git", ["log", ...range], { cwd: ROOT, encoding: "utf8" });
  // Without its history, as in a package or a shallow clone, there is nothing to check.
  if (status !== 0) return;
  const subjects = stdout.split("\n").filter((subject) => subject !== "");
  assert.equal(wrongSubjects(subjects), []);
});

test("reports banned words", () => {
  const texts = [
    { source: "a", text: "Whoever asks waits" },
    { source: "b", text: "What is read is checked" },
    { source: "c", text: "What is it?" },
  ];
  const uses = BANNED_WORDS.flatMap(({ pattern }) => usesIn(texts, pattern));
  assert.equal(uses, ["b: What is read is checked", "a: Whoever asks waits"]);
  const source = "export function sizeOf() {}\nexport const sizes = 1;\nfunction listOf() {}";
  const related = [...source.matchAll(EXPORT)].map(([, name]) => name);
  assert.equal(related, ["sizeOf"]);
  const subjects = [
    "docs: describe it",
    "Say what it is",
    "fix(log): fixes it",
    `docs: ${"x".repeat(70)}`,
  ];
  assert.equal(wrongSubjects(subjects), subjects.slice(1));
});

test.run();
