// Position of a change feed: the operation count of the graph after the last delivered change.
// Replicas have the same counts, so a position is valid on each of them. The sequence number in one
// log only shortens the search.
//
//   <graph: 8 hex>-<log: 8 hex>-<sequence number, base 36>-<operation count, base 36>

import { PositionError } from "../model/errors.js";
import type { ReadPosition } from "./transaction-reader.js";

export interface ChangePosition extends ReadPosition {
  readonly count: number;
}

const TAG_DIGITS = 8;
const RADIX = 36;
const PATTERN = /^([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-z]{1,10})-([0-9a-z]{1,10})$/;
/** Log tag of positions that were created before anything was logged. */
const UNKNOWN_LOG = "0".repeat(TAG_DIGITS);

/** Returns the digits of an identity that positions contain: the last ones are random. */
export function shortenIdentity(identity: string): string {
  return identity.slice(-TAG_DIGITS);
}

/** Returns the text before the operation count, which changes of a transaction share. */
export function positionPrefix(identity: string, { logTag, sn }: ReadPosition): string {
  return `${shortenIdentity(identity)}-${logTag || UNKNOWN_LOG}-${sn.toString(RADIX)}-`;
}

export function formatPosition(prefix: string, count: number): string {
  return prefix + count.toString(RADIX);
}

/** @throws PositionError */
export function parsePosition(text: string, identity: string): ChangePosition {
  const [, graph, logTag = "", sn = "", count = ""] = PATTERN.exec(text) ?? [];
  if (graph === undefined) throw new PositionError(`invalid position: '${text.slice(0, 100)}'`);
  if (graph !== shortenIdentity(identity)) {
    throw new PositionError(`position of another graph, or of an erased one: '${text}'`);
  }
  return { logTag, sn: Number.parseInt(sn, RADIX), count: Number.parseInt(count, RADIX) };
}
