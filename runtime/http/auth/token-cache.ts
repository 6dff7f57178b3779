// Principals of verified tokens. Only verified tokens are cached, so other clients cannot fill it;
// the limits hold for issuers of many tokens.

import type { Principal } from "../../plugin/request/principal.js";
import type { RequestHead } from "./request-head.js";

const MAX_TOKENS = 10_000;
const MAX_CHARACTERS = 8 * 1024 * 1024;

interface Entry {
  readonly principal: Principal;
  readonly untilMs: number;
}

export class TokenCache {
  /** In order of verification, oldest first. */
  readonly #byToken = new Map<string, Entry>();
  /** Entries by header fields: repeated requests need no parsing. */
  readonly #byHead = new WeakMap<object, Entry>();
  #characters = 0;

  /** Returns the principal of a request whose token is cached and not expired, null for others. */
  find(head: RequestHead): Principal | null {
    const nowMs = Date.now();
    const cached = this.#byHead.get(head.cacheKey);
    if (cached !== undefined && cached.untilMs > nowMs) return cached.principal;
    const { token } = head;
    const entry = token === null ? undefined : this.#byToken.get(token);
    if (entry === undefined || entry.untilMs <= nowMs) return null;
    this.#byHead.set(head.cacheKey, entry);
    return entry.principal;
  }

  /** @param untilMs milliseconds since 1970 */
  add(token: string, principal: Principal, untilMs: number): void {
    this.#remove(token);
    this.#byToken.set(token, { principal, untilMs });
    this.#characters += token.length;
    for (const oldest of this.#byToken.keys()) {
      if (this.#byToken.size <= MAX_TOKENS && this.#characters <= MAX_CHARACTERS) break;
      this.#remove(oldest);
    }
  }

  #remove(token: string): void {
    if (this.#byToken.delete(token)) this.#characters -= token.length;
  }
}
