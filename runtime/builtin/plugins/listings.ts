// Lists plugins and their signatures (http-interface, "Plugin information").

import type { ArgspecForm } from "../../../argspec/forms.js";
import { ParameterError } from "../../base/errors.js";
import type { PluginDescription } from "../../plugin/contract/plugin-entry.js";
import type { str } from "../../plugin/contract/types.js";
import type { PluginRequest } from "../../plugin/request/plugin-request.js";
import { missing } from "../../plugin/request/query-values.js";
import { argspecForms, serverView } from "../context.js";

/**
 * User-defined plugins.
 * @plugin plugins
 * @readonly
 * @param plugin name of one plugin; empty: all
 */
export function plugins(_request: PluginRequest, plugin?: str): readonly PluginDescription[] {
  return named(serverView().plugins(), plugin);
}

/**
 * Built-in plugins.
 * @plugin builtins
 * @readonly
 * @param plugin name of one plugin; empty: all
 */
export function builtins(_request: PluginRequest, plugin?: str): readonly PluginDescription[] {
  return named(serverView().builtins(), plugin);
}

/**
 * Interface specification of a plugin, or of the whole service.
 * @plugin argspec
 * @readonly
 * @param plugin name of a user-defined or built-in plugin; optional unless `format` is `record`
 * @param format `record`: as in the listings; `schema`: the public contract with JSON Schemas;
 *   `openapi`: an OpenAPI document; `typescript`: type declarations
 * @throws LookupError if the plugin does not exist
 */
export function argspec(
  _request: PluginRequest,
  plugin?: str,
  format: ArgspecForm | "record" = "record",
): readonly PluginDescription[] | Promise<unknown> {
  // A key without a value arrives as null.
  if (format !== "record" && format !== null) return argspecForms().make(format, plugin ?? null);
  const view = serverView();
  return named([...view.plugins(), ...view.builtins()], plugin ?? missing("plugin"));
}

/** Returns all without a name; a built-in and a user plugin may share a name. */
function named(descriptions: readonly PluginDescription[], name?: str | null) {
  if (name === undefined || name === null) return descriptions;
  const matches = descriptions.filter(({ path }) => path.slice(path.lastIndexOf("/") + 1) === name);
  if (matches.length === 0) throw new ParameterError("LookupError", `undefined plugin: ${name}`);
  return matches;
}
