// The entry point of the build: the plugins in plugin-number order with their converters, and the
// route table with the same numbers.

import type { PathRoutes } from "../../runtime/plugin/contract/plugin-table.js";
import type { ResolvedConfig } from "../../runtime/settings/config-rule.js";
import { isFile, type PluginRecord } from "../record/plugin-record.js";
import { listShapeParts } from "../record/shape-parts.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import {
  converterName,
  emitImport,
  readersName,
  resultCheckName,
  resultConverterName,
} from "./converters.js";
import { type PluginFacts, pluginFacts, pluginPath } from "./describe.js";
import { emitLifecycle, lifecycleExports } from "./lifecycle.js";
import { PluginModules } from "./modules.js";
import { HEADER, jsonFile, propertyKey, quote } from "./text.js";

export interface PluginsOptions {
  /** Import specifier of the converters. */
  readonly converters: string;
  /** Import specifier of the file that exports hooks and lifecycle functions. */
  readonly modules: string;
  /** Start and stop functions; omitted: none. */
  readonly functions?: Pick<ResolvedConfig, "onStart" | "onStop">;
}

/** @param plugins in plugin-number order */
export function emitPlugins(
  plugins: readonly PluginRecord[],
  types: TypeTable,
  pathPrefix: string,
  { converters, modules: modulesFile, functions }: PluginsOptions,
): string {
  const others = functions === undefined ? [] : lifecycleExports(functions);
  const modules = new PluginModules(plugins, others);
  const names = plugins
    .flatMap((plugin) => [
      converterName(plugin),
      ...[readersName(plugin) ?? []].flat(),
      ...[resultCheckName(plugin, types) ?? []].flat(),
      ...[resultConverterName(plugin, types) ?? []].flat(),
    ])
    .map((name) => `  ${name},\n`);
  const imports =
    names.length === 0 ? "" : `import {\n${names.join("")}} from ${quote(converters)};\n\n`;
  const entries = plugins.map((plugin) =>
    emitEntry(plugin, types, pluginFacts(plugin, pathPrefix), modules),
  );
  const lifecycle = functions === undefined ? "" : emitLifecycle(functions, modules);
  const table = `export const plugins = [\n${entries.join("")}];\n${lifecycle}`;
  const before = emitImport(modules.names(table), modulesFile);
  return `${HEADER}\n${before}${imports}${table}`;
}

/** Plugin numbers by path and role. */
export function emitRoutes(plugins: readonly PluginRecord[], pathPrefix: string): string {
  const routes: Record<string, PathRoutes> = {};
  for (const [number, plugin] of plugins.entries()) {
    const path = pluginPath(plugin, pathPrefix);
    const { timeouts, access, ...others } = routes[path] ?? {};
    const roleTimeout = plugin.timeoutMs === null ? {} : { [plugin.role]: plugin.timeoutMs };
    const all = { ...timeouts, ...roleTimeout };
    const hasAny = Object.keys(all).length > 0;
    const inline = plugin.inline && { inline: true as const };
    const files = plugin.params.some(isFile) && { files: true as const };
    const unchanging = plugin.readonly && { readonly: true as const };
    const limits = hasAny && { timeouts: all };
    const { isPublic, scopes } = plugin;
    const isOpen = isPublic && { public: true as const };
    const isLimited = scopes.length > 0 && { scopes };
    const hasAccess = isPublic || scopes.length > 0;
    const accessByRole = hasAccess
      ? { ...access, [plugin.role]: { ...isOpen, ...isLimited } }
      : access;
    const rights = accessByRole !== undefined && { access: accessByRole };
    const job = plugin.job !== null && { job: plugin.job };
    routes[path] = {
      ...others,
      [plugin.role]: number,
      ...limits,
      ...inline,
      ...files,
      ...unchanging,
      ...rights,
      ...job,
    };
  }
  return jsonFile(routes);
}

/** The description records alone, for threads that do not run the plugins. */
export function emitDescriptions(plugins: readonly PluginRecord[], pathPrefix: string): string {
  const records = plugins.map((plugin) => pluginFacts(plugin, pathPrefix).description);
  return `${HEADER}\nexport const descriptions = ${JSON.stringify(records, null, 2)};\n`;
}

function emitEntry(
  plugin: PluginRecord,
  types: TypeTable,
  facts: PluginFacts,
  modules: PluginModules,
): string {
  const { kind, shape } = plugin.result;
  const isOwn = plugin.role === "engine" && (kind === "value" || kind === "stream");
  const isExact = isOwn && shape !== null && isNumeric(shape, types);
  const check = resultCheckName(plugin, types);
  const typed = resultConverterName(plugin, types);
  const [converter, readers] = [converterName(plugin), readersName(plugin)];
  const before = plugin.before.map((hook) => modules.reference(hook));
  const { path, description, parameters, bound_graph } = facts.description;
  const graph = quote(bound_graph);
  return [
    "  {",
    `    name: ${quote(facts.name)},`,
    `    role: ${quote(facts.role)},`,
    `    graph: ${quote(facts.graph)},`,
    `    readonly: ${facts.readonly},`,
    `    readers: ${readers ?? "{}"},`,
    "    description: {",
    `      path: ${quote(path)},`,
    `      description: ${quote(description)},`,
    `      parameters: ${flatObject(parameters)},`,
    `      bound_graph: ${graph},`,
    "    },",
    `    invoke: ${converter},`,
    ...(isExact ? ["    isExact: true,"] : []),
    ...(check === null ? [] : [`    resultFault: ${check},`]),
    ...(typed === null ? [] : [`    encodeResult: ${typed},`]),
    ...(before.length === 0 ? [] : [`    before: [${before.join(", ")}],`]),
    "  },",
    "",
  ].join("\n");
}

function flatObject(texts: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(texts).map(([name, text]) => `${propertyKey(name)}: ${quote(text)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

/**
 * Returns whether every number in a result has a position typed as a number, where NaN and infinite
 * numbers are errors. A position without a type can hold anything.
 */
function isNumeric(shape: TypeShape, types: TypeTable): boolean {
  const parts = listShapeParts(shape, (name) => types[name]!);
  return parts.some(isNumber) && !parts.some(({ kind }) => kind === "json");
}

function isNumber(shape: TypeShape): boolean {
  if (shape.kind === "literal") return typeof shape.value === "number";
  return shape.kind === "int" || shape.kind === "float";
}
