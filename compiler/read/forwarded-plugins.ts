// Finds the plugins that a pre-processor forwards to. Searches the function itself, not its
// callees, and finds only literal names.

import { ts } from "ts-morph";
import { isPackageSymbol } from "./package-symbols.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";

/** Returns the names in `new PluginRequest("name", ...)`, without repetition. */
export function forwardedPlugins(
  { checker }: ReadContext,
  { role, fn }: PluginDeclaration,
): readonly string[] {
  const names = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isNewExpression(node)) {
      const name = node.arguments?.[0];
      const isRequest = isPackageSymbol(
        checker.getTypeAtLocation(node).getSymbol(),
        "PluginRequest",
      );
      if (isRequest && name && ts.isStringLiteralLike(name)) names.add(name.text);
    }
    ts.forEachChild(node, visit);
  };
  if (role === "pre" && fn.body?.getText().includes("new ")) visit(fn.body);
  return [...names];
}
