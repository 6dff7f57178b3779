// Detects `@plugin` as a decorator of a plain function: TypeScript parses it but rejects it, so the
// error gives the exact replacement.

import { ts } from "ts-morph";
import { declaredValue } from "./declared-value.js";
import type { FileScope } from "./file-scope.js";
import { isFunctionNode, type PluginFunction } from "./plugin-declaration.js";
import type { PluginOptions } from "./plugin-options.js";
import { asPluginDecorator } from "./wrapper-call.js";

/** A statement that can be preceded by a decorator which TypeScript rejects. */
export type PlainStatement = ts.FunctionDeclaration | ts.VariableStatement;

/** Reports a plugin decorator on a statement; true if there is one. */
export function refusePlainDecorator(scope: FileScope, statement: PlainStatement): boolean {
  const plain = plainFunction(statement);
  for (const modifier of statement.modifiers ?? []) {
    if (!plain || !ts.isDecorator(modifier)) continue;
    const options = asPluginDecorator(scope.context, modifier.expression);
    if (!options) continue;
    scope.seen.add(modifier);
    scope.context.error(
      "SVC1001",
      modifier,
      "TypeScript does not support decorators on plain functions",
      replacement(plain, options),
    );
    return true;
  }
  return false;
}

interface PlainFunction {
  readonly fn: PluginFunction;
  /** Name of the declaration, if it has one. */
  readonly name: string | undefined;
}

/** Returns the function that a statement declares; undefined if it declares something else. */
function plainFunction(statement: PlainStatement): PlainFunction | undefined {
  if (ts.isFunctionDeclaration(statement)) return { fn: statement, name: statement.name?.text };
  const [declaration] = statement.declarationList.declarations;
  const value = declaration && declaredValue(declaration);
  if (!value || !isFunctionNode(value)) return undefined;
  return { fn: value, name: declaration.name.getText() };
}

function replacement({ fn, name: declared }: PlainFunction, options: PluginOptions): string {
  const name = declared ?? options.name ?? "name";
  const parameters = fn.parameters.map((parameter) => parameter.getText()).join(", ");
  const result = fn.type ? `: ${fn.type.getText()}` : "";
  const isAsync = fn.modifiers?.some((modifier) => modifier.kind === ts.SyntaxKind.AsyncKeyword);
  const async = isAsync ? "async " : "";
  if (options.role !== "engine") {
    const fn = `${async}(${parameters})${result} => { ... }`;
    return `export const ${name} = plugin.${options.role}(${optionText(options)}${fn})`;
  }
  const words = [
    "@plugin",
    ...(options.name !== null && options.name !== name ? [options.name] : []),
    ...(options.graph === null ? [] : [`@graph ${options.graph}`]),
    ...(options.readonly ? ["@readonly"] : []),
  ];
  return `/** ${words.join(" ")} */ export ${async}function ${name}(${parameters})${result}`;
}

function optionText(options: PluginOptions): string {
  const fields = [
    ...(options.name === null ? [] : [`name: ${JSON.stringify(options.name)}`]),
    ...(options.graph === null ? [] : [`graph: ${JSON.stringify(options.graph)}`]),
    ...(options.readonly ? ["readonly: true"] : []),
  ];
  return fields.length === 0 ? "" : `{ ${fields.join(", ")} }, `;
}
