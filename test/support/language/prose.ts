// The English texts of the repository: comments, documents, test titles, and texts of tables that
// users read.

import { VERBS } from "../../../cli/admin/verbs.js";
import { COMMANDS } from "../../../cli/commands.js";
import { ERROR_CODES } from "../../../runtime/base/error-codes.js";
import { SETTINGS } from "../../../runtime/settings/table.js";
import type { SourceFile } from "../source-files.js";

/** A text with its location. */
export interface Prose {
  readonly source: string;
  readonly text: string;
}

export type Kind = "comments" | "tests" | "titles" | "documents" | "texts" | "strings";

const PRODUCT =
  /^(argspec|bin|cli|client|compiler|console|runtime|scripts)\/.*\.(tsx?|[cm]js|py|wat)$/;
const TESTS = /^(bench|test)\/.*\.(tsx?|mjs)$/;
/** The changelog is history. */
const DOCUMENTS = /^(?!CHANGELOG).*\.md$/;
/** A line of a comment, or the comment after code. */
export const COMMENT = /^\s*(?:\/\/|\/\*\*?|\*|#|;;)(?!\/)(.*)$| \/\/ (.*)$/;
const LITERAL = /(["`'])((?:(?!\1)[^\\]|\\.)*)\1/g;
const TWO_WORDS = /[a-z,.] [^ ]/i;
/** A line of an element's content. */
const JSX_TEXT = /^\s*([A-Z][\w,'’-]+(?: [\w,'’-]+)+[.:?]?)$/;
const TITLE = /\btest(?:\.\w+)?\(\s*(["`])(.*?)\1/;

export function extractProse(files: readonly SourceFile[]): ReadonlyMap<Kind, readonly Prose[]> {
  const of = (paths: RegExp, lines: (file: SourceFile) => Prose[]): Prose[] =>
    files.filter(({ path }) => paths.test(path)).flatMap(lines);
  return new Map<Kind, readonly Prose[]>([
    ["comments", of(PRODUCT, (file) => matching(file, COMMENT))],
    ["tests", of(TESTS, (file) => matching(file, COMMENT))],
    ["titles", of(TESTS, (file) => matching(file, TITLE))],
    ["documents", of(DOCUMENTS, paragraphs)],
    ["texts", tableTexts()],
    ["strings", of(PRODUCT, literals)],
  ]);
}

export function extractComments(files: readonly SourceFile[]): Prose[] {
  return files.flatMap((file) => matching(file, COMMENT));
}

function matching({ path, text }: SourceFile, pattern: RegExp): Prose[] {
  return text.split("\n").flatMap((line, index) => {
    const [, first, second] = pattern.exec(line) ?? [];
    const title = pattern === TITLE ? second : (first ?? second);
    return title === undefined ? [] : [{ source: `${path}:${index + 1}`, text: title.trim() }];
  });
}

/** Literals of several words, without the expressions in them, and texts of elements. */
function literals({ path, text }: SourceFile): Prose[] {
  return text.split("\n").flatMap((line, index) => {
    if (COMMENT.test(line) || line.includes("class=")) return [];
    const [, content = ""] = JSX_TEXT.exec(line) ?? [];
    const texts = [content, ...[...line.matchAll(LITERAL)].map(([, , literal = ""]) => literal)];
    return texts
      .map((words) => words.replace(/\$\{[^}]*\}|`[^`]*`/g, "…"))
      .filter((words) => TWO_WORDS.test(words))
      .map((words) => ({ source: `${path}:${index + 1}`, text: words }));
  });
}

/** Lines of a document without code. */
function paragraphs({ path, text }: SourceFile): Prose[] {
  let isCode = false;
  return text.split("\n").flatMap((line, index) => {
    if (line.startsWith("```")) isCode = !isCode;
    const shown = line.replace(/`[^`]*`/g, "`…`");
    return isCode ? [] : [{ source: `${path}:${index + 1}`, text: shown }];
  });
}

/** Error codes, settings, commands. */
function tableTexts(): Prose[] {
  const prose: Prose[] = [];
  const add = (source: string, ...texts: readonly string[]): void => {
    prose.push(...texts.map((text) => ({ source, text })));
  };
  for (const [code, { title, fix }] of Object.entries(ERROR_CODES)) add(code, title, fix);
  for (const [name, { help, optionHelp }] of Object.entries(SETTINGS)) add(name, help, optionHelp);
  for (const { name, summary, arguments: positionals, options } of COMMANDS) {
    add(`svc ${name}`, summary, ...positionals.map(({ help }) => help));
    add(`svc ${name}`, ...Object.values(options).map(({ help }) => help));
  }
  for (const { name, summary } of VERBS) add(`svc admin ${name}`, summary);
  return prose;
}

/** Sentences of the paragraphs and lists of a document, without code, tables and headings. */
export function splitSentences({ path, text }: SourceFile): Prose[] {
  const prose = text.replace(/^```[\s\S]*?^```$/gm, "").replace(/`[^`]*`/g, "…");
  const isOther = /^(?:#|\||<!--|\s*$| {4})/;
  const blocks: string[] = [];
  let isOpen = false;
  for (const line of prose.split("\n")) {
    const [, item, words = ""] = /^\s*([*-] |\d+\. |> )?(.*)$/.exec(line) ?? [];
    if (isOther.test(line)) isOpen = false;
    else if (isOpen && item === undefined) blocks.push(`${blocks.pop()} ${words}`);
    else isOpen = blocks.push(words) > 0;
  }
  const sentences = blocks.flatMap((block) => block.split(/(?<=[.!?:])\s+(?=[A-Z*…[]|svc\b)/));
  return sentences.map((sentence) => ({ source: path, text: sentence }));
}
