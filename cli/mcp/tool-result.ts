// Result of a tool: text for the model, structure for its program. Together they stay below the
// size of one message.

import type { CallToolResult } from "@modelcontextprotocol/server";
import { escapeControlChars } from "../framework/printable.js";

export type ToolResult = CallToolResult;

/** In bytes of JSON: programs end a connection at messages of 10 MB. */
const MAX_RESULT_BYTES = 8_000_000;
/** Models read errors in full. */
const MAX_ERROR_LENGTH = 10_000;

/** @param isObject whether the result is also sent as structure */
export function successResult(response: unknown, isObject: boolean): ToolResult {
  const text = typeof response === "string" ? response : JSON.stringify(response ?? null);
  const content = [{ type: "text" as const, text }];
  const result = isObject
    ? { content, structuredContent: response as Record<string, unknown> }
    : { content };
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes <= MAX_RESULT_BYTES) return result;
  return errorResult("answer", [`result of ${bytes} bytes exceeds the tool limit: request less`]);
}

/** @param kind such as `parameter` */
export function errorResult(kind: string, lines: readonly string[]): ToolResult {
  const all = escapeControlChars(`${kind} error: ${lines.join("\n")}`);
  const text = all.slice(0, MAX_ERROR_LENGTH);
  return { content: [{ type: "text", text }], isError: true };
}
