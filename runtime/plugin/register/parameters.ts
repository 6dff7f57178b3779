// The `parameters` of `addPlugin`: a signature as data, in the order of the function's arguments.
// The source of a function is not parsed, so its signature must be declared here.

import type { PluginRole } from "../../../argspec/argspec.js";
import type { Wire } from "../../../argspec/wire.js";
import { ArgumentError } from "../../base/errors.js";
import { typeName } from "../contract/describe-error.js";
import { Converter } from "../contract/types.js";

/** Formats of the reserved arguments `headers` and `content`. */
export type Form = "bytes" | "str" | "json" | "dict" | "list";

/**
 * Argument names in order to their types; `[type, default]` makes one optional. A type is a
 * converter (`int`) or its name (`"int"`), `"*"` a text without conversion. For `request`,
 * `graph` and `method` any value is accepted; `request` may be omitted if it is the first.
 */
export type Parameters = Readonly<Record<string, unknown>>;

export type Parameter =
  | { readonly kind: "plain"; readonly name: "request" | "graph" | "method" }
  | { readonly kind: "form"; readonly name: "headers" | "content"; readonly form: Form }
  | {
      readonly kind: "user";
      readonly name: string;
      /** Null: text without conversion. */
      readonly wire: Wire | null;
      readonly required: boolean;
      readonly default: unknown;
    };

const FORMS: Readonly<Record<"headers" | "content", readonly Form[]>> = {
  headers: ["bytes", "str", "dict", "list"],
  content: ["bytes", "str", "json"],
};
const WIRES: readonly string[] = ["int", "float", "str", "bytes", "json"];
/** Valid as query key and as identifier in every client; the same rule as in the compiler. */
const ARGUMENT_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const FUNCTION_KINDS = { engine: "plugin", pre: "pre-processor", post: "post-processor" } as const;

/**
 * @param fn the function that the parameters belong to
 * @param bound whether a graph is bound to it
 * @throws ArgumentError for an incomplete signature, an unknown type or an invalid default
 */
export function readParameters(
  spec: Parameters,
  fn: { readonly length: number },
  role: PluginRole,
  bound: boolean,
): Parameter[] {
  const parameters = Object.entries(spec).map(([name, type]) => readParameter(name, type, bound));
  const has = (name: string): boolean => parameters.some((parameter) => parameter.name === name);
  if (!has("request") && fn.length > 0) parameters.unshift({ kind: "plain", name: "request" });
  if (!has("request") || (bound && !has("graph"))) throw isSignatureIncomplete(role, bound);
  if (fn.length > parameters.length) {
    throw new ArgumentError(
      "TypeError",
      `'parameters' describes ${parameters.length} of the function's ${fn.length} arguments`,
    );
  }
  return parameters;
}

/**
 * Infers the parameters from the function's arity: the request, then the bound graph. Null for more
 * parameters.
 */
export function plainParameters(
  fn: { readonly length: number },
  role: PluginRole,
  bound: boolean,
): Parameters | null {
  const names = bound ? ["request", "graph"] : ["request"];
  if (fn.length > names.length) return null;
  if (fn.length < names.length) throw isSignatureIncomplete(role, bound);
  return Object.fromEntries(names.map((name) => [name, null]));
}

/** Returns the error for a function that lacks a reserved argument. */
export function isSignatureIncomplete(role: PluginRole, bound: boolean): ArgumentError {
  const first = role === "post" ? "'response'" : "'request'";
  const required = bound && role !== "post" ? `${first} and 'graph'` : first;
  return new ArgumentError(
    "TypeError",
    `${FUNCTION_KINDS[role]} function signature incomplete: ${required} required`,
  );
}

/** Returns the type name of a parameter as plugin descriptions show it. */
export function parameterTypeName(parameter: Parameter): string {
  if (parameter.kind === "user") return parameter.wire ?? "*";
  if (parameter.kind === "form") return parameter.form;
  return { request: "PluginRequest", graph: "Graph", method: "str" }[parameter.name];
}

function readParameter(name: string, spec: unknown, bound: boolean): Parameter {
  if (!ARGUMENT_NAME.test(name)) {
    throw new ArgumentError("ValueError", `invalid parameter name ${JSON.stringify(name)}`);
  }
  if (name === "headers" || name === "content") {
    refuseDefault(name, spec);
    return { kind: "form", name, form: formOf(name, spec) };
  }
  // Without a bound graph, `graph` is an ordinary parameter.
  if (name === "request" || name === "method" || (name === "graph" && bound)) {
    refuseDefault(name, spec);
    return { kind: "plain", name };
  }
  const optional = Array.isArray(spec);
  const wire = wireOf(name, optional ? spec[0] : spec);
  const fallback: unknown = optional ? spec[1] : undefined;
  if (!fits(fallback, wire)) {
    throw new ArgumentError(
      "TypeError",
      `default parameter value incompatible with annotation: '${name}' is ${wire ?? "*"}, ` +
        `its default is of type ${typeName(fallback)}`,
    );
  }
  return { kind: "user", name, wire, required: !optional, default: fallback };
}

function refuseDefault(name: string, spec: unknown): void {
  if (!Array.isArray(spec)) return;
  throw new ArgumentError("TypeError", `default value not allowed for parameter '${name}'`);
}

function formOf(name: "headers" | "content", type: unknown): Form {
  if (isUntyped(type)) return "bytes";
  const word = type instanceof Converter ? type.wire : type;
  const form = FORMS[name].find((candidate) => candidate === word);
  if (form !== undefined) return form;
  throw new ArgumentError(
    "TypeError",
    `Plugin error: invalid annotation '${String(word)}' for '${name}' parameter`,
  );
}

function wireOf(name: string, type: unknown): Wire | null {
  if (isUntyped(type)) return null;
  if (type instanceof Converter) return type.wire;
  if (typeof type === "string" && WIRES.includes(type)) return type as Wire;
  throw new ArgumentError(
    "TypeError",
    `invalid type of parameter '${name}': int, float, str, bytes or json required`,
  );
}

function isUntyped(type: unknown): boolean {
  return type === undefined || type === null || type === "*";
}

/** Null and undefined are valid defaults of every type: the argument is then absent. */
function fits(value: unknown, wire: Wire | null): boolean {
  if (value === undefined || value === null) return true;
  switch (wire) {
    case "int":
      return Number.isSafeInteger(value);
    case "float":
      return typeof value === "number";
    case "str":
      return typeof value === "string";
    case "bytes":
      return value instanceof Uint8Array;
    default:
      return true;
  }
}
