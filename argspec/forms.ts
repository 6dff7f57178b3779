// The output formats of an argspec, for commands and servers. Generators are loaded on first use,
// because the one for declarations is slow to load.

import type { Argspec } from "./argspec.js";
import { BUILTINS } from "./builtins.js";
import { selectPlugin } from "./select.js";

export type ArgspecForm = "schema" | "openapi" | "typescript";

/** @param jsonParams how OpenAPI describes JSON parameters in queries */
export async function argspecForm(
  form: ArgspecForm,
  argspec: Argspec,
  jsonParams: "content" | "string" = "content",
): Promise<unknown> {
  switch (form) {
    case "schema":
      return argspec;
    case "openapi": {
      const { openapiDocument } = await import("./openapi/document.js");
      return openapiDocument(argspec, { jsonParams });
    }
    case "typescript": {
      const { emitTypescriptTypes } = await import("./typescript/client.js");
      return emitTypescriptTypes(argspec);
    }
  }
}

/**
 * Returns a single plugin; the service's own takes precedence over a built-in one. Null if there is
 * none of that name.
 */
export function findPlugin(argspec: Argspec, name: string): Argspec | null {
  const selected = selectPlugin(argspec, name);
  if (selected.plugins.length > 0) return selected;
  const builtin = selectPlugin(BUILTINS, name);
  return builtin.plugins.length > 0 ? { ...builtin, service: argspec.service } : null;
}
