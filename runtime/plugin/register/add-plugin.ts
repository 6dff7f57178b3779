// `addPlugin`: turns a function and its declaration into registry entries. All checks of the
// interface precede the registration.

import type { AccessSpec, PluginRole, PluginSpec } from "../../../argspec/argspec.js";
import { ArgumentError, PluginError } from "../../base/errors.js";
import { MAX_PLUGIN_NAME_LENGTH } from "../../base/limits.js";
import { typeName } from "../contract/describe-error.js";
import type { PluginDescription, PluginEntry } from "../contract/plugin-entry.js";
import type { RegisteredPlugin } from "../contract/registered-plugin.js";
import { createParamReader, type ParamReader } from "../request/query-values.js";
import { requireBoundGraph } from "../run/graph-binding.js";
import { addedSpec } from "./added-spec.js";
import { callConverter } from "./call-converter.js";
import { loadedPlugin } from "./load-plugins.js";
import type { Parameters } from "./parameters.js";
import {
  isSignatureIncomplete,
  parameterTypeName,
  plainParameters,
  readParameters,
} from "./parameters.js";
import { type Declaration, findDeclaration } from "./plugin.js";
import type { PluginRegistry } from "./registry.js";

const PATH_PREFIX = "/svc/plugin/";
const NO_TYPES: RegisteredPlugin["$defs"] = {};

/** The name of a graph, or an object with a name. */
export type GraphReference = string | { readonly name: string };

/** A function to register; `parameters` describes its arguments. */
export type AddedFunction = (...args: never[]) => unknown;

type Optional<T> = T | null | undefined;

/** The optional arguments of `addPlugin` by their names. */
export interface AddPluginOptions {
  /** Service name; default: the function's name. Required with `pre` and `post`. */
  readonly name?: Optional<string>;
  /** Graph to bind; the function must have a `graph` argument. */
  readonly graph?: Optional<GraphReference>;
  /** Alias of the first argument. */
  readonly engine?: Optional<AddedFunction>;
  /** Pre-processor of a dispatcher. */
  readonly pre?: Optional<AddedFunction>;
  /** Post-processor of a dispatcher. */
  readonly post?: Optional<AddedFunction>;
  /** Arguments of the function in their order, with their types. */
  readonly parameters?: Parameters;
  /** Permitted callers, with `auth`: `{ public: true }` or `{ scopes: ["orders:write"] }`. */
  readonly access?: AccessSpec;
  /** Text of the plugin's description record. */
  readonly description?: string;
}

export type AddPluginArguments =
  | [plugin?: Optional<AddedFunction>, options?: Optional<AddPluginOptions>]
  | [
      plugin?: Optional<AddedFunction>,
      name?: Optional<string>,
      graph?: Optional<GraphReference>,
      engine?: Optional<AddedFunction>,
      pre?: Optional<AddedFunction>,
      post?: Optional<AddedFunction>,
    ];

/**
 * Registers a plugin, replacing one of the same name (http-interface, "Management operations").
 * @param registry null while the system is not initialized
 * @throws PluginError before the system is initialized, and for a function whose signature is
 *   unknown
 * @throws ArgumentError for contradictory arguments
 */
export function addPlugin(registry: PluginRegistry | null, ...args: AddPluginArguments): void {
  if (registry === null) throw new PluginError("No registry (system not initialized?)");
  const options = optionsFrom(args);
  const engine = args[0] ?? options.engine ?? null;
  const pre = options.pre ?? null;
  const post = options.post ?? null;
  if (args[0] && options.engine) {
    throw new ArgumentError("ValueError", "'plugin' is an alias for 'engine', cannot use both");
  }
  if (engine !== null && (pre !== null || post !== null)) {
    throw new ArgumentError("ValueError", "'pre'/'post' cannot be combined with 'plugin'");
  }
  if (engine === null && pre === null && post === null) {
    throw new ArgumentError("ValueError", "At least one of 'plugin', 'pre' or 'post' is required");
  }
  if (engine !== null) {
    registry.add(withAccess(entryOf(engine, roleOf(engine), options), options));
    return;
  }
  if (!options.name) throw new ArgumentError("ValueError", "'name' is required with 'pre'/'post'");
  const entries = [
    ...(pre === null ? [] : [entryOf(pre, "pre", options)]),
    ...(post === null ? [] : [entryOf(post, "post", options)]),
  ];
  registry.add(...entries.map((entry) => withAccess(entry, options)));
}

/** Applies the option `access`, which overrides the tags of a built plugin. */
function withAccess(entry: RegisteredPlugin, { access }: AddPluginOptions): RegisteredPlugin {
  if (access === undefined) return entry;
  const { public: isPublic, scopes } = access as { public?: unknown; scopes?: unknown };
  const hasScopes = Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string");
  if (isPublic !== true && !hasScopes) {
    throw new ArgumentError("TypeError", "access: expected { public: true } or { scopes: [...] }");
  }
  return { ...entry, spec: { ...entry.spec, access } };
}

function optionsFrom(args: AddPluginArguments): AddPluginOptions {
  const [, second, graph, engine, pre, post] = args;
  if (typeof second === "object" && second !== null) return second;
  return { name: second, graph, engine, pre, post };
}

/** A function declared as a processor keeps its role when passed as plugin. */
function roleOf(fn: unknown): PluginRole {
  return loadedPlugin(fn)?.role ?? findDeclaration(fn)?.role ?? "engine";
}

function entryOf(fn: unknown, role: PluginRole, options: AddPluginOptions): RegisteredPlugin {
  if (typeof fn !== "function") {
    throw new ArgumentError("TypeError", `plugin must be a function, not ${typeName(fn)}`);
  }
  const declared: Declaration = findDeclaration(fn) ?? { role };
  const name = checkedName(options.name ?? declared.name ?? fn.name);
  const graph = graphName(options.graph ?? declared.graph ?? null);
  const loaded = loadedPlugin(fn);
  if (loaded !== undefined) return renamed(loaded, name, role, graph);
  const call = fn as AddedFunction;
  if (role === "post") return postEntry(call, name, graph, options);
  const isBound = graph !== null;
  const spec = options.parameters ?? declared.parameters ?? plainParameters(fn, role, isBound);
  if (spec === null) {
    throw new PluginError(
      `the parameters of '${name}' are unknown: give \`parameters\`, or a function of loadPlugins`,
    );
  }
  const parameters = readParameters(spec, fn, role, isBound);
  const readers: Record<string, ParamReader> = {};
  for (const parameter of parameters) {
    if (parameter.kind !== "user") continue;
    readers[parameter.name] = createParamReader(parameter.name, parameter.wire);
  }
  const entry: PluginEntry = {
    name,
    role,
    graph,
    readonly: declared.readonly ?? false,
    readers,
    description: describe(
      name,
      graph,
      options,
      parameters.map((parameter) => [parameter.name, parameterTypeName(parameter)]),
    ),
    invoke: callConverter(call, parameters, graph),
  };
  return registered(entry, addedSpec(entry, options.description ?? "", parameters));
}

/** Post-processors have no request arguments; a dispatcher passes them the merged response. */
function postEntry(
  fn: AddedFunction,
  name: string,
  graph: string | null,
  options: AddPluginOptions,
): RegisteredPlugin {
  if (fn.length === 0) throw isSignatureIncomplete("post", false);
  const types: [string, string][] = [["response", "PluginResponse"]];
  if (graph !== null) types.push(["graph", "Graph"]);
  const call = fn as (...args: unknown[]) => unknown;
  const entry: PluginEntry = {
    name,
    role: "post",
    graph,
    readonly: false,
    readers: {},
    description: describe(name, graph, options, types),
    invoke: (response) =>
      graph === null ? call(response) : call(response, requireBoundGraph(graph)),
  };
  const reserved = types.map(([argument]) => argument);
  return registered(entry, addedSpec(entry, options.description ?? "", [], reserved));
}

/** Returns the entry of a function without a build, which has no named types. */
function registered(entry: PluginEntry, spec: PluginSpec): RegisteredPlugin {
  return { ...entry, spec, $defs: NO_TYPES };
}

function renamed(
  entry: RegisteredPlugin,
  name: string,
  role: PluginRole,
  graph: string | null,
): RegisteredPlugin {
  if (entry.role !== role) {
    throw new PluginError(`'${entry.name}' was built as ${entry.role}, not as ${role}`);
  }
  if (graph !== null && graph !== entry.graph) {
    throw new PluginError(`'${entry.name}' was built for graph ${entry.graph}, not for ${graph}`);
  }
  const path = `${PATH_PREFIX}${name}`;
  const description = { ...entry.description, path };
  return { ...entry, name, description, spec: { ...entry.spec, name, path } };
}

function describe(
  name: string,
  graph: string | null,
  options: AddPluginOptions,
  types: readonly (readonly [name: string, type: string])[],
): PluginDescription {
  const description: unknown = options.description ?? "plugin";
  if (typeof description !== "string") {
    throw new ArgumentError("TypeError", `description must be str, not ${typeName(description)}`);
  }
  return {
    path: `${PATH_PREFIX}${name}`,
    description,
    parameters: Object.fromEntries(types),
    bound_graph: graph,
  };
}

function checkedName(name: unknown): string {
  if (typeof name !== "string") {
    throw new ArgumentError("TypeError", `plugin name must be str, not ${typeName(name)}`);
  }
  const invalid = (why: string): ArgumentError =>
    new ArgumentError("ValueError", `invalid plugin name (${why})`);
  if (!/^[A-Za-z_]/.test(name)) throw invalid("must start with [a-zA-Z_]");
  if (!/^[A-Za-z0-9_]*$/.test(name)) throw invalid("must contain only [a-zA-Z0-9_]");
  if (name.length > MAX_PLUGIN_NAME_LENGTH) {
    throw invalid(`must not be longer than ${MAX_PLUGIN_NAME_LENGTH} characters`);
  }
  return name;
}

function graphName(graph: GraphReference | null): string | null {
  const name = typeof graph === "object" && graph !== null ? graph.name : graph;
  if (name === null || (typeof name === "string" && name !== "")) return name;
  throw new ArgumentError("TypeError", "graph must be a graph or the name of one");
}
