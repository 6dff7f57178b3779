// Rules for the required and allowed arguments of each role (plugin-api, "Plugin function
// contracts").

import type { Diagnostic } from "../diagnostics/diagnostic.js";
import type { PluginRecord } from "../record/plugin-record.js";
import { paramError, pluginError } from "./diagnostics.js";

export function checkFirstArgument(plugin: PluginRecord): Diagnostic[] {
  if (plugin.job !== null) return [];
  const isPost = plugin.role === "post";
  const [name, type] = isPost ? ["response", "PluginResponse"] : ["request", "PluginRequest"];
  const isScript = /\.[cm]?jsx?$/.test(plugin.position.file);
  const help = isScript
    ? `\`@param {import("svc-server").${type}} ${name}\` first`
    : `\`${name}: ${type}\` first`;
  if (plugin.params[0]?.name !== name || plugin.params[0].kind !== "reserved") {
    const message = `the first argument of ${plugin.role} \`${plugin.name}\` must be \`${name}\``;
    return [pluginError(plugin, "SVC1030", message, help)];
  }
  return plugin.params
    .slice(1)
    .filter((param) => param.kind === "reserved" && param.name === name)
    .map((param) => paramError(param, "SVC1030", `\`${name}\` must be the first argument`, help));
}

export function checkPostArguments(plugin: PluginRecord): Diagnostic[] {
  if (plugin.role !== "post") return [];
  return plugin.params
    .filter((param) => param.kind === "user")
    .map((param) => {
      const message = `a post plugin receives no query, so \`${param.name}\` would never be set`;
      return paramError(param, "SVC1031", message, "`response.local`, set by the pre plugin");
    });
}

export function checkBoundGraph(plugin: PluginRecord): Diagnostic[] {
  if (plugin.graph === null || plugin.params.some(({ name }) => name === "graph")) return [];
  const message =
    `\`${plugin.name}\` is bound to graph \`${plugin.graph}\` but declares no \`graph\` ` +
    "argument";
  return [pluginError(plugin, "SVC1033", message, "add `graph: Graph` after the first argument")];
}
