// Keys of requests that are at work (`Idempotency-Key`, an Internet-Draft of the HTTPAPI group). A
// second request with the key of one at work is refused: its answer is not known yet.

import { HttpRejection, RETRY_AFTER } from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";
import { headerValue } from "../plugin/contract/request-text.js";
import { IDEMPOTENCY_KEY, principalName, readIdempotencyKey } from "./idempotency-key.js";

const MENTION = /idempotency-key:/i;

const INVALID_IDEMPOTENCY_KEY = new HttpRejection(
  400,
  `${IDEMPOTENCY_KEY}: expected 1 to 255 printable ASCII characters, which may be in double quotes`,
);
const AT_WORK = new HttpRejection(
  409,
  `SVC3405: a request with this ${IDEMPOTENCY_KEY} is at work`,
  RETRY_AFTER,
);

export class KeysInProgress {
  readonly #keys = new Set<string>();

  /**
   * Takes the key of a request that may change graphs.
   * @returns a function that gives it back, null for a request without a key, or why it is refused
   */
  take({ headers: { block }, principal }: Exchange): (() => void) | HttpRejection | null {
    if (!MENTION.test(block)) return null;
    const value = headerValue(block, IDEMPOTENCY_KEY);
    if (value === undefined) return null;
    const key = readIdempotencyKey(value);
    if (key === null) return INVALID_IDEMPOTENCY_KEY;
    const known = `${principalName(principal)} ${key}`;
    if (this.#keys.has(known)) return AT_WORK;
    this.#keys.add(known);
    return () => void this.#keys.delete(known);
  }
}
