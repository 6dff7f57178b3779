// Reads the positions of members of a group: it connects to each as a provider does, and a member
// sends its positions to any provider that connects.

import { responseInTime } from "../../base/response-in-time.js";
import { dial, parseHostAndPort } from "../wire/dial.js";
import { MessageType } from "../wire/messages.js";
import { PEER_LIMITS, Peer, parseJsonBody } from "../wire/peer.js";
import { type Positions, parsePositions } from "../wire/positions.js";
import type { SharedKey } from "../wire/shared-key.js";

/** Asks all members at once. Returns null for each that does not respond within `timeoutMs`. */
export function askMembers(
  addresses: readonly string[],
  key: SharedKey,
  timeoutMs: number,
): Promise<(Positions | null)[]> {
  return Promise.all(
    addresses.map((address) =>
      responseInTime(fetchPositions(address, key), timeoutMs).catch(() => null),
    ),
  );
}

async function fetchPositions(address: string, key: SharedKey): Promise<Positions> {
  const { host, port } = parseHostAndPort(address, key);
  const peer = new Peer(await dial(host, port), PEER_LIMITS);
  try {
    await peer.handshake("provider", key);
    return parsePositions(parseJsonBody(await peer.expectInTime(MessageType.Positions)));
  } finally {
    peer.close();
  }
}
