// Attaches doc comments that TypeScript ignores because they begin on the line of the previous
// token, as in `{ /** @minimum 0 */ price: float; /** @maxLength 3 */ name: str }`. Each belongs to
// the next declaration. They are attached before the file is bound, so that all readers of
// descriptions and tags find them.

import { ts } from "ts-morph";

/** The parts of TypeScript that are exported without a declaration. */
interface CommentParser {
  parseIsolatedJSDocComment(
    text: string,
    start: number,
    length: number,
  ): { readonly jsDoc: ts.JSDoc } | undefined;
  setParentRecursive<T extends ts.Node>(node: T, incremental: boolean): T;
}

const parser = ts as unknown as CommentParser;

interface Commented {
  jsDoc?: ts.JSDoc[];
}

const COMMENT = "/**";

/** Returns whether a file may have such a comment: any text precedes one on its line. */
export function hasCommentWithinLine(text: string): boolean {
  for (let at = text.indexOf(COMMENT); at !== -1; at = text.indexOf(COMMENT, at + 1)) {
    const before = text.slice(text.lastIndexOf("\n", at) + 1, at);
    if (/[^\s*]/.test(before)) return true;
  }
  return false;
}

export function attachComments(sourceFile: ts.SourceFile): void {
  if (!hasCommentWithinLine(sourceFile.text)) return;
  const visit = (node: ts.Node): void => {
    if (isDocumented(node)) attach(sourceFile.text, node);
    ts.forEachChild(node, visit);
  };
  visit(sourceFile);
}

/** Excludes parameters, because TypeScript itself attaches their comments on the same line. */
function isDocumented(node: ts.Node): boolean {
  return (
    ts.isTypeElement(node) ||
    ts.isClassElement(node) ||
    ts.isEnumMember(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isClassDeclaration(node) ||
    ts.isEnumDeclaration(node) ||
    ts.isFunctionDeclaration(node) ||
    ts.isVariableStatement(node)
  );
}

function attach(text: string, node: ts.Node): void {
  const ranges = ts.getTrailingCommentRanges(text, node.pos) ?? [];
  const range = ranges.filter(({ pos }) => text.startsWith("/**", pos)).at(-1);
  if (range === undefined || !isFor(text, range, node)) return;
  const { jsDoc } = parser.parseIsolatedJSDocComment(text, range.pos, range.end - range.pos) ?? {};
  if (jsDoc === undefined) return;
  (jsDoc as { parent: ts.Node }).parent = node;
  parser.setParentRecursive(jsDoc, false);
  const commented = node as ts.Node & Commented;
  commented.jsDoc = [jsDoc, ...(commented.jsDoc ?? [])];
}

/**
 * Returns true if the declaration follows on the comment's last line, or if only the opening of the
 * body precedes the comment. A comment behind `name: str;` at the end of a line belongs to neither
 * declaration; see `stray-limits.ts`.
 */
function isFor(text: string, { pos, end }: ts.CommentRange, node: ts.Node): boolean {
  const start = node.getStart(undefined, false);
  return !text.slice(end, start).includes("\n") || /[{([|&]\s*$/.test(text.slice(0, pos));
}
