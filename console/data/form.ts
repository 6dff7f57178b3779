// Builds a form from a plugin's contract: the field of each parameter, its validation, and the
// request. An empty field means the default.

import type { ParamSpec, PluginSpec } from "../../argspec/argspec.js";
import { applicableLimits, type LimitCheck, limitCheck } from "../../argspec/limits/limits.js";

export type FieldKind = "choice" | "number" | "text" | "json" | "body";

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  /** Default, as a place-holder. */
  readonly hint: string;
  /** Choices, as they are sent. */
  readonly choices: readonly string[];
  readonly type: string;
  /** Check of the constraints in its schema. */
  readonly check: LimitCheck;
  readonly description: string;
}

/** Values as typed, by name of the parameter. */
export type Values = ReadonlyMap<string, string>;

export interface PluginRequest {
  readonly method: "GET" | "POST";
  /** Without a slash before it. */
  readonly path: string;
  readonly body: string | null;
}

export function buildFormFields({ params }: PluginSpec): readonly Field[] {
  return params.map((param) => {
    const choices = choicesOf(param);
    return {
      name: param.name,
      kind: kindOf(param, choices),
      isRequired: param.required,
      hint: param.default === undefined ? "" : parseFieldValue(param.default),
      choices,
      type: typeOf(param),
      check: limitCheck(applicableLimits(param.schema)),
      description: param.description ?? "",
    };
  });
}

function choicesOf({ schema }: ParamSpec): readonly string[] {
  if (Array.isArray(schema.enum))
    return schema.enum.filter((item) => item !== null).map(parseFieldValue);
  return schema.type === "boolean" ? ["true", "false"] : [];
}

function kindOf(param: ParamSpec, choices: readonly string[]): FieldKind {
  if (param.in === "body") return "body";
  if (choices.length > 0) return "choice";
  const { wire } = param;
  if (wire === "int" || wire === "float") return "number";
  return wire === "str" || wire === "bytes" ? "text" : "json";
}

function typeOf({ schema, wire }: ParamSpec): string {
  return typeof schema.type === "string" ? schema.type : wire;
}

/** Formats an example or default as typed input. */
export function parseFieldValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Returns why an input is invalid; null if it is not. The server decides finally. */
export function findFieldError(field: Field, text: string): string | null {
  if (text === "") return field.isRequired && field.kind !== "body" ? "required" : null;
  if (field.kind === "number") {
    const isInteger = /^[+-]?(0x[0-9a-f]+|\d+)$/i.test(text);
    if (field.type === "integer" && !isInteger) return "an integer is expected";
    if (!isInteger && !Number.isFinite(Number(text))) return "a number is expected";
    return beyondLimits(field, Number(text));
  }
  if (field.kind === "text") return beyondLimits(field, text);
  if (field.kind !== "json") return null;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && field.type === "array" ? beyondLimits(field, value) : null;
  } catch (error) {
    return `no JSON: ${(error as Error).message}`;
  }
}

function beyondLimits({ check }: Field, value: unknown): string | null {
  return check(value)?.replace(/^ \((.*)\)$/, "$1") ?? null;
}

/** The request that these values make. */
export function buildRequest(plugin: PluginSpec, values: Values): PluginRequest {
  const fields = buildFormFields(plugin);
  const query = fields
    .filter(({ kind, name }) => kind !== "body" && (values.get(name) ?? "") !== "")
    .map(({ name }) => `${encodeURIComponent(name)}=${encodeURIComponent(values.get(name)!)}`);
  const content = fields.find(({ kind }) => kind === "body");
  const body = content === undefined ? null : (values.get(content.name) ?? "");
  const start = plugin.path.slice(1, plugin.path.length - plugin.name.length);
  const path = start + encodeURIComponent(plugin.name);
  const method = body === null || body === "" ? "GET" : "POST";
  return {
    method,
    path: query.length > 0 ? `${path}?${query.join("&")}` : path,
    body: method === "POST" ? body : null,
  };
}
