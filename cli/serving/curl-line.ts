// Formats the command line that calls a plugin.

import type { Argspec, ParamSpec, PluginSpec } from "../../argspec/argspec.js";
import { exampleQueries, requestTarget, wireText } from "../../argspec/example-target.js";
import { sampleValue } from "../../argspec/sample-value.js";

export function requiredParams({ params }: PluginSpec): ParamSpec[] {
  return params.filter(({ required }) => required);
}

/**
 * Supplies all required parameters: from the author's first example if that suffices, otherwise
 * small values of the declared types.
 * @param main address of the server
 */
export function curlLine(plugin: PluginSpec, $defs: Argspec["$defs"], main: string): string {
  const required = requiredParams(plugin);
  const sampled = required.map((param) => [param, sampleValue(param.schema, $defs)] as const);
  const [example] = exampleQueries(plugin);
  const query = example ?? sampled.filter(([param]) => param.in === "query");
  const url = `${main}${requestTarget(plugin, query)}`;
  const body = sampled.find(([param]) => param.in === "body");
  const content = body === undefined ? "" : ` -d ${quoted(wireText(body[0].wire, body[1]))}`;
  return `curl "${url}"${content}`;
}

/** Quotes a text as one shell word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
