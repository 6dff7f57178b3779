// Files that documents name exist. So do symbols in comments and in pages for contributors, and a
// symbol that is named with its file is declared there.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { COMMENT, extractComments } from "./support/language/prose.js";
import { ROOT, sourceFiles } from "./support/source-files.js";

const test = suite("names of code in documents");
const files = sourceFiles();
/** It spells names that do not exist. */
const OWN = "test/tidy-code-names.test.ts";
const code = new Map(
  files
    .filter(({ path }) => /\.(tsx?|mjs|cjs|wat|py)$/.test(path) && path !== OWN)
    .map((file) => [file.path, file]),
);
const documents = files.filter(({ path }) => /^([A-Z]+|docs\/\w+\/[\w-]+)\.md$/.test(path));
/** Other pages also name symbols of user code and of other programs. */
const CONTRIBUTORS = /^(ARCHITECTURE|CONTRIBUTING|docs\/(contributing|internals)\/[\w-]+)\.md$/;

/** Folders and files of the repository; a name like `compiler/read/` or `test/x.test.ts`. */
const FOLDERS =
  "argspec|bench|bin|cli|client|compiler|console|docs|examples|runtime|scripts|templates|test";
const PATH = new RegExp(`^(${FOLDERS})/[\\w./*-]*$`);
/** Names that only numbers, generated code, examples or other programs have. */
const FOREIGN = new Set([
  ...["SVCM", "SVCT", "SVP1", "copyKeys", "mX", "miX", "mrX", "mvX", "SearchCity", "SVC1xxx"],
  ...["ContextFlags.IgnoreNodeInferences", "EXT4_IOC_SHUTDOWN", "EventSource", "TSnnnn"],
]);
/** `Class`, `Class.member` or `function`, as the documents spell what exists in the code. */
const SYMBOL = /^(?:[A-Z]\w+|[a-z]+[A-Z]\w*)(?:\.\w+)?$/;

const MODIFIERS = "(?:export|default|abstract|async|static|readonly|override|private|get|set) |\\*";
const DECLARATIONS = "class|function\\*?|const|let|interface|type|enum";

/** Words outside comments: a comment does not prove that a name exists. */
const words = new Set(
  [...code.values()]
    .flatMap(({ text }) => text.split("\n"))
    .flatMap((line) => line.replace(COMMENT, "").match(/[A-Za-z_$][\w$]*/g) ?? []),
);

function codeSpans(text: string): string[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!);
}

/** Why a path is wrong; empty if it exists. `*` stands for any part of a name. */
function missingPath(span: string): string {
  const pattern = span.replace(/[.]/g, "\\.").replaceAll("*", "[\\w.-]+");
  const matcher = new RegExp(`^${pattern}${span.endsWith("/") ? "" : "(/|$)"}`);
  const exists = existsSync(join(ROOT, span)) || files.some(({ path }) => matcher.test(path));
  return exists ? "" : `no file ${span}`;
}

/** Why a symbol is wrong; empty if all its parts are names of the code. */
function missingSymbol(span: string): string {
  const exists = FOREIGN.has(span) || span.split(".").every((part) => words.has(part));
  return exists ? "" : `no symbol ${span}`;
}

/** Why a file does not declare a symbol; empty if it does. */
function undeclared(symbol: string, path: string): string {
  const { text = "" } = code.get(path) ?? {};
  const [owner, member] = symbol.split(".") as [string, string?];
  const isOwner = new RegExp(`^\\s*(?:${MODIFIERS})*(?:${DECLARATIONS}) ${owner}\\b`, "m");
  if (!isOwner.test(text)) return `${path} declares no ${owner}`;
  const isMember = new RegExp(`^ {2}(?:${MODIFIERS})*#?${member}\\b`, "m");
  return member === undefined || isMember.test(text) ? "" : `${owner} in ${path} has no ${member}`;
}

/** Names in a document that do not exist. */
function wrongNames(text: string): string[] {
  const spans = codeSpans(text).map((span) => {
    if (PATH.test(span)) return missingPath(span);
    return SYMBOL.test(span) ? missingSymbol(span) : "";
  });
  const placed = text.matchAll(/`([\w.]+)`\s+in\s+`([\w./-]+\.\w+)`/g);
  const pairs = Array.from(placed, ([, symbol, path]) => undeclared(symbol!, path!));
  return [...spans, ...pairs].filter((finding) => finding !== "");
}

test("symbols and files exist", () => {
  const findings = documents.flatMap(({ path, text }) => {
    const misplaced = CONTRIBUTORS.test(path)
      ? wrongNames(text)
      : codeSpans(text)
          .filter((span) => PATH.test(span))
          .map(missingPath);
    return misplaced.filter((finding) => finding !== "").map((finding) => `${path}: ${finding}`);
  });
  assert.is([...new Set(findings)].join("\n"), "");
});

test("symbols in comments exist", () => {
  const findings = extractComments([...code.values()]).flatMap(({ source, text }) =>
    codeSpans(text)
      .filter((span) => SYMBOL.test(span) && missingSymbol(span) !== "")
      .map((span) => `${source}: ${missingSymbol(span)}`),
  );
  assert.is(findings.join("\n"), "");
});

test("reports names that do not exist", () => {
  assert.equal(wrongNames("`runtime/engine/no-such-file.ts`"), [
    "no file runtime/engine/no-such-file.ts",
  ]);
  assert.equal(wrongNames("`noSuchFunctionAnywhere`"), ["no symbol noSuchFunctionAnywhere"]);
  assert.equal(wrongNames("`Scheduler.noSuch` in `runtime/engine/scheduler.ts`").length, 2);
  assert.equal(wrongNames("`Scheduler.submit` in `runtime/engine/scheduler.ts`"), []);
  assert.equal(wrongNames("`RouteTable` in `runtime/engine/scheduler.ts`"), [
    "runtime/engine/scheduler.ts declares no RouteTable",
  ]);
});

test.run();
