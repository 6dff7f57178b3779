// Sends content of unknown length while it is made, never faster than the client takes it.
// uWebSockets puts it into chunks by itself.

import type { ByteStream } from "../transport.js";
import type { UwsResponse } from "./uws-api.js";

/**
 * Sends head and content.
 * @param head as `writeStatus` takes it
 * @param gone aborted once the client is gone; the response is not touched after that
 * @param isLast the connection ends behind it
 * @returns how many bytes were sent; null when the source failed or the client is gone
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
      if (!isTaken) await untilTaken(response, gone);
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

function untilTaken(response: UwsResponse, gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      gone.removeEventListener("abort", done);
      resolve();
    };
    gone.addEventListener("abort", done);
    response.onWritable(() => {
      // Not at once: going on writes, in the middle of this handler.
      setImmediate(done);
      return true;
    });
  });
}
