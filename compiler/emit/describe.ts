// Plugin description records of the interface, and the facts about a plugin that the runtime needs.

import type { PluginRole } from "../../argspec/argspec.js";
import { JOB_PATH } from "../../runtime/plugin/contract/job-schedule.js";
import type { PluginDescription, PluginEntry } from "../../runtime/plugin/contract/plugin-entry.js";
import type { ParamRecord, PluginRecord } from "../record/plugin-record.js";

/** A `PluginEntry` without its code. */
export type PluginFacts = Omit<PluginEntry, "invoke" | "readers" | "before" | "isExact">;

const ROLES: readonly PluginRole[] = ["engine", "pre", "post"];

/** Plugin-number order: by name, then engine, pre, post. */
export function inNumberOrder(plugins: readonly PluginRecord[]): PluginRecord[] {
  return [...plugins].sort(
    (a, b) =>
      Number(a.name > b.name) - Number(a.name < b.name) ||
      ROLES.indexOf(a.role) - ROLES.indexOf(b.role),
  );
}

/** @param pathPrefix path before the plugin's name */
export function pluginFacts(plugin: PluginRecord, pathPrefix: string): PluginFacts {
  return {
    name: plugin.name,
    role: plugin.role,
    graph: plugin.graph,
    readonly: plugin.readonly,
    description: describePlugin(plugin, pathPrefix),
  };
}

/** Returns the path of the plugin's route; clients cannot reach that of a job. */
export function pluginPath({ name, job }: PluginRecord, pathPrefix: string): string {
  return job === null ? `${pathPrefix}${name}` : `${JOB_PATH}${name}`;
}

export function describePlugin(plugin: PluginRecord, pathPrefix: string): PluginDescription {
  return {
    path: pluginPath(plugin, pathPrefix),
    description: plugin.description === "" ? "plugin" : plugin.description,
    parameters: Object.fromEntries(plugin.params.map((param) => [param.name, typeName(param)])),
    bound_graph: plugin.graph,
  };
}

function typeName(param: ParamRecord): string {
  if (param.kind === "user") {
    return param.typeText === "*" ? "*" : param.wire;
  }
  switch (param.name) {
    case "request":
      return "PluginRequest";
    case "response":
      return "PluginResponse";
    case "graph":
      return "Graph";
    case "job":
      return "Job";
    case "method":
      return "str";
    case "headers":
    case "content":
      return param.form ?? "bytes";
  }
}
