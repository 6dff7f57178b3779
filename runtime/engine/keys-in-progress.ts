// Keys of requests in progress (`Idempotency-Key`, an Internet-Draft of the HTTPAPI group). Another
// request with the same key is refused meanwhile, because there is no response to repeat yet.

import { HttpRejection, RETRY_AFTER } from "../http/rejections.js";
import type { Exchange } from "../http/transport.js";
import { headerValue } from "../plugin/contract/request-text.js";
import { IDEMPOTENCY_KEY, principalName, readIdempotencyKey } from "./idempotency-key.js";

const MENTION = /idempotency-key:/i;

const INVALID_IDEMPOTENCY_KEY = new HttpRejection(
  400,
  `${IDEMPOTENCY_KEY}: expected 1 to 255 printable ASCII characters, which may be in double quotes`,
);
const KEY_IN_USE = new HttpRejection(
  409,
  `SVC3405: a request with this ${IDEMPOTENCY_KEY} is in progress`,
  RETRY_AFTER,
);

export class KeysInProgress {
  readonly #keys = new Set<string>();

  /**
   * Reserves the key of a request that may change graphs.
   * @returns a function that releases it, null for a request without a key, or the rejection
   */
  reserve({ headers: { block }, principal }: Exchange): (() => void) | HttpRejection | null {
    if (!MENTION.test(block)) return null;
    const value = headerValue(block, IDEMPOTENCY_KEY);
    if (value === undefined) return null;
    const key = readIdempotencyKey(value);
    if (key === null) return INVALID_IDEMPOTENCY_KEY;
    const id = `${principalName(principal)} ${key}`;
    if (this.#keys.has(id)) return KEY_IN_USE;
    this.#keys.add(id);
    return () => void this.#keys.delete(id);
  }
}
