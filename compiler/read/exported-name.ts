// Determines the name of an exported declaration.

import { ts } from "ts-morph";

/** Returns the name of an export; for a default export, that of its declaration, if it has one. */
export function exportedName(exportName: string, nameNode: ts.Node | undefined): string | null {
  if (exportName !== "default") return exportName;
  return nameNode && ts.isIdentifier(nameNode) ? nameNode.text : null;
}
