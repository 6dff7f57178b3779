// Takes Node's modules from `process.getBuiltinModule` instead of imports. For an import, Node
// reads all that such a module exports, which loads what is otherwise loaded when first used: a
// few milliseconds in each thread.

import { builtinModules } from "node:module";

/** Imports of names or of a whole module, as bundlers write them: on lines of their own. */
const IMPORT = /^import (\{[^{}]*\}|(?:\* as )?\w+) from "(?:node:)?([\w/]+)";$/gm;

/**
 * @param code of a module
 * @returns it with the same lines
 */
export function withoutBuiltinImports(code) {
  return code.replace(IMPORT, (statement, imported, name) => {
    // `process` itself might have that name, and only imports have a default.
    const isImport = name === "process" || imported.includes("default as");
    if (isImport || !builtinModules.includes(name)) return statement;
    const declared = imported.replace("* as ", "").replaceAll(" as ", ": ");
    return `const ${declared} = process.getBuiltinModule("node:${name}");`;
  });
}
