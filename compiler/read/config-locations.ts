// Finds positions in `svc.config.ts`: follows a path from the default export through literal
// objects and lists. Nothing is evaluated; the result of a call has the call's position.

import { ts } from "ts-morph";
import type { SourceRange } from "../record/source-position.js";

export type ConfigPath = readonly (string | number)[];

/** Maximum number of constants to follow. */
const MAX_NAMES = 8;

/** Finds positions in one file. */
export class ConfigLocations {
  readonly #file: string;
  readonly #source: ts.SourceFile;
  readonly #config: ts.Expression | null;

  /** @param file path relative to the project folder */
  constructor(file: string, text: string) {
    this.#file = file;
    this.#source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
    const exported = this.#source.statements.find(ts.isExportAssignment);
    this.#config = exported ? this.#unwrap(exported.expression) : null;
  }

  /**
   * Returns the position of a value, or of the nearest enclosing one.
   * @param ofKey whether to return the position of its key instead
   */
  find(path: ConfigPath, ofKey: boolean): SourceRange {
    let node: ts.Node | null = this.#config;
    let key: ts.Node | null = node;
    for (const step of path) {
      const child = node === null ? null : this.#child(node, step);
      if (child === null) break;
      [key, node] = [child.key, this.#unwrap(child.value)];
    }
    return this.#range((ofKey ? key : node) ?? this.#source);
  }

  /** Follows one step into an object or a list; later properties override earlier ones. */
  #child(node: ts.Node, step: string | number): { key: ts.Node; value: ts.Expression } | null {
    if (ts.isArrayLiteralExpression(node)) {
      const items = node.elements;
      const isPlain = items.slice(0, Number(step) + 1).every((item) => !ts.isSpreadElement(item));
      const item = isPlain ? items[Number(step)] : undefined;
      return item === undefined ? null : { key: item, value: item };
    }
    if (!ts.isObjectLiteralExpression(node)) return null;
    for (const property of node.properties.toReversed()) {
      if (ts.isSpreadAssignment(property)) {
        const spread = this.#child(this.#unwrap(property.expression), step);
        if (spread !== null) return spread;
      } else if (nameOf(property) === step) {
        if (ts.isPropertyAssignment(property)) {
          return { key: property.name, value: property.initializer };
        }
        if (ts.isShorthandPropertyAssignment(property)) {
          return { key: property.name, value: property.name };
        }
      }
    }
    return null;
  }

  /**
   * Removes type assertions, parentheses and `defineConfig`, and follows constants.
   * @param names number of constants followed so far, because a constant may refer to itself
   */
  #unwrap(expression: ts.Expression, names = 0): ts.Expression {
    if (
      ts.isParenthesizedExpression(expression) ||
      ts.isAsExpression(expression) ||
      ts.isSatisfiesExpression(expression)
    ) {
      return this.#unwrap(expression.expression, names);
    }
    if (ts.isCallExpression(expression)) {
      const [argument] = expression.arguments;
      const isWrapper = isNamed(expression.expression, "defineConfig");
      return isWrapper && argument ? this.#unwrap(argument, names) : expression;
    }
    if (!ts.isIdentifier(expression) || names === MAX_NAMES) return expression;
    const constant = this.#constant(expression.text);
    if (constant === null) return expression;
    const value = this.#unwrap(constant, names + 1);
    // For a single value, the position of its use is more helpful.
    const isComposite = ts.isObjectLiteralExpression(value) || ts.isArrayLiteralExpression(value);
    return isComposite ? value : expression;
  }

  #constant(name: string): ts.Expression | null {
    for (const statement of this.#source.statements) {
      if (!ts.isVariableStatement(statement)) continue;
      const found = statement.declarationList.declarations.find((declaration) => {
        return ts.isIdentifier(declaration.name) && declaration.name.text === name;
      });
      if (found?.initializer !== undefined) return found.initializer;
    }
    return null;
  }

  #range(node: ts.Node): SourceRange {
    const start = node.getStart(this.#source);
    const { line, character } = this.#source.getLineAndCharacterOfPosition(start);
    const [first = ""] = node.getText(this.#source).split("\n", 1);
    const isWholeFile = node === this.#source;
    return {
      position: { file: this.#file, line: line + 1, column: character + 1 },
      length: isWholeFile ? 1 : Math.max(1, first.trimEnd().length),
    };
  }
}

function nameOf({ name }: ts.ObjectLiteralElementLike): string | null {
  if (name === undefined) return null;
  return ts.isIdentifier(name) || ts.isStringLiteralLike(name) || ts.isNumericLiteral(name)
    ? name.text
    : null;
}

function isNamed(expression: ts.Expression, name: string): boolean {
  return ts.isIdentifier(expression) && expression.text === name;
}
