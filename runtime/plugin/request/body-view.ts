// The received body as a Buffer. Not in received.ts, whose declarations are part of the package and
// need no types of Node.

import type { RequestSource } from "../contract/request-source.js";

/** Returns the body without a copy of a large one, which is in shared memory; null for none. */
export function bodyView({ body }: RequestSource): Buffer | null {
  if (body === null || body.length === 0) {
    return null;
  }
  if (typeof body === "string") return Buffer.from(body, "latin1");
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength);
}
