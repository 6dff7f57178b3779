// Streams content of unknown length with backpressure. uWebSockets applies the chunked encoding.

import type { ByteStream } from "../transport.js";
import type { UwsResponse } from "./uws-api.js";

/**
 * Sends head and content.
 * @param head as `writeStatus` takes it
 * @param gone aborted when the client disconnects; the response is not touched afterwards
 * @param isLast the connection closes afterwards
 * @returns the number of bytes sent; null if the source failed or the client disconnected
 */
export async function sendChunks(
  response: UwsResponse,
  head: string,
  source: ByteStream,
  gone: AbortSignal,
  isLast: boolean,
): Promise<number | null> {
  let bytesOut = 0;
  try {
    for await (const bytes of source) {
      if (gone.aborted) return null;
      let isTaken = false;
      response.cork(() => {
        if (bytesOut === 0) response.writeStatus(head);
        isTaken = response.write(bytes);
      });
      bytesOut += bytes.length;
      if (!isTaken) await waitUntilWritable(response, gone);
    }
    if (gone.aborted) return null;
    response.cork(() => {
      if (bytesOut === 0) response.writeStatus(head);
      response.end("", isLast);
    });
    return bytesOut;
  } catch {
    return null;
  }
}

function waitUntilWritable(response: UwsResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      gone.removeEventListener("abort", done);
      resolve();
    };
    gone.addEventListener("abort", done);
    response.onWritable(() => {
      // Deferred: continuing would write within this handler.
      setImmediate(done);
      return true;
    });
  });
}
