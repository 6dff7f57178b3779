// The table of built-in services by path (http-interface, "Built-in status and metrics services").

import type { Service } from "./service.js";
import { buildService } from "./services/build.js";
import { dispatch, matrix } from "./services/dispatch.js";
import { eventsService } from "./services/events.js";
import { graphsum, objcnt } from "./services/graphs.js";
import { healthCheck, ping, storage, time } from "./services/host-info.js";
import { inspect } from "./services/inspect.js";
import { logService } from "./services/log.js";
import { meminfo, nodestat } from "./services/node.js";
import { prometheus } from "./services/prometheus/prometheus.js";
import { randomInteger, randomText } from "./services/random.js";
import { peerstat, txstat } from "./services/replication.js";
import { requestsService } from "./services/requests.js";
import { status } from "./services/status.js";
import { windowsService } from "./services/windows.js";

export const services: ReadonlyMap<string, Service> = new Map([
  ["/metrics", prometheus],
  ["/svc/build", buildService],
  ["/svc/dispatch", dispatch],
  ["/svc/events", eventsService],
  ["/svc/graphsum", graphsum],
  ["/svc/hc", healthCheck],
  ["/svc/inspect", inspect],
  ["/svc/log", logService],
  ["/svc/matrix", matrix],
  ["/svc/meminfo", meminfo],
  ["/svc/nodestat", nodestat],
  ["/svc/objcnt", objcnt],
  ["/svc/peerstat", peerstat],
  ["/svc/ping", ping],
  ["/svc/randint", randomInteger],
  ["/svc/randstr", randomText],
  ["/svc/requests", requestsService],
  ["/svc/status", status],
  ["/svc/storage", storage],
  ["/svc/time", time],
  ["/svc/txstat", txstat],
  ["/svc/windows", windowsService],
]);

/** Further paths of built-in plugins. */
export const BUILTIN_ALIASES: ReadonlyMap<string, string> = new Map([
  ["/svc/builtins", "/svc/builtin/builtins"],
  ["/svc/plugins", "/svc/builtin/plugins"],
]);
