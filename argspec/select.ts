// Selects plugins of an argspec as an argspec of their own.

import type { Argspec, JsonSchema, PluginSpec, ResultSpec } from "./argspec.js";
import { collectReferences } from "./read-schema.js";

/**
 * Returns the processors of one name with the types that they use; none for an unknown name. The
 * hash stays that of the whole argspec, which servers send.
 */
export function selectPlugin(argspec: Argspec, name: string): Argspec {
  return selectPlugins(argspec, (plugin) => plugin.name === name);
}

/** Returns the same for all plugins that `isSelected` accepts. */
export function selectPlugins(
  argspec: Argspec,
  isSelected: (plugin: PluginSpec) => boolean,
): Argspec {
  const plugins = argspec.plugins.filter(isSelected);
  return { ...argspec, plugins, $defs: reachableTypes(argspec.$defs, plugins.flatMap(schemasOf)) };
}

/** Returns the types that schemas refer to, directly or indirectly. */
export function reachableTypes(
  $defs: Argspec["$defs"],
  schemas: readonly JsonSchema[],
): Argspec["$defs"] {
  const reached = new Set<string>();
  const rest = [...schemas];
  for (let schema = rest.pop(); schema !== undefined; schema = rest.pop()) {
    for (const type of collectReferences(schema)) {
      if (reached.has(type)) continue;
      reached.add(type);
      rest.push($defs[type]!);
    }
  }
  return Object.fromEntries(Object.entries($defs).filter(([type]) => reached.has(type)));
}

function schemasOf({ params, result, errors }: PluginSpec): JsonSchema[] {
  const results = resultSchemas(result);
  const details = errors.flatMap(({ details }) => (details === undefined ? [] : [details]));
  return [...params.map(({ schema }) => schema), ...results, ...details];
}

function resultSchemas(result: ResultSpec): JsonSchema[] {
  switch (result.kind) {
    case "request":
      return [];
    case "response":
      return [result.sortkey, result.item];
    case "http":
      return result.schema === undefined ? [] : [result.schema];
    default:
      return [result.schema];
  }
}
