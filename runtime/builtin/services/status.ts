// Load of the main port: rates, latency, errors, bytes.

import { MAIN_SLOTS } from "../../base/limits.js";
import { decimals } from "../format.js";
import { jsonService } from "../service.js";
import { isProxy, matrixStats } from "./matrix-stats.js";

const PERCENTILES = [50, 90, 95, 99, 99.9];

export const status = jsonService((view) => {
  const { metrics, dispatcher } = view;
  const matrix = matrixStats(dispatcher);
  const totals = metrics.totals();
  return {
    name: view.serviceName ?? "(interactive)",
    data: { in: totals.bytesIn, out: totals.bytesOut },
    connected_clients: metrics.connectedClients,
    total_clients: metrics.totalClients,
    request: {
      rate: decimals(metrics.requestRate(), 2),
      serving: view.serviceIn ? 1 : 0,
      waiting: view.waiting,
      working: view.working,
      executors: MAIN_SLOTS,
      count: totals.requests,
      plugin: totals.pluginRequests,
    },
    dispatcher: {
      enabled: dispatcher !== null,
      "front-port": view.basePort,
      "matrix-width": matrix.width,
      "matrix-height": matrix.height,
      "matrix-active-channels": matrix["active-channels"],
      "matrix-total-channels": matrix["total-channels"],
      "matrix-allow-incomplete": matrix["allow-incomplete"],
      "matrix-backlog": dispatcher?.waiting ?? -1,
      "matrix-backlog-count": dispatcher?.waited ?? 0,
      proxy: isProxy(dispatcher),
    },
    errors: {
      service: totals.serviceErrors,
      http: totals.httpErrors,
      rate: decimals(metrics.errorRate(), 2),
      codes: totals.errorsByCode,
      "executor-restarts": metrics.executorRestarts,
      "stray-exceptions": metrics.strayExceptions,
    },
    graphs: { unsaved: view.unsaved(), unloadable: view.unloadable().map(({ name }) => name) },
    log: { lost: metrics.lostLogWrites },
    io: { "busy-percent": metrics.ioBusyPercent },
    response_ms: metrics.latency(PERCENTILES),
  };
});
