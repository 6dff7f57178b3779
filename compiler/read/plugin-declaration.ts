// One plugin declaration in the syntax tree, in any form. The finders create it; the record reader
// converts it to a PluginRecord.

import { ts } from "ts-morph";
import type { PluginRole } from "../../runtime/plugin/contract/plugin-entry.js";
import type { DocComment } from "./doc-comment.js";

export type PluginFunction =
  | ts.FunctionDeclaration
  | ts.FunctionExpression
  | ts.ArrowFunction
  | ts.MethodDeclaration;

export interface PluginDeclaration {
  readonly fn: PluginFunction;
  readonly name: string;
  /** Node that diagnostics of the plugin as a whole point to. */
  readonly nameNode: ts.Node;
  readonly role: PluginRole;
  readonly graph: string | null;
  readonly readonly: boolean;
  readonly exportPath: string;
  readonly doc: DocComment;
}

export function isFunctionNode(node: ts.Node): node is PluginFunction {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node)
  );
}
