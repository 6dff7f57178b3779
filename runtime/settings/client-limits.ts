// Rows of the table of settings: limits of what clients of a port may consume
// (docs/guides/securing.md).

import {
  DEFAULT_ADMIN_CLIENT_CONNECTIONS,
  DEFAULT_ADMIN_CLIENT_RATE,
  DEFAULT_BODY_MEMORY_MB,
  DEFAULT_IDLE_SECONDS,
  DEFAULT_MAX_BODY_BYTES,
  DEFAULT_RESPONSE_MEMORY_MB,
  MAX_CLIENT_RATE,
  MAX_CONNECTIONS_PER_PORT,
  MAX_IDLE_SECONDS,
  MAX_MEMORY_MB,
} from "../base/limits.js";
import { setting } from "./setting.js";
import { integer } from "./setting-types.js";

export const CLIENT_LIMITS = {
  /** Largest request body in bytes. Default 64 MiB. */
  maxBodyBytes: setting({
    key: "http.maxBodyBytes",
    type: integer(0, Number.MAX_SAFE_INTEGER),
    default: [DEFAULT_MAX_BODY_BYTES, "64 MiB"],
    option: "max-body-bytes",
    library: "start",
    help: "largest request body",
  }),
  /** Connections that one address may have to the main port, 0 for no bound. Default 0. */
  clientConnections: setting({
    key: "http.clientConnections",
    type: integer(0, MAX_CONNECTIONS_PER_PORT),
    default: [0],
    option: "client-connections",
    library: "start",
    help: "connections that one address may have to the main port, 0: no bound",
  }),
  /** Requests that one address may send to the main port in a second, 0 for no bound. Default 0. */
  clientRate: setting({
    key: "http.clientRate",
    type: integer(0, MAX_CLIENT_RATE),
    default: [0],
    option: "client-rate",
    library: "start",
    help: "requests a second that one address may send to the main port, 0: no bound",
  }),
  /** The same for the admin port. Default 256. */
  adminClientConnections: setting({
    key: "http.adminClientConnections",
    type: integer(0, MAX_CONNECTIONS_PER_PORT),
    default: [DEFAULT_ADMIN_CLIENT_CONNECTIONS],
    option: "admin-client-connections",
    library: "start",
    help: "connections that one address may have to the admin port, 0: no bound",
  }),
  /** The same for the admin port. Default 1000. */
  adminClientRate: setting({
    key: "http.adminClientRate",
    type: integer(0, MAX_CLIENT_RATE),
    default: [DEFAULT_ADMIN_CLIENT_RATE],
    option: "admin-client-rate",
    library: "start",
    help: "requests a second that one address may send to the admin port, 0: no bound",
  }),
  /** Memory of a port for bodies of requests that are not answered yet, in MiB. Default 256. */
  bodyMemoryMb: setting({
    key: "http.bodyMemoryMb",
    type: integer(1, MAX_MEMORY_MB),
    default: [DEFAULT_BODY_MEMORY_MB],
    option: "body-memory",
    library: "start",
    help: "MiB of a port for bodies of requests that are not answered yet; one client has half",
  }),
  /** Memory of a port for answers that clients have not read yet, in MiB. Default 256. */
  answerMemoryMb: setting({
    key: "http.answerMemoryMb",
    type: integer(1, MAX_MEMORY_MB),
    default: [DEFAULT_RESPONSE_MEMORY_MB],
    option: "answer-memory",
    library: "start",
    help: "MiB of a port for answers that clients have not read yet; one client has half",
  }),
  /** Seconds after which a connection ends on which nothing is asked. Default 75. */
  idleTimeout: setting({
    key: "http.idleTimeout",
    type: integer(1, MAX_IDLE_SECONDS),
    default: [DEFAULT_IDLE_SECONDS],
    option: "idle-timeout",
    library: "start",
    help: "seconds after which a connection ends on which nothing is asked",
  }),
};
