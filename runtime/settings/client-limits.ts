// Rows of the table of settings: limits for clients of a port
// (docs/guides/securing.md).

import {
  DEFAULT_IDLE_SECONDS,
  DEFAULT_MAX_BODY_BYTES,
  MAIN_SLOTS,
  MAX_CLIENT_RATE,
  MAX_CONNECTIONS_PER_PORT,
  MAX_IDLE_SECONDS,
} from "../base/limits.js";
import { type ParsedRateLimit, type RateLimitConfig, rateLimitRule } from "./rate-limit-rule.js";
import { setting } from "./setting.js";
import { integer, structure } from "./setting-types.js";

export const CLIENT_LIMITS = {
  /** Maximum request body size in bytes. Default 64 MiB. */
  maxBodyBytes: setting({
    key: "http.maxBodyBytes",
    type: integer(0, Number.MAX_SAFE_INTEGER),
    default: [DEFAULT_MAX_BODY_BYTES, "64 MiB"],
    option: "max-body-bytes",
    library: "start",
    help: "maximum request body size in bytes",
  }),
  /** Maximum connections per address to the main port (0: no limit). Default 0. */
  maxConnectionsPerClient: setting({
    key: "http.maxConnectionsPerClient",
    type: integer(0, MAX_CONNECTIONS_PER_PORT),
    default: [0],
    option: "max-connections-per-client",
    library: "start",
    help: "maximum main-port connections per client (0: no limit)",
  }),
  /** Maximum requests per second and address to the main port (0: no limit). Default 0. */
  maxRequestRatePerClient: setting({
    key: "http.maxRequestRatePerClient",
    type: integer(0, MAX_CLIENT_RATE),
    default: [0],
    option: "max-request-rate-per-client",
    library: "start",
    help: "maximum main-port requests/s per client (0: no limit)",
  }),
  /** Maximum plugin requests per address that run or are queued for executors. Default 16. */
  maxRunningPerClient: setting({
    key: "http.maxRunningPerClient",
    type: integer(0, MAIN_SLOTS),
    default: [MAIN_SLOTS / 2],
    option: "max-running-per-client",
    library: "start",
    help: "maximum plugin requests running at once per client (0: no limit)",
  }),
  /** Requests per minute to the main port, by principal or client; null: no limit (default). */
  rateLimit: setting({
    key: "http.rateLimit",
    type: structure<ParsedRateLimit | null, RateLimitConfig | null>(rateLimitRule),
    default: [null],
    library: "start",
    help: "main-port requests per minute: `{ by, perMinute }`, by `principal` or `client`",
  }),
  /** Seconds after which an idle connection is closed. Default 75. */
  idleTimeoutSeconds: setting({
    key: "http.idleTimeoutSeconds",
    type: integer(1, MAX_IDLE_SECONDS),
    default: [DEFAULT_IDLE_SECONDS],
    option: "idle-timeout",
    library: "start",
    help: "seconds before an idle connection is closed",
  }),
};
