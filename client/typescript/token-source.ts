// The bearer token of a client: a string, or the result of a function. All calls share it until the
// server rejects it; calls that are rejected together fetch one new token.

import type { Token } from "./options.js";
import { SvcError } from "./svc-error.js";

/** Characters allowed in a header field; for others, the error of `fetch` would quote the token. */
const VISIBLE = /^[!-~]+$/;

export class TokenSource {
  readonly #token: Token;
  #current: Promise<string> | null = null;
  /** The current token; undefined until it is known. */
  #known: string | undefined;

  constructor(token: Token) {
    this.#token = token;
  }

  /** Whether a rejected token can be replaced. */
  get isRenewable(): boolean {
    return typeof this.#token === "function";
  }

  /**
   * Returns the token, or a new one if the current one was rejected.
   * @throws SvcError of kind `network` if the function fails
   */
  get(rejected?: string): Promise<string> {
    if (this.#current === null || (rejected !== undefined && this.#known === rejected)) {
      const fetched = this.#fetch(rejected);
      this.#current = fetched;
      this.#known = undefined;
      fetched.then(
        (token) => {
          if (this.#current === fetched) this.#known = token;
        },
        () => {
          if (this.#current === fetched) this.#current = null;
        },
      );
    }
    return this.#current;
  }

  /** Lets the next call fetch again if the function has not returned a token yet. */
  giveUp(): void {
    if (this.#known === undefined) this.#current = null;
  }

  async #fetch(rejected: string | undefined): Promise<string> {
    let token: unknown = this.#token;
    if (typeof token === "function") {
      try {
        token = await token(rejected);
      } catch (cause) {
        throw new SvcError("network", "the token cannot be fetched", { cause });
      }
    }
    if (typeof token === "string" && VISIBLE.test(token)) return token;
    throw new TypeError("token: expected visible ASCII characters");
  }
}
