// The documentation form: `/** @plugin [name] */` above an exported function or above a const that
// holds one.

import { ts } from "ts-morph";
import { findNameNode } from "./declared-value.js";
import { readDocComment } from "./doc-comment.js";
import type { FileScope } from "./file-scope.js";
import { hasPlainSignature } from "./plain-signature.js";
import { isFunctionNode, type PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";

/** The declaration when it is tagged `@plugin` and can be one, else null. */
export function asTaggedFunction(
  scope: FileScope,
  declaration: ts.Node,
  value: ts.Node | undefined,
  exportName: string | undefined,
): PluginDeclaration | null {
  const doc = readDocComment(declaration);
  if (!doc.plugin || !value || !isFunctionNode(value)) return null;
  const { context } = scope;
  scope.seen.add(doc.plugin.node);
  const nameNode = findNameNode(declaration);
  if (!hasPlainSignature(context, value, nameNode)) return null;
  if (exportName === undefined) {
    reportUnexported(context, nameNode);
    return null;
  }
  const name = doc.plugin.text || exportedName(exportName, value.name ?? nameNode);
  if (name === null) {
    reportUnnamed(context, doc.plugin.node);
    return null;
  }
  if (doc.graph?.text === "") {
    context.error("SVC1008", doc.graph.node, "`@graph` has no graph name");
  }
  return {
    fn: value,
    name,
    nameNode,
    role: "engine",
    graph: doc.graph?.text || null,
    readonly: doc.readonly,
    exportPath: exportName,
    doc,
  };
}

/** A default export goes by the name that it has where it is declared; null when it has none. */
export function exportedName(exportName: string, nameNode: ts.Node | undefined): string | null {
  if (exportName !== "default") return exportName;
  return nameNode && ts.isIdentifier(nameNode) ? nameNode.text : null;
}

export function reportUnexported(context: ReadContext, nameNode: ts.Node): void {
  const name = ts.isIdentifier(nameNode) ? nameNode.text : "plugin";
  const help = `export it: \`export function ${name}(...)\` or \`export const ${name} = ...\``;
  context.error("SVC1002", nameNode, "a plugin must be exported", help);
}

export function reportUnnamed(context: ReadContext, node: ts.Node): void {
  context.error(
    "SVC1006",
    node,
    "a default export has no name to register",
    "`/** @plugin name */`, or the option `name` of the wrapper",
  );
}
