// Reports `@plugin` tags without effect: in a `//` comment, in the doc comment of a declaration
// that is not a function, or misspelled. Otherwise, the plugin would be missing without a message.

import { ts } from "ts-morph";
import { didYouMean } from "../../runtime/base/did-you-mean.js";
import type { FileScope } from "./file-scope.js";

const TAG = "@plugin";

export function reportStrayTags({ context, sourceFile, seen }: FileScope): void {
  reportStraySchedules(context, sourceFile, seen);
  for (const match of sourceFile.text.matchAll(/@plugin\b/g)) {
    const offset = match.index;
    if (seen.has(offset) || !isInComment(sourceFile, offset)) continue;
    const before = sourceFile.text.slice(0, offset);
    const range = { position: context.positionAt(sourceFile, offset), length: TAG.length };
    if (/\/\/[ \t]*$|\/\*\s*$/.test(before)) {
      const message = "`@plugin` outside a doc comment has no effect";
      const help = "`/** @plugin */`";
      context.add({ code: "SVC1005", severity: "warning", ...range, message, help });
    } else if (/[\s*]$/.test(before) && isInDocComment(before)) {
      const message = "`@plugin` must be above a function at module level";
      const help = suggestPosition(innermostNode(sourceFile, offset));
      context.add({ code: "SVC1003", severity: "error", ...range, message, help });
    }
  }
}

/** Reports schedules of declarations that cannot be jobs, such as private methods. */
function reportStraySchedules(
  context: FileScope["context"],
  sourceFile: ts.SourceFile,
  seen: FileScope["seen"],
): void {
  const tags = /(?<=^[ \t]*(?:\/\*\*[ \t]+|\*[ \t]*))@(?:cron|every|catchup)\b/gm;
  for (const { index, 0: tag } of sourceFile.text.matchAll(tags)) {
    if (seen.has(index) || !isInComment(sourceFile, index)) continue;
    if (!isInDocComment(sourceFile.text.slice(0, index))) continue;
    const range = { position: context.positionAt(sourceFile, index), length: tag.length };
    const message = `\`${tag}\` must be above an exported function, with \`@cron\` or \`@every\``;
    const help = "`/** @every 30s */ export async function name(job: Job) { ... }`";
    context.add({ code: "SVC1150", severity: "error", ...range, message, help });
  }
}

/** Other tags of plugins and jobs. A plugin whose `@scope` is misspelled is open to everyone. */
const WORDS = ["before", "catchup", "graph", "inline", "produces", "readonly", "scope", "timeout"];
const DECLARED = /@(?:plugin|cron|every)\b/;

/** Reports tags similar to `@plugin`, and in comments of plugins and jobs, to other tags of svc. */
export function reportMisspelledTags({ context, sourceFile }: FileScope): void {
  const { text } = sourceFile;
  for (const match of text.matchAll(/(?<=[\s*])@(\w+)/g)) {
    const [tag, word] = match as unknown as readonly [string, string];
    const meant = resemblesPlugin(word) ? TAG : suggestTag(word);
    if (tag === TAG || meant === null || !isInComment(sourceFile, match.index)) continue;
    const before = text.slice(0, match.index);
    if (!isInDocComment(before)) continue;
    const comment = text.slice(before.lastIndexOf("/**"), text.indexOf("*/", match.index));
    if (meant !== TAG && !DECLARED.test(comment)) continue;
    const range = { position: context.positionAt(sourceFile, match.index), length: tag.length };
    const message = `unknown tag \`${tag}\`; did you mean \`${meant}\`?`;
    const help = meant === TAG ? "`/** @plugin */`" : `\`${meant}\``;
    context.add({ code: "SVC1120", severity: "warning", ...range, message, help });
  }
}

function resemblesPlugin(word: string): boolean {
  const lower = word.toLowerCase();
  return lower === "plugin" || didYouMean(lower, ["plugin"]) !== "";
}

function suggestTag(word: string): string | null {
  const meant = WORDS.find((known) => isTypingError(word, known));
  return meant === undefined ? null : `@${meant}`;
}

/** Returns whether a letter is missing, added, wrong, in another case, or swapped with the next. */
function isTypingError(tag: string, word: string): boolean {
  if (tag.toLowerCase() === word) return tag !== word;
  const shorter = Math.min(tag.length, word.length);
  let start = 0;
  while (start < shorter && tag[start] === word[start]) start++;
  let end = 0;
  while (end < shorter - start && tag.at(-1 - end) === word.at(-1 - end)) end++;
  const a = tag.slice(start, tag.length - end);
  const b = word.slice(start, word.length - end);
  return (a.length < 2 && b.length < 2) || (a.length === 2 && a === `${b[1]}${b[0]}`);
}

/** Suggests a position for the tag of a function that is nested in another declaration. */
function suggestPosition(inner: ts.Node): string {
  const named = ts.getNameOfDeclaration(inner as ts.Declaration);
  const name = named && ts.isIdentifier(named) ? named.text : "name";
  for (let node = inner; node !== undefined; node = node.parent) {
    if (ts.isModuleDeclaration(node)) {
      return `the tag above a variable: \`export const ${name} = ${node.name.text}.${name}\``;
    }
    if (ts.isObjectLiteralExpression(node)) {
      return `an exported object, or \`/** @plugin */ export const { ${name} } = …\``;
    }
  }
  return "`/** @plugin */ export function name(request: PluginRequest) { ... }`";
}

/** Returns whether an offset is in a comment, not in a token. */
export function isInComment(sourceFile: ts.SourceFile, offset: number): boolean {
  const innermost = innermostNode(sourceFile, offset);
  return offset < innermost.getStart(sourceFile) || !isToken(innermost);
}

/** Returns the innermost node at an offset, or the outermost node whose comments contain it. */
function innermostNode(sourceFile: ts.SourceFile, offset: number): ts.Node {
  let innermost: ts.Node = sourceFile;
  for (;;) {
    const child: ts.Node | undefined = ts.forEachChild(innermost, (node) =>
      node.pos <= offset && offset < node.end ? node : undefined,
    );
    if (!child) return innermost;
    innermost = child;
    if (offset < innermost.getStart(sourceFile)) return innermost;
  }
}

function isToken(node: ts.Node): boolean {
  return (
    ts.isStringLiteralLike(node) ||
    ts.isTemplateHead(node) ||
    ts.isTemplateMiddleOrTemplateTail(node) ||
    ts.isRegularExpressionLiteral(node) ||
    ts.isJsxText(node) ||
    ts.isDecorator(node) ||
    ts.isIdentifier(node)
  );
}

function isInDocComment(before: string): boolean {
  return before.lastIndexOf("/**") > before.lastIndexOf("*/");
}
