// The line that calls a plugin, as it is printed for somebody who tries it.

import type { Argspec, ParamSpec, PluginSpec } from "../../argspec/argspec.js";
import { sampleValue } from "../../argspec/sample-value.js";

export function requiredParams({ params }: PluginSpec): ParamSpec[] {
  return params.filter(({ required }) => required);
}

/**
 * Gives all that is required: what the first example of its author gives, if that is enough, else
 * small values of the declared types.
 * @param main address of the server
 */
export function curlLine(plugin: PluginSpec, $defs: Argspec["$defs"], main: string): string {
  const required = requiredParams(plugin);
  const sampled = required.map((param) => [param, sampleValue(param.schema, $defs)] as const);
  const query = exampleOf(plugin) ?? sampled.filter(([param]) => param.in === "query");
  const pairs = query.map(([{ name, wire }, value]) => {
    return `${encodeURIComponent(name)}=${encodeURIComponent(textOf(wire, value))}`;
  });
  const url = `${main}${plugin.path}${pairs.length > 0 ? `?${pairs.join("&")}` : ""}`;
  const body = sampled.find(([param]) => param.in === "body");
  const content = body === undefined ? "" : ` -d ${quoted(textOf(body[0].wire, body[1]))}`;
  return `curl "${url}"${content}`;
}

/** The query of the first example that leaves nothing out; null without one. */
function exampleOf({ params, examples }: PluginSpec): (readonly [ParamSpec, unknown])[] | null {
  const asked = params.filter((param) => param.in === "query");
  for (const example of examples) {
    if (!("query" in example)) continue;
    const { query } = example;
    if (asked.some(({ name, required }) => required && !Object.hasOwn(query, name))) continue;
    return asked
      .filter(({ name }) => Object.hasOwn(query, name))
      .map((param) => [param, query[param.name]]);
  }
  return null;
}

function textOf(wire: ParamSpec["wire"], value: unknown): string {
  return wire === "json" ? JSON.stringify(value) : String(value);
}

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
