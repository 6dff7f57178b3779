// The routes of built-in services and plugins, which every server has.

import { descriptions as graphPlugins } from "../builtin/.generated/graph/descriptions.js";
import { plugins } from "../builtin/.generated/plugins.js";
import { getAccessKind } from "../builtin/access-kind.js";
import { withErrorStatus } from "../builtin/client-faults.js";
import { BUILTIN_ALIASES, services } from "../builtin/services.js";
import type { PluginDescription, PluginEntry } from "../plugin/contract/plugin-entry.js";
import type { Resource, RouteTable } from "./route-table.js";

/** Built-in plugins that run in the IO thread. */
const quickPlugins = plugins.map(withErrorStatus);

/** Built-in plugins, sorted by path. */
export const BUILTINS: readonly PluginDescription[] = [
  ...quickPlugins.map((entry) => entry.description),
  ...graphPlugins,
].sort((a, b) => (a.path < b.path ? -1 : 1));

export function addBuiltins(routes: RouteTable): void {
  for (const [path, service] of services) routes.set(path, { kind: "service", service });
  for (const [index, entry] of quickPlugins.entries()) {
    // The admin executor numbers these after its own.
    const number = graphPlugins.length + index;
    routes.set(entry.description.path, quickResource(entry, number));
  }
  for (const [number, { path }] of graphPlugins.entries()) {
    const name = path.slice(path.lastIndexOf("/") + 1);
    routes.set(path, { kind: "admin", route: { name, number }, use: getAccessKind(path) });
  }
  for (const [alias, path] of BUILTIN_ALIASES) routes.set(alias, routes.find(path)!);
}

/** Returns the resource of a plugin that the IO thread runs, except for slow requests. */
function quickResource(entry: PluginEntry, number: number): Resource {
  const { name, description } = entry;
  const route = { name, number };
  if (name === "argspec") return { kind: "argspec", entry, route };
  const slowRoute = name === "echo" ? route : null;
  return { kind: "builtin", entry, route: slowRoute, use: getAccessKind(description.path) };
}
