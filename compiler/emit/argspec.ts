// `.svc/argspec.json`: the machine-readable contract of all plugins, the source of clients, OpenAPI
// and documentation. It depends only on the records, not on the date or the machine.

import {
  ARGSPEC_VERSION,
  type Argspec,
  type ArgspecService,
  type ErrorSpec,
  type ExampleSpec,
  type ParamSpec,
  type PluginSpec,
  type ResultSpec,
} from "../../argspec/argspec.js";
import { contractHash } from "../../argspec/hash.js";
import { admitsNull } from "../record/admits.js";
import type { ExampleCall, ExampleRecord } from "../record/example.js";
import { isLiteral, toPlainValue } from "../record/example-value.js";
import {
  isFile,
  type ParamRecord,
  type PluginRecord,
  type ReservedParam,
  type ResultRecord,
  type ThrownRecord,
  type UserParam,
} from "../record/plugin-record.js";
import type { TypeShape, TypeTable } from "../record/type-shape.js";
import { toJsonSchema } from "./json-schema.js";
import { jsonFile } from "./text.js";

/** @param plugins in plugin-number order */
export function emitArgspec(
  service: ArgspecService,
  plugins: readonly PluginRecord[],
  types: TypeTable,
  pathPrefix: string,
): string {
  const definitions = Object.entries(types).map(([name, shape]) => [name, toJsonSchema(shape)]);
  const contract = {
    plugins: plugins.map((plugin) => pluginSpec(plugin, types, pathPrefix)),
    $defs: Object.fromEntries(definitions),
  };
  const hash = contractHash(contract);
  return jsonFile({ argspec: ARGSPEC_VERSION, service, hash, ...contract } satisfies Argspec);
}

function pluginSpec(plugin: PluginRecord, types: TypeTable, pathPrefix: string): PluginSpec {
  return {
    name: plugin.name,
    path: `${pathPrefix}${plugin.name}`,
    role: plugin.role,
    graph: plugin.graph,
    readonly: plugin.readonly,
    summary: plugin.summary,
    description: plugin.description,
    deprecated: plugin.deprecated,
    ...(plugin.deprecation !== "" && { deprecation: plugin.deprecation }),
    source: plugin.position,
    params: [...plugin.params.flatMap((param) => paramSpec(param, types)), ...formSpec(plugin)],
    reserved: plugin.params.filter((param) => param.kind === "reserved").map(({ name }) => name),
    result: resultSpec(plugin.result),
    ...(plugin.returns !== "" && { returns: plugin.returns }),
    errors: plugin.throws.map(errorSpec),
    examples: plugin.examples.map((example) => exampleSpec(example, plugin)),
    ...(plugin.isPublic && { access: { public: true as const } }),
    ...(plugin.scopes.length > 0 && { access: { scopes: plugin.scopes } }),
    ...(plugin.guards.length > 0 && { guards: plugin.guards }),
    ...(plugin.forwards.length > 0 && { forwards: plugin.forwards }),
  };
}

function errorSpec({ details, ...thrown }: ThrownRecord): ErrorSpec {
  return details === undefined ? thrown : { ...thrown, details: toJsonSchema(details) };
}

/** The files of a plugin as one body. */
function formSpec({ params }: PluginRecord): ParamSpec[] {
  const files = params.filter(isFile) as UserParam[];
  if (files.length === 0) return [];
  const properties = files.map((file) => [file.name, { type: "string", ...describedBy(file) }]);
  const required = files.filter((file) => file.required).map(({ name }) => name);
  const schema = { type: "object", properties: Object.fromEntries(properties), required };
  const isNeeded = required.length > 0;
  return [{ name: "content", in: "body", wire: "bytes", required: isNeeded, schema, form: true }];
}

function paramSpec(param: ParamRecord, types: TypeTable): ParamSpec[] {
  if (isFile(param)) return [];
  if (param.kind === "user") {
    return [userSpec(param)];
  }
  return param.name === "content" ? [contentSpec(param, types)] : [];
}

function userSpec(param: UserParam): ParamSpec {
  return {
    name: param.name,
    in: "query",
    wire: param.wire,
    required: param.required,
    ...(param.default?.kind === "value" && { default: param.default.value }),
    schema: toJsonSchema(param.refined ?? param.shape),
    ...describedBy(param),
  };
}

function describedBy({ description }: { readonly description: string }) {
  return description === "" ? {} : { description };
}

function contentSpec(param: ReservedParam, types: TypeTable): ParamSpec {
  const wire = param.form === "str" || param.form === "json" ? param.form : "bytes";
  const shape = param.shape ?? { kind: wire === "json" ? "json" : "str" };
  // Without a body, a plugin receives an empty string or null, and its type may not allow null.
  const required = wire === "json" && !admitsNull(shape, types);
  const schema = toJsonSchema(param.refined ?? shape);
  return { name: param.name, in: "body", wire, required, schema, ...describedBy(param) };
}

function resultSpec({ kind, shape, isPage, mediaTypes = [] }: ResultRecord): ResultSpec {
  if (kind === "request") return { kind };
  if (kind === "http") {
    return { kind, mediaTypes, ...(shape !== null && { schema: toJsonSchema(shape) }) };
  }
  if (shape === null) throw new Error(`result without a shape: ${kind}`);
  if (kind === "value" && isPage) return { kind, schema: toJsonSchema(shape), page: true };
  if (kind !== "response") return { kind, schema: toJsonSchema(shape) };
  const [sortkey, item] = shape.kind === "tuple" ? shape.items : [];
  const schemaOf = (part: TypeShape | undefined) => (part === undefined ? {} : toJsonSchema(part));
  return { kind, sortkey: schemaOf(sortkey), item: schemaOf(item), meta: true };
}

/** Returns an example with the query of the first call that consists of literals. */
function exampleSpec({ text, calls }: ExampleRecord, plugin: PluginRecord): ExampleSpec {
  for (const call of calls) {
    const query = exampleQuery(call, plugin);
    if (query !== null) return { query, text };
  }
  return { text };
}

function exampleQuery(call: ExampleCall, { params }: PluginRecord): Record<string, unknown> | null {
  if (call.isOpen) return null;
  const sent = new Set(params.filter(isSent).map(({ name }) => name as string));
  const args = call.args.filter(({ name }) => name !== null && sent.has(name));
  if (!args.every(({ value }) => isLiteral(value))) return null;
  return Object.fromEntries(args.map(({ name, value }) => [name, toPlainValue(value)]));
}

/** Returns whether clients send an argument; the server supplies the other reserved ones. */
function isSent({ kind, name }: ParamRecord): boolean {
  return kind === "user" || name === "content";
}
