// Rejects overloads and type parameters: a converter calls one signature with converted values.

import type { ts } from "ts-morph";
import { isFunctionNode, type PluginFunction } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";

/** Reports parts that a plugin's signature must not have; true if there are none. */
export function hasPlainSignature(
  context: ReadContext,
  fn: PluginFunction,
  nameNode: ts.Node,
): boolean {
  const [typeParameter] = fn.typeParameters ?? [];
  if (typeParameter) {
    const message = "a request cannot supply type arguments";
    context.error("SVC1011", typeParameter, message, "concrete types in their place");
    return false;
  }
  const symbol = context.checker.getSymbolAtLocation(nameNode);
  const functions = symbol?.declarations?.filter(isFunctionNode) ?? [];
  if (fn.body && functions.length <= 1) return true;
  if (functions.length === 0 || functions[0] === fn || fn.body) {
    const message = "a plugin function needs exactly one signature with a body";
    context.error("SVC1010", nameNode, message, "one signature whose parameters take a union");
  }
  return false;
}
