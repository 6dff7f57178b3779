// Plugins that user code creates: wrapped functions and members of factories. Parameters and
// results come from the signature that the checker resolves; names, texts and limits come from the
// declarations.

import { ts } from "ts-morph";
import {
  isFunctionNode,
  type PluginFunction,
  type ResolvedSignature,
} from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";

export interface ResolvedFunction {
  readonly fn: PluginFunction;
  readonly resolved: ResolvedSignature;
}

const EXAMPLE =
  "`<A extends unknown[], R>(fn: (request: PluginRequest, ...args: A) => R) => " +
  "(request: PluginRequest, ...args: A) => R`";

/**
 * Returns the function that a value is, according to its type; undefined for other values, null
 * after an error.
 * @param node the value or its name
 * @param nameNode node that diagnostics point to
 */
export function resolveFunction(
  context: ReadContext,
  node: ts.Node,
  nameNode: ts.Node,
): ResolvedFunction | null | undefined {
  return resolveFunctionType(context, context.checker.getTypeAtLocation(node), node, nameNode);
}

/** @param node node where the type is used */
export function resolveFunctionType(
  context: ReadContext,
  type: ts.Type,
  node: ts.Node,
  nameNode: ts.Node,
): ResolvedFunction | null | undefined {
  const maker = describeCall(node);
  if (type.flags & ts.TypeFlags.Any) {
    context.metAny = true;
    const reason = maker === null ? "its type is any" : `${maker} returns any`;
    return unknownSignature(context, nameNode, reason);
  }
  const [signature, ...others] = type.getCallSignatures();
  if (signature === undefined) return undefined;
  if (others.length > 0) {
    const message = "a plugin function needs exactly one signature";
    context.error("SVC1010", nameNode, message, "one signature whose parameters take a union");
    return null;
  }
  if ((signature.getTypeParameters() ?? []).length > 0) {
    const message = "a request cannot supply type arguments";
    context.error("SVC1011", nameNode, message, "concrete types in their place");
    return null;
  }
  const types = new Map<ts.ParameterDeclaration, ts.Type>();
  for (const parameter of signature.getParameters()) {
    const fault = addParameter(context, parameter, node, types);
    if (fault === null) continue;
    const where = maker === null ? "" : ` in the result of ${maker}`;
    return unknownSignature(context, nameNode, fault.reason + where, fault.help);
  }
  const parameters = [...types.keys()];
  const fn = innermostFunction(node, parameters, signature);
  return { fn, resolved: { signature, parameters, types } };
}

function unknownSignature(
  context: ReadContext,
  nameNode: ts.Node,
  reason: string,
  help = EXAMPLE,
): null {
  const message = `the signature of \`${nameNode.getText()}\` is unknown: ${reason}`;
  context.error("SVC1016", nameNode, message, help);
  return null;
}

/** Returns the text of the call that creates the function; null for other nodes. */
function describeCall(node: ts.Node): string | null {
  return ts.isCallExpression(node) ? `\`${node.expression.getText()}(…)\`` : null;
}

interface Fault {
  readonly reason: string;
  readonly help?: string;
}

/** Adds the declarations of a parameter; returns why that is impossible, or null. */
function addParameter(
  { checker }: ReadContext,
  symbol: ts.Symbol,
  node: ts.Node,
  types: Map<ts.ParameterDeclaration, ts.Type>,
): Fault | null {
  const type = checker.getTypeOfSymbolAtLocation(symbol, node);
  const declaration = symbol.valueDeclaration;
  if (declaration === undefined || !ts.isParameter(declaration)) {
    return { reason: `\`${symbol.name}\` has no declaration` };
  }
  if (declaration.dotDotDotToken === undefined) {
    types.set(declaration, type);
    return null;
  }
  if (!checker.isTupleType(type)) {
    const text = checker.typeToString(type);
    const reason = `\`...${symbol.name}\` is of type \`${text}\``;
    const isAny = /^(?:any|unknown|never)\[\]$/.test(text);
    return isAny
      ? { reason }
      : { reason, help: `one parameter that is an array: \`name: ${text}\`` };
  }
  const { labeledElementDeclarations: labels = [] } = (type as ts.TupleTypeReference).target;
  for (const [index, element] of checker.getTypeArguments(type as ts.TypeReference).entries()) {
    const label = labels[index];
    if (label === undefined) {
      const reason = `element ${index + 1} of \`...${symbol.name}\` has no name`;
      return { reason, help: "a parameter with a name, which the body destructures" };
    }
    // A named tuple element has the same members as a parameter.
    types.set(label as ts.ParameterDeclaration, element);
  }
  return null;
}

/** Prefers the function of the last parameter, because the first may belong to a wrapper. */
function innermostFunction(
  node: ts.Node,
  parameters: readonly ts.ParameterDeclaration[],
  signature: ts.Signature,
): PluginFunction {
  const owners = parameters.map(({ parent }): ts.Node => parent).filter(isFunctionNode);
  const owner = owners.at(-1) ?? functionWithin(node);
  return owner ?? (signature.getDeclaration() as unknown as PluginFunction);
}

function functionWithin(node: ts.Node): PluginFunction | undefined {
  return isFunctionNode(node) ? node : ts.forEachChild(node, functionWithin);
}
