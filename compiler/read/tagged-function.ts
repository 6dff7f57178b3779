// Plugins declared by a tag: `/** @plugin [name] */` above an exported function, or above an
// exported constant whose value is a function.

import { ts } from "ts-morph";
import { findNameNode } from "./declared-value.js";
import { type DocComment, readDocComment, type WordTag } from "./doc-comment.js";
import { exportedName } from "./exported-name.js";
import type { FileScope } from "./file-scope.js";
import { reportNonFunction } from "./non-function.js";
import { hasPlainSignature } from "./plain-signature.js";
import { isFunctionNode, type PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";
import { resolveFunction } from "./resolved-function.js";
import { asJob, isScheduled } from "./scheduled-function.js";

/** Returns the plugin of a declaration that is tagged `@plugin`; null without a tag or on error. */
export function asTaggedFunction(
  scope: FileScope,
  declaration: ts.Node,
  value: ts.Node | undefined,
  exportName: string | undefined,
): PluginDeclaration | null {
  const doc = readDocComment(declaration);
  const { context } = scope;
  const nameNode = findNameNode(declaration);
  if (isScheduled(doc)) return asJob(scope, doc, value, nameNode, exportName);
  if (!doc.plugin || !value) return null;
  if (!isFunctionNode(value)) {
    const resolved = resolveTagged(scope, doc.plugin, value, nameNode);
    return (
      resolved && taggedPlugin(scope, resolved, mergeDocs(doc, resolved.fn), nameNode, exportName)
    );
  }
  scope.seen.add(doc.plugin.node);
  if (!hasPlainSignature(context, value, nameNode)) return null;
  return taggedPlugin(scope, { fn: value }, doc, nameNode, exportName);
}

/**
 * Returns the plugin of a member of a destructured value: `export const { get } = crud(…)`, or
 * `export const [get] = crud(…)`.
 */
export function asTaggedMember(
  scope: FileScope,
  declaration: ts.VariableDeclaration,
  element: ts.BindingElement,
): PluginDeclaration | null {
  const doc = readDocComment(declaration);
  if (!doc.plugin || !ts.isIdentifier(element.name)) return null;
  const resolved = resolveTagged(scope, doc.plugin, element.name, element.name);
  const [exportName] = scope.exports.get(element) ?? [];
  return (
    resolved && taggedPlugin(scope, resolved, mergeDocs(doc, resolved.fn), element.name, exportName)
  );
}

/** Returns the plugin of an `export { … }` with a tag, whose function is declared elsewhere. */
export function asTaggedExport(
  scope: FileScope,
  element: ts.ExportSpecifier,
): PluginDeclaration | null {
  const elementDoc = readDocComment(element);
  const doc = elementDoc.plugin ? elementDoc : readDocComment(element.parent.parent);
  if (!doc.plugin || !ts.isIdentifier(element.name)) return null;
  const resolved = resolveTagged(scope, doc.plugin, element.name, element.name);
  if (!resolved) return null;
  return taggedPlugin(
    scope,
    resolved,
    mergeDocs(doc, resolved.fn),
    element.name,
    element.name.text,
  );
}

function resolveTagged(scope: FileScope, tag: WordTag, value: ts.Node, nameNode: ts.Node) {
  const resolvedFunction = resolveFunction(scope.context, value, nameNode);
  const isMember = ts.isBindingElement(nameNode.parent);
  // A factory may also return values that are not functions.
  if (resolvedFunction === undefined && isMember) return null;
  scope.seen.add(tag.node);
  if (resolvedFunction === undefined) reportNonFunction(scope.context, tag.node, value);
  return resolvedFunction ?? null;
}

/** Merges the comments of the function and of the tag; the function's comment has priority. */
function mergeDocs(doc: DocComment, fn: ts.Node): DocComment {
  const inner = readDocComment(fn, fn.parent);
  return {
    ...doc,
    graph: inner.graph ?? doc.graph,
    readonly: inner.readonly || doc.readonly,
    summary: inner.summary || doc.summary,
    description: inner.description || doc.description,
    deprecated: inner.deprecated || doc.deprecated,
    deprecation: inner.deprecation || doc.deprecation,
    returns: inner.returns || doc.returns,
    examples: [...inner.examples, ...doc.examples],
    throws: [...inner.throws, ...doc.throws],
    params: new Map([...doc.params, ...inner.params]),
    tags: [...inner.tags, ...doc.tags],
  };
}

/** Returns the plugin of a tagged function; reports one that is not exported or has no name. */
export function taggedPlugin(
  { context }: FileScope,
  resolved: Pick<PluginDeclaration, "fn" | "resolved">,
  doc: DocComment,
  nameNode: ts.Node,
  exportName: string | undefined,
): PluginDeclaration | null {
  if (exportName === undefined) {
    reportUnexported(context, nameNode);
    return null;
  }
  const tag = doc.plugin!;
  const name = tag.text || exportedName(exportName, resolved.fn.name ?? nameNode);
  if (name === null) {
    reportUnnamed(context, tag.node);
    return null;
  }
  if (doc.graph?.text === "") {
    context.error("SVC1008", doc.graph.node, "`@graph` has no graph name");
  }
  return {
    ...resolved,
    name,
    nameNode,
    role: "engine",
    graph: doc.graph?.text || null,
    readonly: doc.readonly,
    exportPath: exportName,
    doc,
  };
}

export function reportUnexported(context: ReadContext, nameNode: ts.Node): void {
  const name = ts.isIdentifier(nameNode) ? nameNode.text : "name";
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
