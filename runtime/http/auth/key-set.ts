// The JSON Web Key Set of an issuer, fetched when a token needs it: at first, when it is old, and
// for an unknown key, since issuers rotate keys. Clients choose the key that a token names, so
// requests to the issuer are limited by time, in number and in size. Keys that were fetched once
// stay in use for a day while the issuer is down, and tokens do not wait for it.

import type { JSONWebKeySet, JWTVerifyGetKey } from "jose";
import { log } from "../../base/log.js";
import { HttpError } from "../../plugin/response/http-error.js";

interface KeySetOptions {
  /** Timeout of a request to the issuer. */
  readonly timeoutMs: number;
  /** Minimum time between requests to the issuer. */
  readonly intervalMs: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
}

/** The timeout is shorter than the time limit of handlers. */
const DEFAULTS: KeySetOptions = {
  timeoutMs: 3000,
  intervalMs: 5000,
  now: () => performance.now(),
};
/** Older keys are fetched again. */
const MAX_AGE_MS = 10 * 60_000;
/** Older keys are not used: the issuer may have revoked them. */
const MAX_USE_MS = 24 * 60 * 60_000;
/** How long a token waits for new keys; after a failure of the issuer, it does not wait. */
const REFRESH_WAIT_MS = 500;
const MAX_BYTES = 1024 * 1024;
const UNKNOWN_KEY = "ERR_JWKS_NO_MATCHING_KEY";

export class KeySet {
  readonly #url: URL;
  readonly #create: (keys: JSONWebKeySet) => JWTVerifyGetKey;
  readonly #options: KeySetOptions;
  #hasFailed = false;
  #keys: JWTVerifyGetKey | null = null;
  #fetchedMs = 0;
  #triedMs = Number.NEGATIVE_INFINITY;
  #pending: Promise<void> | null = null;

  /** @param create `createLocalJWKSet` of `jose` */
  constructor(
    url: string,
    create: (keys: JSONWebKeySet) => JWTVerifyGetKey,
    options: Partial<KeySetOptions> = {},
  ) {
    this.#options = { ...DEFAULTS, ...options };
    this.#url = new URL(url);
    this.#create = create;
  }

  /**
   * Returns the key of a token.
   * @throws HttpError 503 without keys, an error of `jose` if no key fits
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    await this.#refresh();
    try {
      return await this.#require()(header, token);
    } catch (error) {
      if ((error as { code?: unknown }).code !== UNKNOWN_KEY) throw error;
    }
    await this.fetch();
    return this.#require()(header, token);
  };

  get #ageMs(): number {
    return this.#keys === null ? Number.POSITIVE_INFINITY : this.#options.now() - this.#fetchedMs;
  }

  async #refresh(): Promise<void> {
    if (this.#ageMs <= MAX_AGE_MS) return;
    const fetching = this.fetch();
    if (this.#ageMs > MAX_USE_MS) await fetching;
    else if (!this.#hasFailed) await this.#waitBriefly(fetching);
    if (this.#ageMs > MAX_USE_MS) this.#keys = null;
  }

  async #waitBriefly(fetching: Promise<void>): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(() => {
        this.#hasFailed = true;
        resolve();
      }, REFRESH_WAIT_MS);
    });
    await Promise.race([fetching, timeout]);
    clearTimeout(timer);
  }

  /** Fetches the keys, at most once per interval; logs failures. */
  fetch(): Promise<void> {
    if (this.#pending !== null) return this.#pending;
    if (this.#options.now() - this.#triedMs < this.#options.intervalMs) return Promise.resolve();
    this.#pending = this.#replaceKeys().finally(() => {
      this.#triedMs = this.#options.now();
      this.#pending = null;
    });
    return this.#pending;
  }

  #require(): JWTVerifyGetKey {
    if (this.#keys === null) throw new HttpError(503, "Service Unavailable: no keys of the issuer");
    return this.#keys;
  }

  async #replaceKeys(): Promise<void> {
    try {
      const text = await readText(this.#url, this.#options.timeoutMs);
      this.#keys = this.#create(JSON.parse(text) as JSONWebKeySet);
      this.#fetchedMs = this.#options.now();
      this.#hasFailed = false;
    } catch (error) {
      this.#hasFailed = true;
      const { origin, pathname } = this.#url;
      log(`authentication: keys not fetched from ${origin}${pathname}: ${reason(error)}`, "error");
    }
  }
}

async function readText(url: URL, timeoutMs: number): Promise<string> {
  const signal = AbortSignal.timeout(timeoutMs);
  // A redirect could lead to keys of another issuer.
  const response = await fetch(url, { signal, redirect: "error" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > MAX_BYTES) throw new Error(`more than ${MAX_BYTES} bytes`);
  }
  return text;
}

/** Messages of JSON.parse quote the response. */
function reason(error: unknown): string {
  if (error instanceof SyntaxError) return "not JSON";
  const { message, cause } = error as Error & { cause?: { code?: string } };
  return cause?.code ?? message;
}
