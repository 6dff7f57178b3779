// `@inline`: the plugin runs in the IO thread, which must never block. Rejects plugins that may
// wait; slow ones are detected at run time.

import type { ResultRecord } from "../record/plugin-record.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";

const TAG = "inline";

/** Facts about a plugin tagged as inline. */
export interface InlineFacts {
  readonly result: ResultRecord;
  readonly async: boolean;
  /** Whether hooks run before the plugin. */
  readonly hasBefore: boolean;
}

/** Returns whether a plugin is tagged as inline and allowed to be. */
export function readInline(
  context: ReadContext,
  plugin: PluginDeclaration,
  facts: InlineFacts,
): boolean {
  const tag = plugin.doc.tags.find(({ tagName }) => tagName.text === TAG);
  if (tag === undefined) return false;
  const reason = findObstacle(plugin, facts);
  if (reason === null) return true;
  const message = `\`${plugin.name}\` cannot be \`@inline\`: ${reason}`;
  context.error("SVC1321", tag, message, "leave out `@inline`: it then runs in an executor");
  return false;
}

/** Returns why a plugin could block the IO thread; null if it cannot. */
function findObstacle(plugin: PluginDeclaration, { result, async, hasBefore }: InlineFacts) {
  if (plugin.role !== "engine") return "pre and post plugins run in executors";
  if (plugin.graph !== null) return "it uses a graph, which another request may have locked";
  if (result.kind === "stream") return "it returns a stream";
  if (async) return "it returns a promise";
  return hasBefore ? "a hook that runs before it may return a promise" : null;
}
