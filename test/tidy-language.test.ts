// The English of comments, documents, tests and texts, names of exports, and subjects of commits:
// docs/contributing/style.md. Uses that are older than a rule are counted in the baseline, which
// may only shrink: `UPDATE_GOLDEN=1 node test/run.mjs tidy-language` writes the lower counts.

import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BANNED_WORDS } from "./support/language/banned-words.js";
import { type Kind, type Prose, proseOf, sentencesOf } from "./support/language/prose.js";
import { parseModule, ROOT, type SourceFile, sourceFiles } from "./support/source-files.js";

interface Baseline {
  /** Uses of banned words, by kind of text. */
  readonly words: Readonly<Record<string, Readonly<Partial<Record<Kind, number>>>>>;
  /** Exports named after a relation, such as `sizeOf`. */
  readonly exports: readonly string[];
}

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

const test = suite("language");
const files = sourceFiles();
const prose = proseOf(files.filter(({ path }) => !EXCEPTIONS.test(path)));
const file = new URL("golden/language-baseline.json", import.meta.url);
const baseline = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Baseline) : null;

function usesIn(texts: readonly Prose[], pattern: RegExp): string[] {
  return texts.flatMap(({ place, text }) => {
    const count = [...text.matchAll(pattern)].length;
    return Array.from({ length: count }, () => `${place}: ${text}`);
  });
}

const uses = BANNED_WORDS.map(({ name, pattern, instead }) => {
  const byKind = Array.from(prose, ([kind, texts]) => [kind, usesIn(texts, pattern)] as const);
  return { name, instead, byKind };
});
const names = files
  .filter(({ path }) => /^(argspec|cli|client|compiler|console|runtime)\/.*\.tsx?$/.test(path))
  .flatMap((source) => parseModule(source).exports.map(({ name }) => name))
  .filter((name) => /^[a-z]\w*[a-z](?:Of|In)$/.test(name));
const exported = [...new Set(names)].sort();

function limitOf(name: string, kind: Kind): number {
  return baseline === null ? Number.POSITIVE_INFINITY : (baseline.words[name]?.[kind] ?? 0);
}

function isKnown(name: string): boolean {
  return baseline === null || baseline.exports.includes(name);
}

/** What is left of the baseline. */
function shrunk(): Baseline {
  const words: Record<string, Partial<Record<Kind, number>>> = {};
  for (const { name, byKind } of uses) {
    const left = byKind.map(([kind, places]) => {
      return [kind, Math.min(places.length, limitOf(name, kind))] as const;
    });
    const kinds = left.filter(([, count]) => count > 0);
    if (kinds.length > 0) words[name] = Object.fromEntries(kinds);
  }
  return { words, exports: exported.filter(isKnown) };
}

if (process.env.UPDATE_GOLDEN === "1") {
  writeFileSync(file, `${JSON.stringify(shrunk(), null, 2)}\n`);
}

for (const { name, instead, byKind } of uses) {
  test(`says ${instead} instead of: ${name}`, () => {
    for (const [kind, places] of byKind) {
      const limit = limitOf(name, kind);
      const shown = places.slice(0, MAX_SHOWN).join("\n");
      const counted = `${kind}: ${places.length} uses, at most ${limit}`;
      assert.ok(places.length <= limit, `${counted}; write ${instead}\n${shown}`);
    }
  });
}

test("names no new export xOf or xIn", () => {
  assert.equal(
    exported.filter((name) => !isKnown(name)),
    [],
  );
});

function longSentences(documents: readonly SourceFile[]): string[] {
  const words = (text: string): number => text.split(/\s+/).filter((w) => /\w/.test(w)).length;
  return documents
    .flatMap(sentencesOf)
    .filter(({ text }) => words(text) > MAX_WORDS)
    .map(({ place, text }) => `${place}: ${words(text)} words: ${text}`);
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

test("finds what it bans", () => {
  const texts = [
    { place: "a", text: "Whoever asks waits" },
    { place: "b", text: "What is read is checked" },
    { place: "c", text: "What is it?" },
  ];
  const found = BANNED_WORDS.flatMap(({ pattern }) => usesIn(texts, pattern));
  assert.equal(found, ["b: What is read is checked", "a: Whoever asks waits"]);
  const subjects = [
    "docs: describe it",
    "Say what it is",
    "fix(log): fixes it",
    `docs: ${"x".repeat(70)}`,
  ];
  assert.equal(wrongSubjects(subjects), subjects.slice(1));
});

test.run();
