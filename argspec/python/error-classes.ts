// Error classes of a generated Python client, one for each documented error, and the types of their
// details.

import { listErrorKinds } from "../error-kinds.js";
import type { NameTable } from "../name-table.js";
import type { Operation } from "../operations.js";
import type { PythonNames } from "./python-names.js";
import { docstring, indent, plainText } from "./text.js";
import type { PythonTypes } from "./types.js";

/** Returns class names by error name, and their declarations. */
export function errorClasses(
  operations: readonly Operation[],
  names: NameTable,
  types: PythonTypes,
  module: PythonNames,
) {
  const classes = new Map<string, string>();
  const texts = listErrorKinds(operations).map(({ kind, details, statuses, descriptions }) => {
    const name = module.take(names.errors.get(kind)!);
    classes.set(kind, name);
    const typeName = names.details.get(kind)!;
    const annotation = details === null ? "Any" : types.annotation(details, typeName);
    const lines = [...descriptions.map(plainText), `Status ${statuses.join(" or ")}.`];
    return `class ${name}(SvcError):\n${indent(`${docstring(lines)}\ndetails: ${annotation}\n`)}`;
  });
  return { classes, texts };
}
