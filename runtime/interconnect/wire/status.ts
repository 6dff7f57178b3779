// Status that both sides send every two seconds.

import { malformedMessage } from "./messages.js";
import { isPositions, type Position } from "./positions.js";

export interface PeerStatus {
  /** Milliseconds since 1970, by the sender's clock. */
  readonly at: number;
  readonly host: string;
  /** 0: no server. */
  readonly adminPort: number;
  /** Serial of the local graphs. */
  readonly serial: number;
  /** Digest over all graphs that are not local. */
  readonly digest: string;
  /** Positions of a provider's graphs; empty from a subscriber. */
  readonly graphs: readonly Position[];
}

const HOST = /^[\w.:-]{0,255}$/;
const DIGEST = /^[0-9a-f]{32}$/;

/** @throws SvcError SVC2531 */
export function parseStatus(given: unknown): PeerStatus {
  const { at, host, adminPort, serial, digest, graphs } = (given ?? {}) as Partial<PeerStatus>;
  const isStatus =
    isCount(at) &&
    isCount(serial) &&
    isCount(adminPort) &&
    matches(host, HOST) &&
    adminPort < 65536;
  if (!isStatus || !matches(digest, DIGEST) || !isPositions(graphs))
    throw malformedMessage("no status");
  return { at, host, adminPort, serial, digest, graphs };
}

function matches(given: unknown, pattern: RegExp): given is string {
  return typeof given === "string" && pattern.test(given);
}

function isCount(given: unknown): given is number {
  return Number.isSafeInteger(given) && (given as number) >= 0;
}
