// Lists the hooks of a plugin with the header fields that each one reads, so that tools can name
// the fields that a client has to send.

import { posix } from "node:path";
import { ts } from "ts-morph";
import type { ModuleExport } from "../record/module-export.js";
import type { GuardRecord } from "../record/plugin-record.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import { findExport } from "./read-before.js";
import type { ReadContext } from "./read-context.js";

/** @param before hooks in the plugin's own comment; hooks of the configuration precede them */
export function readGuards(
  context: ReadContext,
  { role, job }: PluginDeclaration,
  before: readonly ModuleExport[],
): GuardRecord[] {
  const isConfigured = role !== "post" && job === undefined;
  const configured = isConfigured ? context.hooks.map(parseReference) : [];
  return [...configured, ...before].map(({ module, exportPath }) => {
    const declaration = findExport(context, `${module}#${exportPath}`)?.declarations?.[0];
    const headers = declaration === undefined ? [] : headersRead(declaration);
    return { name: exportPath, file: module, headers };
  });
}

function parseReference(reference: string): ModuleExport {
  const [module = "", exportPath = ""] = reference.split("#");
  return { module: posix.normalize(module), exportPath };
}

/** Returns the literal names in calls such as `request.header("Authorization")`, each once. */
function headersRead(hook: ts.Node): string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const [name] = node.arguments;
      const isRead = node.expression.name.text === "header" && node.arguments.length === 1;
      if (isRead && name !== undefined && ts.isStringLiteralLike(name)) found.add(name.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(hook);
  return [...found];
}
