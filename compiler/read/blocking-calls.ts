// Calls that stop an executor: a plugin must be fast, with minimal blocking, and must not sleep
// (plugin-api, "Execution rules"). Only the function itself is searched, not what it calls.

import { ts } from "ts-morph";
import type { PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";

/** Modules whose `...Sync` functions wait for the system. */
const BLOCKING_MODULES = /^(node:)?(fs|child_process)$/;
const CLOCK = /\b(Date\.now|performance\.now|process\.hrtime)\b/;
/** Bodies without any of these words are skipped. */
const SUSPICIOUS = /Sync\b|Atomics|while|for/;

export function reportBlockingCalls(context: ReadContext, plugin: PluginDeclaration): void {
  const { body } = plugin.fn;
  if (!body || !SUSPICIOUS.test(body.getText())) return;
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) reportCall(context, plugin, node);
    else reportBusyWait(context, plugin, node);
    ts.forEachChild(node, visit);
  };
  visit(body);
}

function reportCall(
  context: ReadContext,
  plugin: PluginDeclaration,
  { expression }: ts.CallExpression,
): void {
  const name = expression.getText();
  const isWait = name === "Atomics.wait";
  if (!isWait && !isSyncCall(context, expression)) return;
  const executor = `the executor of \`${plugin.name}\``;
  const message = `\`${name}\` blocks ${executor} and all requests queued behind it`;
  const last = name.slice(name.lastIndexOf(".") + 1).replace(/Sync$/, "");
  const help = isWait ? "`await Atomics.waitAsync(...).value`" : `the asynchronous \`${last}\``;
  context.warning("SVC1050", expression, message, help);
}

/** `readFileSync(...)` or `fs.readFileSync(...)`, when it comes from a module that blocks. */
function isSyncCall(context: ReadContext, callee: ts.Expression): boolean {
  if (ts.isPropertyAccessExpression(callee)) {
    return callee.name.text.endsWith("Sync") && isFromBlockingModule(context, callee.expression);
  }
  return ts.isIdentifier(callee) && /Sync$/.test(importedName(context, callee));
}

/** Returns the name that the blocking module exports an identifier by; "" for other modules. */
function importedName(context: ReadContext, identifier: ts.Identifier): string {
  const declaration = context.checker.getSymbolAtLocation(identifier)?.declarations?.[0];
  if (!declaration || !ts.isImportSpecifier(declaration)) return "";
  const isBlocking = isBlockingImport(declaration.parent.parent.parent);
  return isBlocking ? (declaration.propertyName ?? declaration.name).text : "";
}

function isFromBlockingModule(context: ReadContext, namespace: ts.Expression): boolean {
  const declaration = context.checker.getSymbolAtLocation(namespace)?.declarations?.[0];
  if (!declaration) return false;
  if (ts.isNamespaceImport(declaration)) return isBlockingImport(declaration.parent.parent);
  return ts.isImportClause(declaration) && isBlockingImport(declaration.parent);
}

function isBlockingImport(node: ts.Node): boolean {
  return (
    ts.isImportDeclaration(node) &&
    ts.isStringLiteral(node.moduleSpecifier) &&
    BLOCKING_MODULES.test(node.moduleSpecifier.text)
  );
}

/** A loop that polls the clock blocks its thread. */
function reportBusyWait(context: ReadContext, plugin: PluginDeclaration, node: ts.Node): void {
  const condition =
    ts.isWhileStatement(node) || ts.isDoStatement(node)
      ? node.expression
      : ts.isForStatement(node)
        ? node.condition
        : undefined;
  if (!condition || !CLOCK.test(condition.getText())) return;
  const message = `busy-wait loop blocks the executor of \`${plugin.name}\``;
  context.warning(
    "SVC1050",
    condition,
    message,
    '`await setTimeout(ms)` of "node:timers/promises"',
  );
}
