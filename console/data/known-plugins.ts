// Plugins that can be tried here: those in the contract of this instance, and for a dispatcher
// those of its back-ends, of which only names and types are known.

import type { Argspec, ParamSpec, PluginSpec } from "../../argspec/argspec.js";
import { fetchValue, isRecord } from "./client.js";
import { entriesAt, listAt, textAt } from "./node-stat.js";

const MATRIX = { headers: { "x-svc-console": "matrix" } };
const PATH = "/svc/plugin/";
/** Parameters that processors receive from the server. */
const NOT_ASKED = /^Plugin(Request|Response)$/;
const WIRES: Readonly<Record<string, ParamSpec["wire"]>> = {
  int: "int",
  float: "float",
  str: "str",
  bytes: "bytes",
};

export interface PluginCatalog {
  readonly plugins: readonly PluginSpec[];
  /** This instance is a dispatcher. */
  readonly hasMatrix: boolean;
  /** Names of plugins that only back-ends have. */
  readonly elsewhere: ReadonlySet<string>;
  /** Requests to the main port need a principal. */
  readonly isAuthenticated: boolean;
}

/** @throws Error when the contract cannot be read */
export async function pluginCatalog(): Promise<PluginCatalog> {
  const [argspec, matrix, local] = await Promise.all([
    fetchValue("svc/builtin/argspec?format=schema") as Promise<Argspec>,
    fetchValue("svc/matrix"),
    fetchValue("svc/builtin/plugins"),
  ]);
  // A post-processor is called by its server alone.
  const isAuthenticated = argspec.service.authenticated === true;
  const own = argspec.plugins
    .filter(({ role }) => role !== "post")
    .map((plugin) => resolveTypes(plugin, argspec.$defs));
  if (!Array.isArray(matrix) || matrix.length === 0) {
    return { plugins: own, hasMatrix: false, elsewhere: new Set(), isAuthenticated };
  }
  const names = new Set(argspec.plugins.map(({ name }) => name));
  const here = new Set(paths(local));
  const others = (await listed()).filter(({ name }) => !names.has(name));
  const plugins = [...own, ...others];
  // The contract is that of the build, of which a dispatcher serves a part.
  const away = plugins.filter(({ path }) => !here.has(path)).map(({ name }) => name);
  return { plugins, hasMatrix: true, elsewhere: new Set(away), isAuthenticated };
}

/** Replaces references by the named types, so that forms know their constraints. */
function resolveTypes(plugin: PluginSpec, types: Argspec["$defs"]): PluginSpec {
  const params = plugin.params.map((param) => {
    const [, name = ""] = /^#\/\$defs\/(.*)$/.exec(String(param.schema.$ref ?? "")) ?? [];
    const type = Object.hasOwn(types ?? {}, name) ? types[name] : {};
    return { ...param, schema: { ...type, ...param.schema } };
  });
  return { ...plugin, params };
}

function paths(value: unknown): readonly string[] {
  return listAt({ value }, "value").map((record) => textAt(record, "path"));
}

/** Returns the plugins of a back-end; none if it does not respond, since local plugins suffice. */
async function listed(): Promise<readonly PluginSpec[]> {
  try {
    const value = await fetchValue("svc/builtin/matrixplugins", MATRIX);
    const records = listAt({ value }, "value").filter(isRecord);
    return records.filter((record) => textAt(record, "path").startsWith(PATH)).map(specOf);
  } catch {
    return [];
  }
}

/** Converts a record, which does not state whether the plugin is read-only. */
function specOf(record: Readonly<Record<string, unknown>>): PluginSpec {
  const path = textAt(record, "path");
  const description = textAt(record, "description");
  const types = entriesAt(record, "parameters").filter(([, type]) => !NOT_ASKED.test(String(type)));
  return {
    ...{ name: path.slice(PATH.length), path, role: "engine", graph: null, readonly: false },
    ...{ summary: description.split("\n", 1)[0]!, description, deprecated: false, source: null },
    ...{ reserved: [], errors: [], examples: [], result: { kind: "value", schema: {} } },
    params: types.map(([name, type]) => ({
      ...{ name, wire: WIRES[String(type)] ?? "json", required: false, schema: {} },
      in: name === "content" ? "body" : "query",
    })),
  };
}
