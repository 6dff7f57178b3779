// Rate limits of plugins: hooks that count the requests of a principal or client in all executors.

import { ArgumentError } from "../../base/errors.js";
import { MAX_PER_MINUTE } from "../../base/limits.js";
import type { BeforeHook } from "../contract/plugin-entry.js";
import type { PluginRequest } from "../request/plugin-request.js";
import { HttpError } from "./http-error.js";
import { addressKey, principalKey, takeRequest } from "./rate-policy.js";

const NAME = /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,64}$/;

export interface RateLimitOptions {
  /**
   * Requests that are counted together: per principal (or per client without one), per client
   * address, or per text that a function returns.
   */
  readonly by: "principal" | "client" | ((request: PluginRequest) => string);
  /** Requests per minute, also the size of a burst; 1 to 100,000. */
  readonly perMinute: number;
  /** Hooks with the same name count together. Default: `default`. */
  readonly name?: string;
}

/**
 * Returns a hook for `@before` or the key `before` that rejects requests above a rate with 429,
 * `Retry-After` and `RateLimit`.
 *
 * @throws ArgumentError invalid options
 * @example export const perUser = rateLimit({ by: "principal", perMinute: 60 });
 */
export function rateLimit({ by, perMinute, name = "default" }: RateLimitOptions): BeforeHook {
  if (!Number.isInteger(perMinute) || perMinute < 1 || perMinute > MAX_PER_MINUTE) {
    const range = `an integer from 1 to ${MAX_PER_MINUTE}`;
    throw new ArgumentError("ValueError", `invalid perMinute ${perMinute}: expected ${range}`);
  }
  if (typeof by !== "function" && by !== "principal" && by !== "client") {
    const expected = '"principal", "client" or a function';
    throw new ArgumentError("ValueError", `invalid by ${JSON.stringify(by)}: expected ${expected}`);
  }
  if (!NAME.test(name)) throw new ArgumentError("ValueError", `invalid name ${name}`);
  const makeKey = typeof by === "function" ? makeOwnKey(by) : KEYS[by];
  return (request) => {
    const exceeded = takeRequest({ name, perMinute }, makeKey(request));
    if (exceeded === null) return;
    throw new HttpError(429, exceeded.message, undefined, exceeded.fields);
  };
}

const KEYS = {
  principal: ({ principal, ip }: PluginRequest) => principalKey(principal, ip),
  client: ({ ip }: PluginRequest) => addressKey(ip),
};

/** Prefixes texts that clients may choose, so that they cannot equal the key of another client. */
function makeOwnKey(by: (request: PluginRequest) => string): (request: PluginRequest) => string {
  return (request) => `own ${by(request)}`;
}
