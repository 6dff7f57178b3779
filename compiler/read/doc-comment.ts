// Reads the doc comment of a declaration: the texts that argspec and SDK show, and the tags
// `@plugin`, `@graph` and `@readonly` that declare a plugin.

import { ts } from "ts-morph";
import type { ReadContext } from "./read-context.js";

/** The text of a tag's line, and the node that diagnostics of the tag point to. */
export interface WordTag {
  readonly text: string;
  readonly node: ts.JSDocTag;
}

export interface DocComment {
  readonly plugin: WordTag | null;
  readonly graph: WordTag | null;
  readonly readonly: boolean;
  readonly summary: string;
  readonly description: string;
  readonly deprecated: boolean;
  /** Texts of `@deprecated` and `@returns`. */
  readonly deprecation: string;
  readonly returns: string;
  readonly examples: readonly ts.JSDocTag[];
  readonly throws: readonly { readonly exception: string; readonly description: string }[];
  readonly params: ReadonlyMap<string, string>;
  readonly tags: readonly ts.JSDocTag[];
}

const DECLARING_TAGS = new Set([
  ...["plugin", "graph", "readonly", "before", "timeout", "inline"],
  ...["public", "scope", "produces"],
  ...["cron", "every", "catchup"],
]);

/** @param nodes candidates; the first one with a comment is used */
export function readDocComment(...nodes: readonly ts.Node[]): DocComment {
  const comment = firstComment(nodes);
  const tags: readonly ts.JSDocTag[] = comment?.tags ?? [];
  const params = new Map<string, string>();
  const paragraphs = [commentText(comment)];
  for (const tag of tags) {
    if (ts.isJSDocParameterTag(tag)) params.set(tag.name.getText(), paramText(tag));
    if (DECLARING_TAGS.has(tag.tagName.text)) paragraphs.push(textBelow(tag));
  }
  const description = paragraphs.filter((text) => text !== "").join("\n\n");
  const findTags = (name: string) => tags.filter((tag) => tag.tagName.text === name);
  const textOf = (tag?: ts.JSDocTag) => (tag ? tagText(tag, tags[tags.indexOf(tag) + 1]) : "");
  return {
    plugin: readWordTag(findTags("plugin")[0]),
    graph: readWordTag(findTags("graph")[0]),
    readonly: findTags("readonly").length > 0,
    summary: firstSentence(description),
    description,
    deprecated: findTags("deprecated").length > 0,
    deprecation: commentText(findTags("deprecated")[0]),
    returns: textOf([...findTags("returns"), ...findTags("return")][0]),
    examples: findTags("example"),
    throws: [...findTags("throws"), ...findTags("exception")]
      .map((tag) => readThrows(tag, textOf(tag)))
      .filter(({ exception }) => exception !== ""),
    params,
    tags,
  };
}

/** Returns the author's description of a type or property, or the inherited one. */
export function getDescription({ checker }: ReadContext, symbol: ts.Symbol): string {
  return plainText(ts.displayPartsToString(symbol.getDocumentationComment(checker)));
}

export function isDeprecated(symbol: ts.Symbol): boolean {
  return symbol.declarations?.some((node) => ts.getJSDocDeprecatedTag(node)) ?? false;
}

/** Returns the text of the comment immediately before a parameter. */
export function directDocComment(parameter: ts.ParameterDeclaration): string {
  const docs = ts.getJSDocCommentsAndTags(parameter).filter(ts.isJSDoc);
  return commentText(docs.filter(({ parent }) => parent === parameter).at(-1));
}

function firstComment(nodes: readonly ts.Node[]): ts.JSDoc | undefined {
  for (const node of nodes) {
    const comment = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc).at(-1);
    if (comment) return comment;
  }
  return undefined;
}

function commentText(node: ts.JSDoc | ts.JSDocTag | undefined): string {
  return plainText(ts.getTextOfJSDocComment(node?.comment) ?? "");
}

/** Normalizes line ends, so that every checkout gives the same text. */
function plainText(text: string): string {
  return text.replaceAll("\r\n", "\n").trim();
}

function paramText(tag: ts.JSDocParameterTag): string {
  return commentText(tag).replace(/^-\s*/, "");
}

function readWordTag(tag: ts.JSDocTag | undefined): WordTag | null {
  if (!tag) return null;
  return { text: readTagLine(tag), node: tag };
}

/** Returns the rest of the tag's own line; the parser's text would include the lines below it. */
export function readTagLine(tag: ts.JSDocTag): string {
  const text = tag.getSourceFile().text.slice(tag.tagName.end, tag.end);
  return (text.split("\n", 1)[0] ?? "").replace(/\*\/.*$/, "").trim();
}

/** Prose written below `@plugin` belongs to the description, not to the tag. */
function textBelow(tag: ts.JSDocTag): string {
  const text = commentText(tag);
  const line = readTagLine(tag);
  return text.startsWith(line) ? text.slice(line.length).trim() : text;
}

/** Joins `@returns {@link City} ...`: the parser reads `{` as a type, and `@link` as a tag. */
function tagText(tag: ts.JSDocTag, next: ts.JSDocTag | undefined): string {
  const isSplitLink = /\{\s*$/.test(tag.getText()) && /^link(code|plain)?$/.test(nameOf(next));
  return isSplitLink ? `{@${nameOf(next)} ${commentText(next)}` : commentText(tag);
}

function nameOf(tag: ts.JSDocTag | undefined): string {
  return tag?.tagName.text ?? "";
}

const CLASS_NAME = /^(?:[\w$]+\.)*\p{Lu}[\w$]*$/u;
/** `{@link RangeError | a word for it} the rest` */
const LINKED = /^\{@\w+\s+([^\s|}]+)[^}]*\}\s*/;

function readThrows(tag: ts.JSDocTag, text: string): { exception: string; description: string } {
  // The parser reads a link as an empty type.
  const type = ts.isJSDocThrowsTag(tag) ? tag.typeExpression?.type.getText() : "";
  if (type) return createThrown(type, text);
  const linked = LINKED.exec(text);
  if (linked !== null) return createThrown(linked[1]!, text.slice(linked[0].length));
  const [first = "", ...words] = text.split(/\s+/);
  const isProse = first !== "" && !CLASS_NAME.test(first);
  return isProse ? createThrown("Error", text) : createThrown(first, words.join(" "));
}

function createThrown(exception: string, text: string): { exception: string; description: string } {
  return { exception, description: text.replace(/^-\s*/, "") };
}

function firstSentence(description: string): string {
  const paragraph = description.split(/\n\s*\n/, 1)[0] ?? "";
  const text = paragraph.replace(/\s+/g, " ").trim();
  return /^.*?(?<!\b(?:e\.g|i\.e|cf|vs))[.!?](?=\s|$)/.exec(text)?.[0] ?? text;
}
