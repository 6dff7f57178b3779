// Redistributes the memory for bodies when it is used up: an arriving body is refused in favor of a
// client that holds less. So slow senders with many addresses cannot lock out all other clients.

import type { Client } from "./clients.js";

/** A body that is still arriving, in memory. */
export interface ArrivingBody {
  readonly owner: Client;
  readonly bytes: number;
  /** Refuses the body, which releases its memory. */
  shed(): void;
}

/**
 * Refuses the largest arriving body of the client that holds the most memory, if that is more than
 * `client` would hold with further `bytes`.
 */
export function shedLargestBody(
  bodies: Iterable<ArrivingBody>,
  client: Client,
  bytes: number,
): boolean {
  let largest: ArrivingBody | null = null;
  for (const body of bodies) {
    const more = body.owner.bodyBytes - (largest?.owner.bodyBytes ?? client.bodyBytes + bytes);
    const isLargest = more === 0 && largest !== null && body.bytes > largest.bytes;
    if (body.owner !== client && (more > 0 || isLargest)) largest = body;
  }
  largest?.shed();
  return largest !== null;
}
