// Documents agree with the code: the names in them exist, and so do the sections that comments
// cite. A citation such as (http-interface, "Response envelope") is a document and a heading.

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, normalize } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ReplayOutcome } from "../cli/replay/outcome.js";
import { replayReport } from "../cli/replay/report.js";
import { ERROR_CODES } from "../runtime/base/error-codes.js";
import { OperationCode } from "../runtime/graph/store/operation.js";
import { MessageType } from "../runtime/interconnect/wire/messages.js";
import { parseFences } from "./e2e/support/document.js";
import { ROOT, sourceFiles } from "./support/source-files.js";

const TEMPLATE = "templates/init/package.json";

const test = suite("tidy documents");
const files = sourceFiles();
const DOCUMENT = /^([A-Z]+|docs\/(\w+\/)?[\w-]+|(examples|templates)\/\w+\/README)\.md$/;
const documents = files.filter(({ path }) => DOCUMENT.test(path));

/** Fails with one line for every violation. */
function expectNone(findings: readonly string[]): void {
  assert.is(findings.join("\n"), "");
}

/** Scripts of `npm run` in this repository, or in a project of `svc init`. */
function listScripts(path: string): string[] {
  return Object.keys(JSON.parse(readFileSync(join(ROOT, path), "utf8")).scripts);
}

test("documents name existing scripts, commands, files and error codes", () => {
  const scripts = new Set([...listScripts("package.json"), ...listScripts(TEMPLATE)]);
  const commands = readFileSync(join(ROOT, "cli/commands.ts"), "utf8");
  const findings: string[] = [];
  for (const { path: name, text } of documents) {
    for (const [, script] of text.matchAll(/\bnpm (?:run )?(start|test|(?<=run )[\w:-]+)/g)) {
      if (!scripts.has(script!)) findings.push(`${name}: npm run ${script}`);
    }
    for (const [, command] of text.matchAll(/`(?:npx )?svc ([a-z]+)/g)) {
      if (!new RegExp(`\\b${command}\\b`).test(commands)) findings.push(`${name}: svc ${command}`);
    }
    for (const [, link] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
      const target = normalize(join(dirname(name), link!));
      // Pictures are no text files.
      const isPicture = target.endsWith(".png") && existsSync(join(ROOT, target));
      if (!isPicture && !files.some(({ path }) => path.startsWith(target))) {
        findings.push(`${name}: link to ${link}`);
      }
    }
    for (const [code] of text.matchAll(/\bSVC[123]\d{3}\b/g)) {
      if (!Object.hasOwn(ERROR_CODES, code)) findings.push(`${name}: ${code}`);
    }
  }
  expectNone(findings);
});

test("the guide shows the report of a replay as svc prints it", () => {
  const { text } = documents.find(({ path }) => path.endsWith("/testing-a-release.md"))!;
  const outcome = Object.assign(new ReplayOutcome(), {
    ...{ sent: 18_240, seconds: 612.4, differing: 2 },
    left: { "may change something: see --include-writes": 312 },
    recorded: { p50: 1.2, p95: 4.8, p99: 11, max: 85.3 },
    now: { p50: 1.1, p95: 4.6, p99: 10.2, max: 71.9 },
    examples: [
      { request: "GET /svc/plugin/search?q=os", difference: "answer", recorded: 200, now: 200 },
      { request: "GET /svc/plugin/item?id=7", difference: "status", recorded: 200, now: 404 },
    ],
  });
  const shown = parseFences(text).find(({ language }) => language === "")!;
  assert.is(shown.code, replayReport(outcome));
});

/** Options of other programs that guides show. */
const FOREIGN_OPTIONS = new Set(["--data-urlencode", "--memory", "--omit", "--time"]);

test("guides and reference name options and settings that exist", () => {
  const generated = (name: string) =>
    documents.find(({ path }) => path === `docs/reference/${name}.md`)!.text;
  const options = new Set(generated("cli").match(/--[a-z][a-z-]+/g));
  const keys = new Set(generated("settings").match(/(?<=^\| `)[a-zA-Z]+\.\w+(?=`)/gm));
  const group = [...new Set(Array.from(keys, (key) => key.split(".", 1)[0]))].join("|");
  const setting = new RegExp(`(?<=\`)(?:${group})\\.\\w+(?=[:\`])`, "g");
  const findings: string[] = [];
  for (const { path, text } of documents) {
    if (!/^(README|CHANGELOG|docs\/(guides|reference))/.test(path)) continue;
    for (const [option] of text.matchAll(/(?<![\w-])--[a-z][a-z-]+/g)) {
      if (!options.has(option) && !FOREIGN_OPTIONS.has(option)) findings.push(`${path}: ${option}`);
    }
    for (const [key] of text.matchAll(setting)) {
      // A function of plugins, not a setting.
      if (!keys.has(key) && !/^plugin\.(pre|post)$/.test(key)) findings.push(`${path}: ${key}`);
    }
  }
  expectNone(findings);
});

test("the code names existing pages of docs/", () => {
  const paths = new Set(documents.map(({ path }) => path));
  const findings: string[] = [];
  for (const { path, text } of files) {
    if (path.startsWith("test/tidy-") || path === "CHANGELOG.md") continue;
    for (const [page] of text.matchAll(/(?<![\w/.-])docs\/[\w/-]+\.md/g)) {
      if (!paths.has(page)) findings.push(`${path}: ${page}`);
    }
  }
  expectNone(findings);
});

test("the README stays short", () => {
  const { text } = documents.find(({ path }) => path === "README.md")!;
  assert.ok(text.trimEnd().split("\n").length <= 150);
});

test("the pages on the interface are complete", () => {
  const sources: readonly (readonly [path: RegExp, name: RegExp])[] = [
    [/^runtime\/http\/header-fields\.ts$/, /^ {2}"((?:x-svc-)?[a-z-]+)",$/gm],
    [/^runtime\/builtin\/services\.ts$/, /^ {2}\["([\w/]+)"/gm],
    [/^runtime\/builtin\/(?:graph-)?plugins\/\w+/, /^ \* @plugin (\w+)$/gm],
    [/^runtime\/plugin\/(?:request|response)\/plugin-re\w+\.ts$/, /^ {2}[gs]et (\w+)\(/gm],
    [/^runtime\/plugin\/response\/response-origin\.ts$/, /^ {2}get (\w+)\(/gm],
    [/^runtime\/lifecycle\/system\.ts$/, /^ {2}(?:async )?([a-z]\w+)\((?!\) \{)/gm],
  ];
  const pages = documents.filter(({ path }) => /\/(http-interface|plugin-api)\.md$/.test(path));
  const text = pages.map(({ text }) => text.toLowerCase()).join("\n");
  const findings: string[] = [];
  for (const [source, name] of sources) {
    const names = files
      .filter(({ path }) => source.test(path))
      .flatMap(({ text }) => [...text.matchAll(name)].map(([, match]) => match!));
    assert.ok(names.length > 3, `${source} names nothing`);
    const missing = names.filter(
      (candidate) => !new RegExp(`(?<!\\w)${candidate}(?!\\w)`, "i").test(text),
    );
    findings.push(...missing.map((missingName) => `${source.source}: ${missingName}`));
  }
  expectNone(findings);
});

test("tables of codes in format documents are complete", () => {
  const tables = [
    ["docs/internals/log-format.md", "## Records", OperationCode],
    ["docs/internals/replication-protocol.md", "## Messages", MessageType],
  ] as const;
  for (const [name, section, codes] of tables) {
    const { text } = documents.find(({ path }) => path === name)!;
    const [, after = ""] = text.split(`\n${section}\n`);
    const rows = after.split("\n## ", 1)[0]!;
    const numbers = [...rows.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number));
    const missing = Object.entries(codes).filter(([, code]) => !numbers.includes(code));
    assert.equal(missing, [], name);
  }
});

function listHeadings(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) => title!.replaceAll("`", ""));
}

const pages = documents.filter(({ path }) => !path.endsWith("README.md"));
/** Headings by the base name of their document. */
const headings = new Map(
  pages.map(({ path, text }) => [basename(path, ".md"), new Set(listHeadings(text))]),
);

test("pages have unique names, because comments cite them without folders", () => {
  assert.is(headings.size, pages.length);
});

/** The anchor that Markdown viewers derive from a heading. */
function anchorFor(title: string): string {
  const words = title.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "");
  return words.trim().replaceAll(" ", "-");
}

test("links lead to existing sections", () => {
  const anchors = new Map(
    documents.map(({ path, text }) => [path, new Set(listHeadings(text).map(anchorFor))]),
  );
  const findings: string[] = [];
  for (const { path, text } of documents) {
    for (const [, file, anchor] of text.matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)) {
      const target = file === "" ? path : normalize(join(dirname(path), file!));
      if (anchors.get(target)?.has(anchor!) === false) findings.push(`${path}: ${file}#${anchor}`);
    }
  }
  expectNone(findings);
});

/** `(http-interface, "A", "B" and "C")`, or the beginning of an incomplete one. */
const CITATION = /\(([a-z][\w-]*|ARCHITECTURE), ("[^"]*"(?:(?:, | and )"[^"]*")*)/g;

/** Citations of missing sections. */
function citedInVain(text: string): string[] {
  const joined = text.replace(/\n\s*(?:\/\/|\*) ?/g, " ");
  return [...joined.matchAll(CITATION)].flatMap(([, document, titles]) => {
    const known = headings.get(document!);
    // Calls in comments look alike: (request, "you").
    if (known === undefined && !/^"[A-Z]/.test(titles!)) return [];
    if (known === undefined) return [`no document ${document}.md, cited with ${titles}`];
    const cited = [...titles!.matchAll(/"([^"]*)"/g)].map(([, title]) => title!);
    return cited.filter((title) => !known.has(title)).map((title) => `${document}.md, "${title}"`);
  });
}

test("comments cite existing sections, and nothing outside of the repository", () => {
  const findings: string[] = [];
  for (const { path, text } of files) {
    if (!/^(argspec|client|cli|compiler|runtime)\/.*\.(ts|py)$/.test(path)) continue;
    const comments = [...text.matchAll(/^\s*(?:\/\/|\/\*\*|\*).*$/gm)].join("\n");
    findings.push(...citedInVain(comments).map((title) => `${path}: ${title}`));
    const outside = /\(interface[,)](?! *\n?.*")|\bdigest \d|\b[\w-]+\.md \d/i.exec(comments);
    if (outside !== null) findings.push(`${path}: ${outside[0]}`);
  }
  expectNone(findings);
});

test("reports a citation of a missing section", () => {
  assert.equal(citedInVain('// (http-interface, "Errors" and\n// "Nothing")'), [
    'http-interface.md, "Nothing"',
  ]);
  assert.equal(citedInVain('(no-document, "Errors")'), [
    'no document no-document.md, cited with "Errors"',
  ]);
  assert.equal(citedInVain('// (http-interface, "Response\n// envelope")'), []);
});

test.run();
