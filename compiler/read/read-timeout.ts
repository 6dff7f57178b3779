// Reads `@timeout 2s`: the maximum run time of a plugin, if it differs from the server's.

import { readTagLine } from "./doc-comment.js";
import { parseDuration } from "./duration.js";
import type { PluginDeclaration } from "./plugin-declaration.js";
import type { ReadContext } from "./read-context.js";

const MAX_MS = 24 * 3600 * 1000;

/** Returns milliseconds; null without the tag. */
export function readTimeout(context: ReadContext, { doc }: PluginDeclaration): number | null {
  const tag = doc.tags.find(({ tagName }) => tagName.text === "timeout");
  if (tag === undefined) return null;
  const timeMs = parseDuration(readTagLine(tag)) ?? 0;
  if (timeMs > 0 && timeMs <= MAX_MS) return timeMs;
  const message = `\`@timeout ${readTagLine(tag)}\` is not a duration of at most one day`;
  context.error("SVC1145", tag, message, "`@timeout 500ms`, `2s` or `1min`");
  return null;
}
