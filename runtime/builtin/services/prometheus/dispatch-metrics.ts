// Metrics of a dispatcher: its queue, and each back-end.

import type { BackEnd } from "../../../dispatch/back-end.js";
import type { Dispatcher } from "../../../dispatch/dispatcher.js";
import {
  counter,
  gauge,
  histogram,
  type Labels,
  type Sample,
  singleSample,
} from "../../../metrics/exposition.js";

const STATES = ["up", "down", "ejected"] as const;

export function* dispatchMetrics(dispatcher: Dispatcher): Generator<string> {
  const backEnds = [...dispatcher.matrix.all()];
  const samples = (figure: (backEnd: BackEnd) => number): Sample[] =>
    backEnds.map((backEnd) => [labelsOf(backEnd), figure(backEnd)]);
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
    backEnds.flatMap((backEnd) =>
      STATES.map((state): Sample => {
        return [{ ...labelsOf(backEnd), state }, backEnd.state === state ? 1 : 0];
      }),
    ),
  );
  yield* gauge(
    "svc_backend_in_flight",
    "Requests in flight to a back-end.",
    samples(({ running }) => running),
  );
  yield* gauge(
    "svc_backend_connections",
    "Open connections to a back-end.",
    samples(({ openChannels }) => openChannels),
  );
  const used = backEnds.filter(({ metrics }) => metrics.latency.count > 0);
  yield* histogram(
    "svc_backend_latency_seconds",
    "Back-end response latency in seconds.",
    used.map((backEnd) => [labelsOf(backEnd), backEnd.metrics.latency]),
  );
  yield* counter(
    "svc_backend_failures_total",
    "Total back-end failures by reason.",
    backEnds.flatMap((backEnd) =>
      Object.entries(backEnd.metrics.failures).map(([reason, count]): Sample => {
        return [{ ...labelsOf(backEnd), reason }, count];
      }),
    ),
  );
  yield* counter(
    "svc_backend_retries_total",
    "Total retries and hedges sent to a back-end.",
    samples(({ metrics }) => metrics.retries),
  );
}

function runningIn({ working, waiting }: Dispatcher): number {
  return Math.max(0, working - waiting);
}

function labelsOf({ position, address }: BackEnd): Labels {
  const { partition, replica } = position;
  return { partition, replica, address: `${address.host}:${address.port}` };
}
