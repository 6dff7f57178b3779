// The text of an `@example` tag. Removed characters become blanks, so that every other character
// keeps its offset and diagnostics can point to it:
//
//   in the file   @example <caption>Near Oslo</caption>\r\n *   search({ q: "os" })
//   searched                                           .\n.....search({ q: "os" })     (. a blank)

import type { ts } from "ts-morph";
import type { SourceRange } from "../record/source-position.js";
import type { ReadContext } from "./read-context.js";

/** Fenced code in another language contains no calls of the plugin. */
const LANGUAGES = new Set([
  ...["", "ts", "mts", "typescript", "js", "mjs", "javascript"],
  ...["sh", "bash", "shell", "console", "http", "text"],
]);

export class ExampleText {
  /** The author's text, with line feeds as line ends. */
  readonly written: string;
  /**
   * The text as in the file, with blanks in place of everything except code and prose.
   */
  readonly searched: string;
  readonly #context: ReadContext;
  readonly #sourceFile: ts.SourceFile;
  readonly #start: number;

  constructor(context: ReadContext, tag: ts.JSDocTag) {
    this.#context = context;
    this.#sourceFile = tag.getSourceFile();
    this.#start = tag.tagName.end;
    const text = this.#sourceFile.text.slice(this.#start, tag.end);
    const lines = text.replaceAll("\r\n", "\n");
    this.written = lines.replace(/(?<=\n)[ \t]*(?:\* ?)?/g, "").trim();
    this.searched = withoutFences(
      text
        .replaceAll("\r", " ")
        .replace(/(?<=\n)[ \t]*\*/g, blank)
        .replace(/<caption>[\s\S]*?<\/caption>/g, blank),
    );
  }

  /** Returns the position of a part of `searched`, up to the end of its line. */
  range(start: number, end: number): SourceRange {
    const [line = ""] = this.searched.slice(start, end).split("\n", 1);
    return {
      position: this.#context.positionAt(this.#sourceFile, this.#start + start),
      length: Math.max(1, line.trimEnd().length),
    };
  }
}

function withoutFences(text: string): string {
  const fences = /^([ \t]*```[ \t]*([^\n`]*))(\n[\s\S]*?)(^[ \t]*```[^\n]*$|(?![\s\S]))/gm;
  return text.replace(fences, (_, open: string, language: string, body: string, close: string) => {
    const isOurs = LANGUAGES.has(language.trim().toLowerCase());
    return blank(open) + (isOurs ? body : blank(body)) + blank(close);
  });
}

/** Replaces every character by a blank, except line feeds. */
export function blank(text: string): string {
  return text.replace(/[^\n]/g, " ");
}
