// `@plugin` written before a plain function: TypeScript keeps the decorator in the tree but refuses
// it, so we say what to write instead, word for word.

import { ts } from "ts-morph";
import type { FileScope } from "./file-scope.js";
import type { PluginOptions } from "./plugin-options.js";
import { asPluginDecorator } from "./wrapper-call.js";

/** Reports a plugin decorator on `fn`; true when there was one. */
export function refusePlainDecorator(scope: FileScope, fn: ts.FunctionDeclaration): boolean {
  for (const modifier of fn.modifiers ?? []) {
    if (!ts.isDecorator(modifier)) continue;
    const options = asPluginDecorator(scope.context, modifier.expression);
    if (!options) continue;
    scope.seen.add(modifier);
    scope.context.error(
      "SVC1001",
      modifier,
      "TypeScript has no decorators on plain functions",
      replacement(fn, options),
    );
    return true;
  }
  return false;
}

function replacement(fn: ts.FunctionDeclaration, options: PluginOptions): string {
  const name = fn.name?.text ?? options.name ?? "name";
  const parameters = fn.parameters.map((parameter) => parameter.getText()).join(", ");
  const result = fn.type ? `: ${fn.type.getText()}` : "";
  const isAsync = fn.modifiers?.some((word) => word.kind === ts.SyntaxKind.AsyncKeyword);
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
