// Tells whether another member of a group has more of the log of its silent leader. That one claims
// first: it could not follow a leader with less, and would copy all graphs while changes wait.

import { answerInTime } from "../../base/answer-in-time.js";
import { dial, parseHostAndPort } from "../wire/dial.js";
import { MessageType } from "../wire/messages.js";
import { PEER_LIMITS, Peer, parseJsonBody } from "../wire/peer.js";
import { type Positions, parsePositions } from "../wire/positions.js";
import type { SharedKey } from "../wire/shared-key.js";

/** Returns whether one of these addresses has more, as far as they answer in time. */
export async function isOneAhead(
  own: Positions,
  addresses: readonly string[],
  key: SharedKey,
  ms: number,
): Promise<boolean> {
  const asked = addresses.map((address) => answerInTime(ask(address, key), ms).catch(() => null));
  const answers = await Promise.all(asked);
  return answers.some((positions) => positions !== null && hasMore(positions, own));
}

/** Returns the positions of a member, which sends them to each provider that connects. */
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

/**
 * The operation counts decide: after a crash, a position is older than the graphs. A graph that is
 * missing here was created later or erased, which only the positions tell.
 */
export function hasMore({ log, graphs }: Positions, own: Positions): boolean {
  if (log === null || own.log === null || log.id !== own.log.id) return false;
  const isLater = log.sn > own.log.sn;
  const counts = new Map(own.graphs.map(({ identity, count }) => [identity, count]));
  return graphs.some(({ identity, count }) => {
    const known = counts.get(identity);
    return known === undefined ? isLater : count > known;
  });
}
