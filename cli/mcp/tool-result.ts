// The result of a tool: text for the model, structured content for its program. Together they stay
// below the maximum size of a message.

import type { CallToolResult } from "@modelcontextprotocol/server";
import { isJsonMediaType, isTextMediaType } from "../../argspec/media-types.js";
import { escapeControlChars } from "../framework/printable.js";

export type ToolResult = CallToolResult;

/** Maximum bytes of JSON: programs close connections with messages of 10 MB. */
const MAX_RESULT_BYTES = 8_000_000;
/** Limits errors, because models read them completely. */
const MAX_ERROR_LENGTH = 10_000;

/** @param isObject whether the result is also sent as structured content */
export function successResult(response: unknown, isObject: boolean): ToolResult {
  const text = typeof response === "string" ? response : JSON.stringify(response ?? null);
  const content = [{ type: "text" as const, text }];
  return limited(
    isObject ? { content, structuredContent: response as Record<string, unknown> } : { content },
  );
}

/** A response without an envelope. */
export interface ReceivedBody {
  /** Status of the plugin. */
  readonly path: string;
  readonly status: number;
  readonly type: string;
  /** Location of a redirect, which is never followed; otherwise null. */
  readonly location: string | null;
  readonly bytes: Uint8Array;
}

/** Returns text as text, images and sounds as such, other bytes as a resource. */
export function bodyResult({ path, status, type, location, bytes }: ReceivedBody): ToolResult {
  if (bytes.length === 0) {
    const target = location === null ? "" : ` to ${escapeControlChars(location)}`;
    return limited({ content: [{ type: "text", text: `status ${status}${target}` }] });
  }
  if (isTextMediaType(type) || isJsonMediaType(type)) {
    return limited({ content: [{ type: "text", text: new TextDecoder().decode(bytes) }] });
  }
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("base64");
  const family = type.slice(0, type.indexOf("/"));
  if (family === "image" || family === "audio") {
    return limited({ content: [{ type: family, data, mimeType: type }] });
  }
  const mimeType = type === "" ? "application/octet-stream" : type;
  const resource = { uri: `svc:${path}`, mimeType, blob: data };
  return limited({ content: [{ type: "resource", resource }] });
}

function limited(result: ToolResult): ToolResult {
  const bytes = Buffer.byteLength(JSON.stringify(result));
  if (bytes <= MAX_RESULT_BYTES) return result;
  return errorResult("answer", [`result of ${bytes} bytes exceeds the tool limit: request less`]);
}

/** @param kind kind of error, such as `parameter` */
export function errorResult(kind: string, lines: readonly string[]): ToolResult {
  const fullText = escapeControlChars(`${kind} error: ${lines.join("\n")}`);
  const text = fullText.slice(0, MAX_ERROR_LENGTH);
  return { content: [{ type: "text", text }], isError: true };
}
