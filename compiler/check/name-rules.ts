// Names: of plugins, which become paths; of parameters, which become query keys.

import { MAX_PLUGIN_NAME_LENGTH } from "../../runtime/base/limits.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { PluginRecord } from "../record/plugin-record.js";
import { paramError, pluginError } from "./diagnostics.js";

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const ALLOWED = "only letters, digits and underscores, first no digit";

/** As a key of an object this one would set the prototype. */
const FORBIDDEN = "__proto__";

export function checkPluginName(plugin: PluginRecord): Diagnostic[] {
  const { name } = plugin;
  if (!isAllowed(name)) {
    const message = `\`${name}\` cannot be a plugin name: ${reason(name)}`;
    return [pluginError(plugin, "SVC1020", message, `\`${toName(name)}\``)];
  }
  if (name.length > MAX_PLUGIN_NAME_LENGTH) {
    const message = `${name.length} characters are too many: ${MAX_PLUGIN_NAME_LENGTH} are allowed`;
    return [pluginError(plugin, "SVC1020", message, "a shorter name")];
  }
  return [];
}

export function checkParameterNames(plugin: PluginRecord): Diagnostic[] {
  return plugin.params
    .filter(({ kind, name }) => kind === "user" && !isAllowed(name))
    .map((param) => {
      const message = `\`${param.name}\` cannot be a query key: ${reason(param.name)}`;
      return paramError(param, "SVC1022", message, `\`${toName(param.name)}\``);
    });
}

function isAllowed(name: string): boolean {
  return NAME.test(name) && name !== FORBIDDEN;
}

function reason(name: string): string {
  return name === FORBIDDEN ? "JavaScript gives it a meaning of its own" : ALLOWED;
}

function toName(text: string): string {
  if (text === FORBIDDEN) return "proto";
  const word = text.replace(/[^A-Za-z0-9_]+/g, "_");
  return NAME.test(word) ? word : `_${word}`;
}

/** One engine a name, or one pre and one post. */
export function checkDuplicateNames(plugins: readonly PluginRecord[]): Diagnostic[] {
  const byName = new Map<string, PluginRecord[]>();
  for (const plugin of plugins) {
    const same = byName.get(plugin.name);
    if (same) same.push(plugin);
    else byName.set(plugin.name, [plugin]);
  }
  return [...byName.values()].flatMap((same) =>
    same.flatMap((plugin) => {
      const other = same.find((candidate) => candidate !== plugin && clash(plugin, candidate));
      return other ? [duplicate(plugin, other)] : [];
    }),
  );
}

function clash(a: PluginRecord, b: PluginRecord): boolean {
  return a.role === b.role || a.role === "engine" || b.role === "engine";
}

function duplicate(plugin: PluginRecord, other: PluginRecord): Diagnostic {
  const { file, line, column } = other.position;
  const message =
    `plugin name \`${plugin.name}\` is used twice: ` +
    `as ${plugin.role} here, as ${other.role} at ${file}:${line}:${column}`;
  const help = `another name for one of them: \`/** @plugin ${plugin.name}_2 */\``;
  return pluginError(plugin, "SVC1021", message, help);
}
