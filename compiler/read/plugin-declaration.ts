// One plugin declaration in the syntax tree, in any form. The finders create it; the record reader
// converts it to a PluginRecord.

import { ts } from "ts-morph";
import type { PluginRole } from "../../argspec/argspec.js";
import type { JobFacts } from "../../runtime/plugin/contract/job-schedule.js";
import type { DocComment } from "./doc-comment.js";

export type PluginFunction =
  | ts.FunctionDeclaration
  | ts.FunctionExpression
  | ts.ArrowFunction
  | ts.MethodDeclaration;

/** The resolved signature of a function that user code creates. */
export interface ResolvedSignature {
  readonly signature: ts.Signature;
  /** Declarations of its parameters. */
  readonly parameters: readonly ts.ParameterDeclaration[];
  /** Types of its parameters, which may differ from those of the declarations. */
  readonly types: ReadonlyMap<ts.ParameterDeclaration, ts.Type>;
}

export interface PluginDeclaration {
  /** The innermost function, whose body runs. */
  readonly fn: PluginFunction;
  /** Present if the plugin is created by user code. */
  readonly resolved?: ResolvedSignature;
  readonly name: string;
  /** Node that diagnostics of the plugin as a whole point to. */
  readonly nameNode: ts.Node;
  readonly role: PluginRole;
  readonly graph: string | null;
  readonly readonly: boolean;
  readonly exportPath: string;
  readonly doc: DocComment;
  /** Schedule of a job; absent for other plugins. */
  readonly job?: JobFacts;
}

/** Returns the parameters without `this`, which exists only for the type checker. */
export function listParameters(plugin: PluginDeclaration): readonly ts.ParameterDeclaration[] {
  const parameters = plugin.resolved?.parameters ?? plugin.fn.parameters;
  return parameters.filter(({ name }) => name.getText() !== "this");
}

export function isFunctionNode(node: ts.Node): node is PluginFunction {
  return (
    ts.isFunctionDeclaration(node) ||
    ts.isFunctionExpression(node) ||
    ts.isArrowFunction(node) ||
    ts.isMethodDeclaration(node)
  );
}
