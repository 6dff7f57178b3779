// The name of what a module exports: that of the export, or of the declaration.

import { ts } from "ts-morph";

/** A default export has the name of its declaration; null if that has none. */
export function exportedName(exportName: string, nameNode: ts.Node | undefined): string | null {
  if (exportName !== "default") return exportName;
  return nameNode && ts.isIdentifier(nameNode) ? nameNode.text : null;
}
