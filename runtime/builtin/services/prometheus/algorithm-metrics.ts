// Metrics of algorithms over whole graphs.

import { counter, gauge, type Sample, singleSample } from "../../../metrics/exposition.js";
import type { ServerView } from "../../server-view.js";

export function* algorithmMetrics(view: ServerView): Generator<string> {
  const { running, counts, restarts } = view.algorithms();
  yield* gauge(
    "svc_algorithms_running",
    "Running algorithms over whole graphs.",
    singleSample(running.length),
  );
  yield* counter(
    "svc_algorithms_total",
    "Total algorithms over whole graphs by outcome.",
    Object.entries(counts).map(([outcome, count]): Sample => [{ outcome }, count]),
  );
  yield* counter(
    "svc_algorithm_thread_restarts_total",
    "Total restarts of the thread of algorithms.",
    singleSample(restarts),
  );
}
