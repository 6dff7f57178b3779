// The key `http.rateLimit`: requests per minute of each principal or client of the main port.

import { MAX_PER_MINUTE } from "../base/limits.js";
import { nullable, object, type Rule, test, withDefault } from "./rules.js";
import { integer } from "./setting-types.js";

export interface RateLimitConfig {
  /** Count requests per principal (or per client without one), or per client. */
  readonly by?: "principal" | "client" | undefined;
  /** Requests per minute, also the size of a burst; 1 to 100,000. */
  readonly perMinute: number;
}

export type ParsedRateLimit = Required<RateLimitConfig> & { readonly by: "principal" | "client" };

function isBy(value: unknown): boolean {
  return value === "principal" || value === "client";
}

const by = test('"principal" or "client"', isBy, "principal" as "principal" | "client");

export const rateLimitRule: Rule<ParsedRateLimit | null> = nullable(
  object<ParsedRateLimit>({
    by: withDefault(by, "principal"),
    perMinute: integer(1, MAX_PER_MINUTE).rule,
  }),
);
