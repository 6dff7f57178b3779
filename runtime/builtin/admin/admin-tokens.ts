// One-time tokens, one per admin operation: they protect against cross-origin requests and
// accidents. The messages are fixed by the interface. Comparison takes constant time.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { nowMs } from "../../base/clock.js";

const VALID_MS = 300_000;
/** Number of used tokens that shutdown still accepts as the first of its two tokens. */
const RETAINED_TOKENS = 5;
/** Clients with a token; the oldest is evicted. */
const MAX_CLIENTS = 1000;

/**
 * Has no stack, so that the log has one line: a refused token is no bug. Instances and operators on
 * one machine replace each other's tokens, and then request new ones.
 */
class PermissionError extends Error {
  constructor(message: string) {
    super(message);
    delete this.stack;
  }
}
export class Exception extends Error {}

interface Token {
  readonly text: string;
  readonly expiresAtMs: number;
  isUsed: boolean;
}

export interface IssuedToken {
  readonly authtoken: string;
  /** Seconds since 1970. */
  readonly t0: number;
  readonly tx: number;
}

export class AdminTokens {
  readonly #now: () => number;
  /** By client address, oldest first. */
  readonly #tokens = new Map<string, Token>();
  readonly #used: { readonly client: string; readonly text: string }[] = [];

  constructor(now: () => number = nowMs) {
    this.#now = now;
  }

  /** Issues a new token, which replaces the previous one of the client. */
  issue(client: string): IssuedToken {
    const now = this.#now();
    for (const [other, { expiresAtMs }] of this.#tokens) {
      if (expiresAtMs <= now || this.#tokens.size >= MAX_CLIENTS) this.#tokens.delete(other);
    }
    const former = this.#tokens.get(client);
    if (former !== undefined) this.#remember(client, former.text);
    this.#tokens.delete(client);
    const text = randomBytes(32).toString("hex");
    this.#tokens.set(client, { text, expiresAtMs: now + VALID_MS, isUsed: false });
    return { authtoken: text, t0: now / 1000, tx: (now + VALID_MS) / 1000 };
  }

  /**
   * Uses up a token.
   * @throws PermissionError for a wrong or expired token
   */
  take(client: string, text: string): void {
    const token = this.#tokens.get(client);
    if (token === undefined) throw new PermissionError("Not authorized");
    // Compared first, so that only the holder of the token learns that it has expired.
    if (!isSame(text, token.text)) throw new PermissionError("Invalid authtoken");
    if (token.isUsed || token.expiresAtMs <= this.#now()) {
      throw new PermissionError("Expired authtoken");
    }
    token.isUsed = true;
  }

  /**
   * Requires that the client has used this token before its current one.
   * @throws Exception otherwise
   */
  checkPreviousToken(client: string, text: string): void {
    const matches = this.#used.filter((used) => used.client === client && isSame(text, used.text));
    if (matches.length === 0) throw new Exception("Invalid token");
    for (const used of matches) this.#used.splice(this.#used.indexOf(used), 1);
  }

  #remember(client: string, text: string): void {
    this.#used.push({ client, text });
    if (this.#used.length > RETAINED_TOKENS) this.#used.shift();
  }
}

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
