// `.svc/argspec.json`: the machine-readable contract of all plugins, from which clients, OpenAPI
// and documentation are made. Sources of truth are the records; nothing here depends on a date or
// a path of this machine.

import { createHash } from "node:crypto";
import type {
  ParamRecord,
  PluginRecord,
  ReservedParam,
  ResultRecord,
  UserParam,
} from "../record/plugin-record.js";
import type { TypeTable } from "../record/type-shape.js";
import { toJsonSchema } from "./json-schema.js";
import { jsonFile } from "./text.js";

const FORMAT_VERSION = 1;

export interface ArgspecService {
  readonly name: string | null;
  readonly prefix: string | null;
}

/** @param plugins in plugin-number order */
export function emitArgspec(
  service: ArgspecService,
  plugins: readonly PluginRecord[],
  types: TypeTable,
  pathPrefix: string,
): string {
  const definitions = Object.entries(types).map(([name, shape]) => [name, toJsonSchema(shape)]);
  const contract = {
    plugins: plugins.map((plugin) => pluginSpec(plugin, pathPrefix)),
    $defs: Object.fromEntries(definitions),
  };
  const hash = createHash("sha256").update(JSON.stringify(contract)).digest("hex");
  return jsonFile({ argspec: FORMAT_VERSION, service, hash, ...contract });
}

function pluginSpec(plugin: PluginRecord, pathPrefix: string): object {
  return {
    name: plugin.name,
    path: `${pathPrefix}${plugin.name}`,
    role: plugin.role,
    graph: plugin.graph,
    summary: plugin.summary,
    description: plugin.description,
    deprecated: plugin.deprecated,
    source: plugin.position,
    params: plugin.params.flatMap(paramSpec),
    reserved: plugin.params.filter((param) => param.kind === "reserved").map(({ name }) => name),
    result: resultSpec(plugin.result),
    errors: plugin.throws,
    examples: plugin.examples.map(exampleSpec),
  };
}

function paramSpec(param: ParamRecord): object[] {
  if (param.kind === "user") {
    return [userSpec(param)];
  }
  return param.name === "content" ? [contentSpec(param)] : [];
}

function userSpec(param: UserParam): object {
  return {
    name: param.name,
    in: "query",
    wire: param.wire,
    required: param.required,
    ...(param.default?.kind === "value" && { default: param.default.value }),
    schema: toJsonSchema(param.shape),
    ...(param.description !== "" && { description: param.description }),
  };
}

function contentSpec(param: ReservedParam): object {
  const wire = param.form ?? "bytes";
  const schema = toJsonSchema(param.shape ?? { kind: wire === "json" ? "json" : "str" });
  return { name: param.name, in: "body", wire, required: false, schema };
}

function resultSpec(result: ResultRecord): object {
  const { kind, shape } = result;
  if (kind === "request") {
    return { kind };
  }
  if (kind === "response" && shape.kind === "tuple") {
    const [sortkey, item] = shape.items;
    return {
      kind,
      sortkey: sortkey === undefined ? {} : toJsonSchema(sortkey),
      item: item === undefined ? {} : toJsonSchema(item),
      meta: true,
    };
  }
  return { kind, schema: toJsonSchema(shape) };
}

/** An `@example` that is a query (`?q=a&n=1`, with or without its path), else its text. */
function exampleSpec(example: string): object {
  const query = /^(?:\S*\?)?([^\s?=&]+=\S*)$/.exec(example.trim())?.[1];
  return query === undefined
    ? { text: example }
    : { query: Object.fromEntries(new URLSearchParams(query)) };
}
