// What plugins there are and how they are called (interface, "Plugin information").

import { ParameterError } from "../../errors.js";
import type { PluginDescription } from "../../plugin/plugin-entry.js";
import type { PluginRequest } from "../../plugin/plugin-request.js";
import type { str } from "../../plugin/types.js";
import { serverView } from "../server-context.js";

/**
 * User-defined plugins.
 * @plugin plugins
 * @readonly
 * @param plugin name of the only one to list
 */
export function plugins(_request: PluginRequest, plugin?: str): readonly PluginDescription[] {
  return named(serverView().plugins(), plugin);
}

/**
 * Built-in plugins.
 * @plugin builtins
 * @readonly
 * @param plugin name of the only one to list
 */
export function builtins(_request: PluginRequest, plugin?: str): readonly PluginDescription[] {
  return named(serverView().builtins(), plugin);
}

/**
 * Interface specification of a plugin.
 * @plugin argspec
 * @readonly
 * @param plugin name of a user-defined or built-in plugin
 */
export function argspec(_request: PluginRequest, plugin: str): readonly PluginDescription[] {
  const view = serverView();
  return named([...view.plugins(), ...view.builtins()], plugin);
}

/** All of them without a name; one of ours and a user's plugin may well have the same. */
function named(descriptions: readonly PluginDescription[], name?: str | null) {
  if (name === undefined || name === null) return descriptions;
  const found = descriptions.filter(({ path }) => path.slice(path.lastIndexOf("/") + 1) === name);
  if (found.length === 0) throw new ParameterError("LookupError", `undefined plugin: ${name}`);
  return found;
}
