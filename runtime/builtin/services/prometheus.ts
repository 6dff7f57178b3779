// All metrics in the Prometheus text format, on the admin port. Requests are those of the main
// port; counters count from the start of the process, independent of resets.

import { ADMIN_SLOTS, MAIN_SLOTS } from "../../base/limits.js";
import type { BackEnd } from "../../dispatch/back-end.js";
import type { Dispatcher } from "../../dispatch/dispatcher.js";
import { memoryUsage, pooledBytes } from "../../graph/status/memory-usage.js";
import {
  counter,
  EXPOSITION_TYPE,
  gauge,
  histogram,
  type Labels,
  type Sample,
  singleSample,
} from "../../metrics/exposition.js";
import type { ServerView } from "../server-view.js";
import type { Service } from "../service.js";

const STATES = ["up", "down", "ejected"] as const;
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
  yield* requestFigures(view);
  yield* pluginFigures(view);
  yield* executorFigures(view);
  yield* graphFigures(view);
  yield* processFigures(view);
  if (view.dispatcher !== null) yield* dispatchFigures(view.dispatcher);
}

function* requestFigures(view: ServerView): Generator<string> {
  const { metrics } = view;
  const totals = metrics.everCounted();
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

function* pluginFigures({ tallies }: ServerView): Generator<string> {
  const all = [...tallies.all()];
  yield* histogram(
    "svc_plugin_latency_seconds",
    "Plugin request latency in seconds.",
    all.map(({ name, latency }) => [{ plugin: name }, latency]),
  );
  yield* counter(
    "svc_plugin_errors_total",
    "Total plugin error responses by status code.",
    all.flatMap(({ name, errors }) =>
      [...errors].map(([code, count]): Sample => [{ plugin: name, code }, count]),
    ),
  );
}

function* executorFigures({ metrics, waiting, working, admin }: ServerView): Generator<string> {
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

function* graphFigures(view: ServerView): Generator<string> {
  const graphs = view.graphs().map(({ store }) => store);
  const unsaved = new Set(view.unsaved());
  const samples = (figure: (store: (typeof graphs)[number]) => number): Sample[] =>
    graphs.map((store) => [{ graph: store.name }, figure(store)]);
  const bytes = samples((store) => pooledBytes(memoryUsage(store)));
  yield* gauge(
    "svc_graph_vertices",
    "Vertices of a graph.",
    samples(({ order }) => order),
  );
  yield* gauge(
    "svc_graph_arcs",
    "Arcs of a graph.",
    samples(({ size }) => size),
  );
  yield* gauge(
    "svc_graph_properties",
    "Properties of a graph.",
    samples(({ propertyCount }) => propertyCount),
  );
  yield* gauge("svc_graph_memory_bytes", "Shared memory that a graph uses.", bytes);
  yield* counter(
    "svc_graph_operations_total",
    "Total operations applied to a graph.",
    samples(({ operationCount }) => operationCount),
  );
  yield* gauge(
    "svc_graph_unsaved",
    "Whether the last save of a graph failed (1).",
    samples(({ name }) => (unsaved.has(name) ? 1 : 0)),
  );
  yield* gauge(
    "svc_graphs_unloadable",
    "Graphs that failed to open.",
    singleSample(view.unloadable().length),
  );
}

function* processFigures({ metrics, startedAtMs }: ServerView): Generator<string> {
  const { rss, external } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  yield* gauge("process_resident_memory_bytes", "Memory of the process.", singleSample(rss));
  yield* gauge(
    "svc_external_memory_bytes",
    "Buffer memory of the IO thread.",
    singleSample(external),
  );
  yield* gauge(
    "svc_io_busy_ratio",
    "Utilization of the IO thread in the last second, 0 to 1.",
    singleSample(metrics.ioBusyPercent / 100),
  );
  yield* counter(
    "process_cpu_seconds_total",
    "Total CPU time.",
    singleSample((user + system) / 1e6),
  );
  yield* gauge("process_start_time_seconds", "Start since 1970.", singleSample(startedAtMs / 1000));
  yield* counter(
    "svc_log_lost_writes_total",
    "Total log entries dropped.",
    singleSample(metrics.lostLogWrites),
  );
}

function* dispatchFigures(dispatcher: Dispatcher): Generator<string> {
  const all = [...dispatcher.matrix.all()];
  const samples = (figure: (backEnd: BackEnd) => number): Sample[] =>
    all.map((backEnd) => [labelsOf(backEnd), figure(backEnd)]);
  yield* gauge(
    "svc_dispatch_waiting",
    "Requests queued for back-ends.",
    singleSample(dispatcher.waiting),
  );
  yield* gauge(
    "svc_dispatch_running",
    "Requests in flight to back-ends.",
    singleSample(runningIn(dispatcher)),
  );
  yield* histogram("svc_dispatch_wait_seconds", "Queue wait for back-ends in seconds.", [
    [{}, dispatcher.waits],
  ]);
  yield* gauge(
    "svc_backend_state",
    "State of a back-end (1 for the current state).",
    all.flatMap((backEnd) =>
      STATES.map((state): Sample => {
        return [{ ...labelsOf(backEnd), state }, backEnd.state === state ? 1 : 0];
      }),
    ),
  );
  yield* gauge(
    "svc_backend_in_flight",
    "Requests that a back-end has.",
    samples(({ running }) => running),
  );
  yield* gauge(
    "svc_backend_connections",
    "Open connections to a back-end.",
    samples(({ openChannels }) => openChannels),
  );
  const asked = all.filter(({ figures }) => figures.latency.count > 0);
  yield* histogram(
    "svc_backend_latency_seconds",
    "Back-end response latency in seconds.",
    asked.map((backEnd) => [labelsOf(backEnd), backEnd.figures.latency]),
  );
  yield* counter(
    "svc_backend_failures_total",
    "Total back-end failures by reason.",
    all.flatMap((backEnd) =>
      Object.entries(backEnd.figures.failures).map(([reason, count]): Sample => {
        return [{ ...labelsOf(backEnd), reason }, count];
      }),
    ),
  );
  yield* counter(
    "svc_backend_retries_total",
    "Total retries and hedges sent to a back-end.",
    samples(({ figures }) => figures.retries),
  );
}

function runningIn({ working, waiting }: Dispatcher): number {
  return Math.max(0, working - waiting);
}

function labelsOf({ place, address }: BackEnd): Labels {
  const { partition, replica } = place;
  return { partition, replica, address: `${address.host}:${address.port}` };
}
