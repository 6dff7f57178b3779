// State of the reader functions while one program is read: checker, positions and diagnostics. A
// changed file requires a new program, and so a new context.

import { ts } from "ts-morph";
import type { ErrorCodeName } from "../../runtime/base/error-codes.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { SourcePosition } from "../record/source-position.js";
import { LimitUsage } from "./limit-usage.js";
import { relativePath } from "./paths.js";

export class ReadContext {
  /**
   * Set if a type was read as any, which may be due to a missing declaration. See
   * `reader-program.ts`.
   */
  metAny = false;
  readonly limits = new LimitUsage();
  /** Hooks of all plugins, as `module#export`, from the configuration. */
  hooks: readonly string[] = [];
  /** Types of the parameters if the plugin being read is created by user code. */
  resolvedTypes: ReadonlyMap<ts.ParameterDeclaration, ts.Type> = new Map();
  #diagnostics: Diagnostic[] = [];
  readonly #paths = new Map<ts.SourceFile, string>();

  constructor(
    readonly projectDir: string,
    readonly program: ts.Program,
    readonly checker: ts.TypeChecker,
  ) {}

  /** Path of a file relative to the project folder, with `/`. */
  path(sourceFile: ts.SourceFile): string {
    let path = this.#paths.get(sourceFile);
    if (path === undefined) {
      path = relativePath(this.projectDir, sourceFile.fileName);
      this.#paths.set(sourceFile, path);
    }
    return path;
  }

  position(node: ts.Node): SourcePosition {
    const sourceFile = node.getSourceFile();
    return this.positionAt(sourceFile, node.getStart(sourceFile));
  }

  positionAt(sourceFile: ts.SourceFile, offset: number): SourcePosition {
    const { line, character } = sourceFile.getLineAndCharacterOfPosition(offset);
    return { file: this.path(sourceFile), line: line + 1, column: character + 1 };
  }

  error(code: ErrorCodeName, node: ts.Node, message: string, help = ""): void {
    this.#add("error", code, node, message, help);
  }

  warning(code: ErrorCodeName, node: ts.Node, message: string, help = ""): void {
    this.#add("warning", code, node, message, help);
  }

  add(diagnostic: Diagnostic): void {
    this.#diagnostics.push(diagnostic);
  }

  /** Returns the diagnostics since the last call. */
  takeDiagnostics(): Diagnostic[] {
    const diagnostics = this.#diagnostics;
    this.#diagnostics = [];
    return diagnostics;
  }

  #add(
    severity: Diagnostic["severity"],
    code: string,
    node: ts.Node,
    message: string,
    help: string,
  ): void {
    const firstLine = node.getText().split("\n", 1)[0] ?? "";
    this.add({
      code,
      severity,
      position: this.position(node),
      length: Math.max(1, firstLine.length),
      message,
      help,
    });
  }
}

/** Returns the declaration of an identifier, through import aliases; undefined if unresolved. */
export function resolveSymbol(context: ReadContext, node: ts.Node): ts.Symbol | undefined {
  const symbol = context.checker.getSymbolAtLocation(node);
  return symbol && skipAlias(context, symbol);
}

/** Resolves an import or export alias. */
export function skipAlias(context: ReadContext, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? context.checker.getAliasedSymbol(symbol) : symbol;
}

/** Returns an expression without enclosing parentheses, `as`, `satisfies` and `!`. */
export function unwrap(expression: ts.Expression): ts.Expression {
  let inner = expression;
  while (
    ts.isParenthesizedExpression(inner) ||
    ts.isAsExpression(inner) ||
    ts.isSatisfiesExpression(inner) ||
    ts.isNonNullExpression(inner)
  ) {
    inner = inner.expression;
  }
  return inner;
}
