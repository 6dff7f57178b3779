// Reads the `@example` tags of a plugin: their texts, and the calls of the plugin in them.

import type { ExampleRecord } from "../record/example.js";
import type { ParamRecord } from "../record/plugin-record.js";
import { findCalls } from "./example-calls.js";
import { findQueries } from "./example-queries.js";
import { ExampleText } from "./example-text.js";
import { listParameters, type PluginDeclaration } from "./plugin-declaration.js";
import type { ShapeReader } from "./shape-reader.js";

export function readExamples(
  { context, named }: ShapeReader,
  plugin: PluginDeclaration,
  records: readonly ParamRecord[],
): ExampleRecord[] {
  const { name, exportPath } = plugin;
  const path = exportPath.split(".");
  const params = records.filter((param) => param.kind === "user");
  const types = Object.fromEntries([...named].map(([key, type]) => [key, type.shape]));
  const queryTarget = { name, params, types };
  const target = {
    names: [...new Set([name, path.at(-1)!])],
    className: path.length > 1 ? path[0]! : null,
    params: records.map((param) => param.name),
  };
  // Clients call the other plugin of the name, whose responses a post plugin merges. Unreadable
  // parameters are reported already.
  const isSkipped = plugin.role === "post" || records.length < listParameters(plugin).length;
  return plugin.doc.examples.map((tag) => {
    const text = new ExampleText(context, tag);
    if (isSkipped) return { text: text.written, calls: [] };
    const queries = findQueries(context, text, queryTarget);
    const calls = [...queries.calls, ...findCalls(text, queries.rest, target)];
    return { text: text.written, calls };
  });
}
