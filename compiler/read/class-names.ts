// Restores class names in a bundle. A bundler moves classes into variables, `var Shop = class _Shop
// {…}`, and renames them if two files use one name. Setting `name` is not enough: engine messages,
// stacks and printed values show `_Shop`.

import { ts } from "ts-morph";
import { RENAMED_CLASS } from "./renamed-class.js";

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Returns the text with the original class names. Lines and the columns of replaced names do not
 * change, so the source map remains valid.
 * @param code output of esbuild, with or without `keepNames`
 */
export function restoreClassNames(code: string): string {
  if (!RENAMED_CLASS.test(code)) return code;
  const file = ts.createSourceFile("bundle.js", code, ts.ScriptTarget.ESNext, true);
  const edits = file.statements.flatMap((statement) => {
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(({ name, initializer }) => {
      if (!ts.isIdentifier(name) || !initializer || !ts.isClassExpression(initializer)) return [];
      return editsForName(initializer, readKeptName(initializer) ?? name.text, name.text);
    });
  });
  let text = "";
  let end = 0;
  for (const edit of edits) {
    text += code.slice(end, edit.start) + edit.text;
    end = edit.end;
  }
  return text + code.slice(end);
}

/**
 * Returns the edits that restore the name of a class; none if its body uses the name for something
 * else.
 * @param variable name of the variable; without one, the class has the name of its variable
 */
function editsForName(node: ts.ClassExpression, original: string, variable: string): Edit[] {
  const current = node.name?.text;
  if ((current ?? variable) === original) return [];
  const references = listReferences(node);
  if (references.some(({ text }) => text === original)) return [];
  if (current === undefined) {
    const start = node.getStart() + "class".length;
    return [{ start, end: start, text: ` ${original}` }];
  }
  return references
    .filter(({ text }) => text === current)
    .map((name) => {
      const [start, end] = [name.getStart(), name.end];
      return { start, end, text: original.padStart(end - start) };
    });
}

/** Returns the name that `keepNames` sets in the first static block of a class. */
function readKeptName(node: ts.ClassExpression): string | null {
  const first = node.members[0];
  if (first === undefined || !ts.isClassStaticBlockDeclaration(first)) return null;
  const statement = first.body.statements[0];
  if (!statement || !ts.isExpressionStatement(statement)) return null;
  const { expression } = statement;
  if (!ts.isCallExpression(expression) || expression.expression.getText() !== "__name") return null;
  const [self, name] = expression.arguments;
  if (self?.kind !== ts.SyntaxKind.ThisKeyword || !name || !ts.isStringLiteral(name)) return null;
  // Some class names cannot follow `class`; an anonymous default export has such a name.
  if (name.text === "default") return null;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name.text) ? name.text : null;
}

/** Returns all identifiers in a class that refer to a binding, in source order. */
function listReferences(node: ts.Node): ts.Identifier[] {
  const references: ts.Identifier[] = [];
  const visit = (child: ts.Node): void => {
    if (ts.isIdentifier(child) && !isPropertyName(child)) references.push(child);
    ts.forEachChild(child, visit);
  };
  ts.forEachChild(node, visit);
  return references;
}

function isPropertyName(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node;
  if (ts.isBindingElement(parent)) return parent.propertyName === node;
  if (ts.isPropertyAssignment(parent) || ts.isPropertyDeclaration(parent)) {
    return parent.name === node;
  }
  return ts.isMethodDeclaration(parent) || ts.isAccessor(parent);
}
