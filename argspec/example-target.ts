// Converts the examples of plugins to targets of GET requests.

import type { ParamSpec, PluginSpec } from "./argspec.js";

/** A parameter with the value to send. */
export type WireParam = readonly [param: ParamSpec, value: unknown];

/** Returns the query of each example. Skips examples that omit required parameters. */
export function exampleQueries({ params, examples }: PluginSpec): WireParam[][] {
  const inQuery = params.filter((param) => param.in === "query");
  return examples.flatMap((example) => {
    if (!("query" in example)) return [];
    const { query } = example;
    if (inQuery.some(({ name, required }) => required && !Object.hasOwn(query, name))) return [];
    const sent = inQuery.filter(({ name }) => Object.hasOwn(query, name));
    return [sent.map((param) => [param, query[param.name]] as const)];
  });
}

/** Returns path and query of a request, with each value in its wire form. */
export function requestTarget({ path }: PluginSpec, sent: readonly WireParam[]): string {
  const pairs = sent.map(([{ name, wire }, value]) => {
    return `${encodeURIComponent(name)}=${encodeURIComponent(wireText(wire, value))}`;
  });
  return pairs.length > 0 ? `${path}?${pairs.join("&")}` : path;
}

export function wireText(wire: ParamSpec["wire"], value: unknown): string {
  return wire === "json" ? JSON.stringify(value) : String(value);
}
