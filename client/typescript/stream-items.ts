// Reads a response of server-sent events item by item. The response is untrusted: an item is at
// most as long as a response may be.

import type { CallDeadline } from "./call-deadline.js";
import { decoded, describeCause, readText } from "./exchange.js";
import type { Operation } from "./operation.js";
import type { FetchReader, FetchResponse } from "./options.js";
import { responseError } from "./response-error.js";
import { SvcError } from "./svc-error.js";

/** Approximate maximum length of a string in JavaScript engines. */
const MAX_ITEM_LENGTH = 512 * 1024 * 1024;
const ID_FIELD = "id: ";
/** Valid positions, which are sent in a header field. */
const POSITION = /^[!-~]{1,4096}$/;

/** Position from which a stream continues. */
export interface StreamPosition {
  /** Id of the last event; empty: the stream has none, and cannot continue. */
  id: string;
}

/** @throws SvcError if the response is not a stream */
export async function readFirstChunk(
  response: FetchResponse,
  operation: Operation,
): Promise<FetchReader> {
  const { status, headers, body } = response;
  const type = headers.get("content-type") ?? "";
  if (status === 200 && body !== null && type.startsWith("text/event-stream")) {
    return body.getReader();
  }
  const text = await readText(response);
  throw responseError(operation, status, decoded(text));
}

/**
 * Yields each item as it arrives; leaving the loop aborts the plugin.
 * @param limit runs while the server is silent, not while the caller uses an item
 * @param position receives the position after each event
 */
export async function* readStreamItems(
  reader: FetchReader,
  operation: Operation,
  limit: CallDeadline,
  position: StreamPosition,
): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let known = 0;
  try {
    for (;;) {
      limit.restart();
      const { done, value } = await next(reader, operation.path);
      limit.suspend();
      if (done) break;
      text += decoder.decode(value, { stream: true });
      let start = 0;
      // Search only new text, so that a long item takes linear time.
      for (let end = text.indexOf("\n\n", known); end >= 0; end = text.indexOf("\n\n", start)) {
        const event = withoutId(text.slice(start, end), position);
        start = end + 2;
        if (event.startsWith("data: ")) {
          // The caller may have aborted while it used the previous item.
          limit.check();
          yield decoded(event.slice("data: ".length));
        } else if (event.startsWith("event: error")) throw interrupted(operation, event);
      }
      text = text.slice(start);
      known = Math.max(0, text.length - 1);
      if (text.length > MAX_ITEM_LENGTH) {
        throw new SvcError("http", `${operation.path}: stream item is too large`, { status: 200 });
      }
    }
  } finally {
    void reader.cancel();
  }
}

/** Records the position of an event, and returns its other fields. */
function withoutId(event: string, position: StreamPosition): string {
  if (!event.startsWith(ID_FIELD)) return event;
  const [line = ""] = event.split("\n", 1);
  const id = line.slice(ID_FIELD.length);
  position.id = POSITION.test(id) ? id : "";
  return event.slice(line.length + 1);
}

async function next(reader: FetchReader, path: string) {
  try {
    return await reader.read();
  } catch (cause) {
    const message = `${path}: stream interrupted: ${describeCause(cause)}`;
    throw new SvcError("network", message, { status: 200, cause });
  }
}

/** Servers send the class of the error that the plugin threw. */
function interrupted(operation: Operation, event: string): SvcError<string> {
  const exception = String(decoded(event.split("\ndata: ", 2)[1] ?? ""));
  const value = `stream failed: ${exception}`;
  const body = { status: "ERROR", message: { plugin: { exception, value } } };
  return responseError(operation, 200, body);
}
