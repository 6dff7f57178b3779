// `@timeout 2s`: how long a plugin may run, where that is not as long as any may.

import { readTagLine } from "./doc-comment.js";
import { parseDuration } from "./duration.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";

const MAX_MS = 24 * 3600 * 1000;

/** Milliseconds; null where nothing is said. */
export function readTimeout(context: ReadContext, { doc }: PluginDeclaration): number | null {
  const tag = doc.tags.find(({ tagName }) => tagName.text === "timeout");
  if (tag === undefined) return null;
  const timeMs = parseDuration(readTagLine(tag)) ?? 0;
  if (timeMs > 0 && timeMs <= MAX_MS) return timeMs;
  const message = `\`@timeout ${readTagLine(tag)}\` is not a duration of at most one day`;
  context.error("SVC1145", tag, message, "`@timeout 500ms`, `2s` or `1min`");
  return null;
}
