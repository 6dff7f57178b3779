// A rate limit that all threads share, and the rejection of requests above it.

import { clientKey } from "../../base/client-key.js";
import { takeRate } from "../../base/shared-rates.js";
import { principalName } from "../contract/principal-name.js";

export interface RatePolicy {
  /** Policies with the same name count together. */
  readonly name: string;
  /** Requests per minute, also the size of a burst. */
  readonly perMinute: number;
}

export interface ExceededRate {
  readonly message: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** Counts a request of a key; returns null if it is within the limit. */
export function takeRequest({ name, perMinute }: RatePolicy, key: string): ExceededRate | null {
  // Names contain no line feed, keys may contain anything.
  const { isAllowed, waitMs } = takeRate(`${name}\n${key}`, perMinute);
  if (isAllowed) return null;
  const seconds = Math.max(1, Math.ceil(waitMs / 1000));
  return {
    message: `more than ${perMinute} requests per minute`,
    fields: {
      "Retry-After": String(seconds),
      "RateLimit-Policy": `"${name}";q=${perMinute};w=60`,
      RateLimit: `"${name}";r=0;t=${seconds}`,
    },
  };
}

/** Returns the key of a principal; without one, the key of the client at an address. */
export function principalKey(principal: object | null, address: string): string {
  if (principal === null) return addressKey(address);
  return `principal ${principalName(principal) ?? JSON.stringify(principal)}`;
}

/** Returns the key of the client at an address. */
export function addressKey(address: string): string {
  return `client ${clientKey(address)}`;
}
