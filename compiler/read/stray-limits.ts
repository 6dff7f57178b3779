// Reports limits without effect: misspelled, in an ordinary comment, or in a doc comment that
// belongs to no parameter, property or type. If they were ignored, every value would be accepted.

import { ts } from "ts-morph";
import { LIMIT_WORDS } from "../../argspec/limits/limits.js";
import { didYouMean } from "../../runtime/base/did-you-mean.js";
import { MENTIONS_LIMIT } from "./carried-limits.js";
import { tagLocation } from "./limit-usage.js";
import type { ReadContext } from "./read-context.js";
import { isInComment } from "./stray-tags.js";
import type { StatedLimit } from "./unread-limits.js";

const WORDS = Object.keys(LIMIT_WORDS);

export function reportStrayLimits(context: ReadContext, sourceFile: ts.SourceFile): void {
  const { text } = sourceFile;
  let attached: ReadonlySet<number> | null = null;
  for (const { 0: tag, 1: word, index } of text.matchAll(/(?<=[\s*/])@([A-Za-z]+)\b/g)) {
    const isLimit = Object.hasOwn(LIMIT_WORDS, word!);
    const suggestion = isLimit ? "" : suggestLimit(word!);
    if ((!isLimit && suggestion === "") || !isInComment(sourceFile, index)) continue;
    const range = { position: context.positionAt(sourceFile, index), length: tag.length };
    const isDoc = isInDocComment(text, index);
    if (isDoc && !isLimit) {
      const message = `\`${tag}\` limits nothing${suggestion}`;
      context.add({ code: "SVC1147", severity: "error", ...range, message, help: "" });
    } else if (!isDoc && isLimit) {
      const message = `\`${tag}\` in an ordinary comment limits nothing`;
      const help = `\`/** ${tag} … */\` before the parameter, property or type`;
      context.add({ code: "SVC1146", severity: "warning", ...range, message, help });
    } else if (isLimit) {
      attached ??= attachedTags(sourceFile);
      if (attached.has(index)) continue;
      const message = `\`${tag}\` in a comment that belongs to no parameter, property or type`;
      const help = "write the comment right before what it limits";
      context.add({ code: "SVC1146", severity: "error", ...range, message, help });
    }
  }
}

/** JSDoc and TSDoc tags that merely resemble a limit. */
const OTHER_TAGS = new Set(["param", "mixin", "name", "member", "method", "template"]);

function suggestLimit(word: string): string {
  if (OTHER_TAGS.has(word)) return "";
  const lower = word.toLowerCase();
  const same = WORDS.filter((known) => known.toLowerCase() === lower);
  // `@length` and `@items` have no direction.
  const suffixed = WORDS.filter((known) => known.toLowerCase().endsWith(lower) && lower.length > 4);
  const candidates = same.length > 0 ? same : suffixed;
  if (candidates.length === 0) return didYouMean(word, WORDS);
  return `, did you mean ${candidates.map((known) => `\`${known}\``).join(" or ")}?`;
}

function isInDocComment(text: string, offset: number): boolean {
  const before = text.slice(0, offset);
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const opened = before.lastIndexOf("/*");
  const isBlock = opened > before.lastIndexOf("*/");
  return isBlock && before.startsWith("/**", opened) && !/^\s*\/\//.test(line);
}

/** Returns the limits of declarations; each has an effect only if a plugin uses its type. */
export function statedLimits(context: ReadContext, sourceFile: ts.SourceFile): StatedLimit[] {
  return listLimits(sourceFile).map((tag) => {
    const offset = tag.tagName.getStart(sourceFile) - 1;
    const position = context.positionAt(sourceFile, offset);
    return { location: tagLocation(tag), word: tag.tagName.text, position };
  });
}

function listLimits(sourceFile: ts.SourceFile): ts.JSDocTag[] {
  if (!MENTIONS_LIMIT.test(sourceFile.text)) return [];
  return declarationTags(sourceFile).filter(({ tagName }) =>
    Object.hasOwn(LIMIT_WORDS, tagName.text),
  );
}

/** Returns the offsets of tags in the comments of declarations. */
function attachedTags(sourceFile: ts.SourceFile): ReadonlySet<number> {
  const tags = declarationTags(sourceFile, true);
  return new Set(tags.map(({ tagName }) => tagName.getStart(sourceFile) - 1));
}

/** Returns the tags in comments of declarations. The comment of an import describes the file. */
function declarationTags(sourceFile: ts.SourceFile, includesImports = false): ts.JSDocTag[] {
  const found = new Set<ts.JSDocTag>();
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && !includesImports) return;
    for (const comment of ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)) {
      for (const tag of comment.tags ?? []) found.add(tag);
    }
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
  return [...found];
}
