// All metrics in the Prometheus text format, on the admin port. Requests are those of the main
// port; counters count from the start of the process, independent of resets.

import { ADMIN_SLOTS, MAIN_SLOTS } from "../../../base/limits.js";
import {
  counter,
  EXPOSITION_TYPE,
  gauge,
  histogram,
  type Sample,
  singleSample,
} from "../../../metrics/exposition.js";
import type { ServerView } from "../../server-view.js";
import type { Service } from "../../service.js";
import { algorithmMetrics } from "./algorithm-metrics.js";
import { dispatchMetrics } from "./dispatch-metrics.js";
import { graphMetrics } from "./graph-metrics.js";
import { jobMetrics } from "./job-metrics.js";
import { processMetrics, threadMetrics } from "./process-metrics.js";
import { replicationMetrics } from "./replication-metrics.js";
import { transportMetrics } from "./transport-metrics.js";

const PORTS = [
  ["main", 0, MAIN_SLOTS],
  ["admin", MAIN_SLOTS, ADMIN_SLOTS],
] as const;

export const prometheus: Service = {
  mediaType: EXPOSITION_TYPE,
  countsInMetrics: false,
  isAdminOnly: true,
  handle: exposition,
};

function* exposition(view: ServerView): Generator<string> {
  yield* requestMetrics(view);
  yield* transportMetrics(view);
  yield* pluginMetrics(view);
  yield* executorMetrics(view);
  yield* jobMetrics(view);
  yield* graphMetrics(view);
  yield* algorithmMetrics(view);
  yield* replicationMetrics(view);
  yield* processMetrics(view);
  yield* threadMetrics();
  if (view.dispatcher !== null) yield* dispatchMetrics(view.dispatcher);
}

function* requestMetrics(view: ServerView): Generator<string> {
  const { metrics } = view;
  const totals = metrics.totalsSinceStart();
  const codes = Object.entries(totals.errorsByCode);
  yield* counter("svc_requests_total", "Total completed requests.", singleSample(totals.requests));
  yield* counter(
    "svc_errors_total",
    "Total error responses by status code.",
    codes.map(([code, count]) => [{ code }, count]),
  );
  yield* counter(
    "svc_received_bytes_total",
    "Total request bytes received.",
    singleSample(totals.bytesIn),
  );
  yield* counter(
    "svc_sent_bytes_total",
    "Total response bytes sent.",
    singleSample(totals.bytesOut),
  );
  yield* gauge("svc_connections", "Open connections.", singleSample(metrics.connectedClients));
  yield* counter(
    "svc_connections_total",
    "Total accepted connections.",
    singleSample(metrics.totalClients),
  );
  yield* gauge(
    "svc_serving",
    "Whether the service is in (1) or out (0).",
    singleSample(view.serviceIn ? 1 : 0),
  );
}

function* pluginMetrics({ pluginCounters }: ServerView): Generator<string> {
  const counters = [...pluginCounters.all()];
  yield* histogram(
    "svc_plugin_latency_seconds",
    "Plugin request latency in seconds.",
    counters.map(({ name, latency }) => [{ plugin: name }, latency]),
  );
  yield* counter(
    "svc_plugin_errors_total",
    "Total plugin error responses by status code.",
    counters.flatMap(({ name, errors }) =>
      [...errors].map(([code, count]): Sample => [{ plugin: name, code }, count]),
    ),
  );
}

function* executorMetrics({ metrics, waiting, working, admin }: ServerView): Generator<string> {
  yield* gauge("svc_queue_waiting", "Requests queued for an executor.", [
    [{ port: "main" }, waiting],
    [{ port: "admin" }, admin.waiting],
  ]);
  yield* gauge("svc_queue_running", "Requests running in executors.", [
    [{ port: "main" }, working],
    [{ port: "admin" }, admin.working],
  ]);
  yield* counter(
    "svc_slot_jobs_total",
    "Total requests run per slot.",
    slots((slot) => metrics.slot(slot).jobs),
  );
  yield* gauge(
    "svc_slot_busy_ratio",
    "Utilization of a slot in the last second, 0 to 1.",
    slots((slot) => metrics.slot(slot).busyPercent / 100),
  );
  yield* counter(
    "svc_executor_restarts_total",
    "Total executors replaced.",
    singleSample(metrics.executorRestarts),
  );
  yield* counter(
    "svc_stray_exceptions_total",
    "Total uncaught plugin exceptions outside requests.",
    singleSample(metrics.strayExceptions),
  );
  yield* counter(
    "svc_inline_left_total",
    "Inline plugins demoted to executors for being too slow.",
    singleSample(metrics.leftInline),
  );
}

function* slots(figure: (slot: number) => number): Generator<Sample> {
  for (const [port, first, count] of PORTS) {
    for (let slot = 0; slot < count; slot++) {
      yield [{ port, executor: slot }, figure(first + slot)];
    }
  }
}
