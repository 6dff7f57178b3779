// Metrics of jobs: runs by outcome, missed runs, and the last run. The label `job` is not used:
// Prometheus sets it.

import { counter, gauge, type Sample } from "../../../metrics/exposition.js";
import type { ServerView } from "../../server-view.js";

export function* jobMetrics(view: ServerView): Generator<string> {
  const jobs = view.jobs();
  if (jobs.length === 0) return;
  yield* counter(
    "svc_job_runs_total",
    "Total runs of a job by outcome.",
    jobs.flatMap(({ name, counts }) =>
      Object.entries(counts).map(([outcome, count]): Sample => [{ name, outcome }, count]),
    ),
  );
  yield* counter(
    "svc_job_missed_total",
    "Total runs of a job that were missed.",
    jobs.map(({ name, missed }) => [{ name }, missed]),
  );
  yield* gauge(
    "svc_job_running",
    "Whether a job is running (1).",
    jobs.map(({ name, running }) => [{ name }, running === null ? 0 : 1]),
  );
  const ended = jobs.flatMap(({ name, runs: [last] }) => (last ? [{ name, last }] : []));
  yield* gauge(
    "svc_job_last_timestamp_seconds",
    "Start of the last completed run of a job since 1970.",
    ended.map(({ name, last }) => [{ name }, last.startedMs / 1000]),
  );
  yield* gauge(
    "svc_job_last_duration_seconds",
    "Duration of the last completed run of a job in seconds.",
    ended.map(({ name, last }) => [{ name }, last.durationMs / 1000]),
  );
}
