// Builds a form from a plugin's contract: the field of each parameter, its validation, and the
// request. An empty field means the default.

import type { ParamSpec, PluginSpec } from "../../argspec/argspec.js";
import { applicableLimits, type LimitCheck, limitCheck } from "../../argspec/limits/limits.js";
import { isRecord } from "./client.js";
import { describeLimits } from "./limit-texts.js";

/** A `body` is text or one file, a `file` is a part of a form. */
export type FieldKind = "choice" | "number" | "text" | "json" | "body" | "file";

export interface Field {
  readonly name: string;
  readonly kind: FieldKind;
  readonly isRequired: boolean;
  /** Default, shown as the placeholder. */
  readonly hint: string;
  /** Choices, as they are sent. */
  readonly choices: readonly string[];
  readonly type: string;
  /** Check of the constraints in its schema. */
  readonly check: LimitCheck;
  /** These constraints as short texts. */
  readonly limits: readonly string[];
  readonly description: string;
}

/** Values as typed, by name of the parameter. */
export type Values = ReadonlyMap<string, string>;

/** Files as chosen, by name of the parameter. */
export type Files = ReadonlyMap<string, File>;

export type RequestBody =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "file"; readonly file: File }
  | { readonly kind: "form"; readonly files: readonly (readonly [field: string, file: File])[] };

export interface PluginRequest {
  readonly method: "GET" | "POST";
  /** Without a slash before it. */
  readonly path: string;
  readonly body: RequestBody | null;
  /** The response is in the envelope. */
  readonly isEnveloped: boolean;
}

export function buildFormFields({ params }: PluginSpec): readonly Field[] {
  return params.flatMap((param) => (param.form === true ? fileFields(param) : [fieldOf(param)]));
}

function fieldOf(param: ParamSpec): Field {
  const choices = choicesOf(param);
  return {
    name: param.name,
    kind: kindOf(param, choices),
    isRequired: param.required,
    hint: param.default === undefined ? "" : parseFieldValue(param.default),
    choices,
    type: typeOf(param),
    check: limitCheck(applicableLimits(param.schema)),
    limits: describeLimits(param.schema),
    description: param.description ?? "",
  };
}

/** The files of a form, which are the properties of its schema. */
function fileFields({ schema }: ParamSpec): readonly Field[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const properties = isRecord(schema.properties) ? schema.properties : {};
  return Object.entries(properties).map(([name, property]) => {
    const text = isRecord(property) ? property.description : undefined;
    return {
      ...{ name, kind: "file" as const, isRequired: required.includes(name), type: "file" },
      ...{ hint: "", choices: [], limits: [], check: () => null },
      description: typeof text === "string" ? text : "",
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

function typeOf({ schema, wire, in: location }: ParamSpec): string {
  if (location === "body") return `${wire}, body`;
  return typeof schema.type === "string" ? schema.type : wire;
}

/** Formats an example or default as typed input. */
export function parseFieldValue(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** Returns why an input is invalid, or null. The server makes the final decision. */
export function findFieldError(field: Field, text: string, file?: File): string | null {
  if (field.kind === "file") return field.isRequired && file === undefined ? "required" : null;
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

/** Returns the request for these values. */
export function buildRequest(
  plugin: PluginSpec,
  values: Values,
  files: Files = new Map(),
): PluginRequest {
  const fields = buildFormFields(plugin);
  const query = fields
    .filter(({ kind, name }) => kind !== "body" && kind !== "file" && values.get(name))
    .map(({ name }) => `${encodeURIComponent(name)}=${encodeURIComponent(values.get(name)!)}`);
  const start = plugin.path.slice(1, plugin.path.length - plugin.name.length);
  const path = start + encodeURIComponent(plugin.name);
  const body = buildBody(fields, values, files);
  return {
    method: body === null ? "GET" : "POST",
    path: query.length > 0 ? `${path}?${query.join("&")}` : path,
    body,
    isEnveloped: plugin.result.kind !== "stream" && plugin.result.kind !== "http",
  };
}

function buildBody(fields: readonly Field[], values: Values, files: Files): RequestBody | null {
  const parts = fields.filter(({ kind }) => kind === "file");
  const chosen = parts.flatMap(({ name }) => {
    const file = files.get(name);
    return file === undefined ? [] : [[name, file] as const];
  });
  if (chosen.length > 0) return { kind: "form", files: chosen };
  const content = fields.find(({ kind }) => kind === "body");
  if (content === undefined) return null;
  const file = files.get(content.name);
  if (file !== undefined) return { kind: "file", file };
  const text = values.get(content.name) ?? "";
  return text === "" ? null : { kind: "text", text };
}

/** The body as `fetch` sends it. */
export function bodyToSend(body: RequestBody): string | File | FormData {
  if (body.kind === "text") return body.text;
  if (body.kind === "file") return body.file;
  const form = new FormData();
  for (const [field, file] of body.files) form.set(field, file, file.name);
  return form;
}
