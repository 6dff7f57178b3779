// Asks members of a group what they have: a member tells its positions to each provider that
// connects.

import { answerInTime } from "../../base/answer-in-time.js";
import { dial, parseHostAndPort } from "../wire/dial.js";
import { MessageType } from "../wire/messages.js";
import { PEER_LIMITS, Peer, parseJsonBody } from "../wire/peer.js";
import { type Positions, parsePositions } from "../wire/positions.js";
import type { SharedKey } from "../wire/shared-key.js";

/** Asks all at once; null for each that does not answer in time. */
export function askMembers(
  addresses: readonly string[],
  key: SharedKey,
  ms: number,
): Promise<(Positions | null)[]> {
  const asked = addresses.map((address) => answerInTime(ask(address, key), ms).catch(() => null));
  return Promise.all(asked);
}

async function ask(address: string, key: SharedKey): Promise<Positions> {
  const { host, port } = parseHostAndPort(address, key);
  const peer = new Peer(await dial(host, port), PEER_LIMITS);
  try {
    await peer.handshake("provider", key);
    return parsePositions(parseJsonBody(await peer.answer(MessageType.Positions)));
  } finally {
    peer.close();
  }
}
