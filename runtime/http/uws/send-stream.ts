// Streams content of known length with backpressure.

import type { ByteStream } from "../transport.js";
import type { UwsResponse } from "./uws-api.js";

/**
 * Sends head and content.
 * @param head as `writeStatus` takes it
 * @param gone aborted when the client disconnects; the response is not touched afterwards
 * @returns false if the source failed or was shorter than declared
 */
export async function sendStream(
  response: UwsResponse,
  head: string,
  byteLength: number,
  source: ByteStream,
  gone: AbortSignal,
): Promise<boolean> {
  let remaining = byteLength;
  try {
    for await (const chunk of source) {
      if (gone.aborted) return false;
      // An empty first one would send the head twice.
      if (chunk.length === 0) continue;
      const isFirst = remaining === byteLength;
      const bytes = chunk.subarray(0, remaining);
      remaining -= bytes.length;
      const offset = response.getWriteOffset();
      let isTaken = false;
      response.cork(() => {
        if (isFirst) response.writeStatus(head);
        isTaken = response.tryEnd(bytes, byteLength)[0];
      });
      if (!isTaken) await waitUntilWritable(response, bytes, offset, byteLength, gone);
      if (remaining === 0) return true;
    }
  } catch {
    // The source failed: the head is sent, so closing the connection is the only error signal.
  }
  return false;
}

/** Continues with `bytes`, which start at `offset` of the content, whenever the socket drains. */
function waitUntilWritable(
  response: UwsResponse,
  bytes: Uint8Array,
  offset: number,
  byteLength: number,
  gone: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    let isTaken = false;
    const done = (): void => {
      gone.removeEventListener("abort", done);
      resolve();
    };
    gone.addEventListener("abort", done);
    response.onWritable((reached) => {
      if (isTaken) return true;
      response.cork(() => {
        isTaken = response.tryEnd(bytes.subarray(reached - offset), byteLength)[0];
      });
      // Deferred: continuing may set the next handler within this one.
      if (isTaken) setImmediate(done);
      return isTaken;
    });
  });
}
