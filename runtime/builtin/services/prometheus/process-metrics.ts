// Metrics of the process and of its threads.

import { counter, gauge, type Sample, singleSample } from "../../../metrics/exposition.js";
import { type ThreadGauge, threadGauges } from "../../../metrics/thread-gauges.js";
import type { ServerView } from "../../server-view.js";
import { openDescriptors } from "./open-descriptors.js";

export function* processMetrics({ metrics, startedAtMs }: ServerView): Generator<string> {
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
  const descriptors = openDescriptors();
  if (descriptors === null) return;
  yield* gauge("process_open_fds", "Open file descriptors.", singleSample(descriptors.open));
  yield* gauge(
    "process_max_fds",
    "Limit of open file descriptors.",
    singleSample(descriptors.limit),
  );
}

export function* threadMetrics(): Generator<string> {
  const threads = threadGauges();
  const samples = (figure: (gauge: ThreadGauge) => number): Sample[] =>
    threads.map((measured) => [{ thread: measured.thread }, figure(measured)]);
  yield* gauge(
    "svc_thread_heap_bytes",
    "Used heap of a thread.",
    samples(({ heapBytes }) => heapBytes),
  );
  yield* gauge(
    "svc_thread_event_loop_lag_seconds",
    "Delay of a timer in the event loop of a thread.",
    samples(({ lagSeconds }) => lagSeconds),
  );
  yield* gauge(
    "svc_thread_blocked_seconds",
    "Time since a thread last ran a timer that is due every second.",
    samples(({ ageSeconds }) => ageSeconds),
  );
  yield* counter(
    "svc_thread_gc_seconds_total",
    "Total time of a thread in garbage collection.",
    samples(({ gcSeconds }) => gcSeconds),
  );
}
