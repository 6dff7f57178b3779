// Metrics of the transaction log and of replication; empty without a transaction log.

import { Log2Histogram } from "../../../base/log2-histogram.js";
import {
  counter,
  gauge,
  histogram,
  type Sample,
  singleSample,
} from "../../../metrics/exposition.js";
import type { ReplicaReport, SubscriberReport, TrafficReport } from "../../../metrics/traffic.js";
import type { LogState, ServerView } from "../../server-view.js";

const REPLICA_STATES: readonly ReplicaReport["state"][] = [
  "leader",
  "waiting",
  "fetching",
  "catching-up",
  "caught-up",
  "orphan",
  "diverged",
  "fenced",
  "rewinding",
];

const LOG_STATES: readonly LogState[] = ["good", "low", "full", "failed"];

export function* replicationMetrics(view: ServerView): Generator<string> {
  if (!view.isLogged) return;
  const traffic = view.traffic();
  yield* logMetrics(traffic, view.logState);
  yield* backupMetrics(traffic);
  yield* replicaMetrics(traffic);
  yield* subscriberMetrics(traffic.subscribers);
}

function* logMetrics({ logBytes, flushes }: TrafficReport, now: LogState): Generator<string> {
  yield* gauge(
    "svc_transaction_log_state",
    "State of the transaction log (1 for the current state).",
    LOG_STATES.map((state): Sample => [{ state }, now === state ? 1 : 0]),
  );
  yield* gauge(
    "svc_transaction_log_bytes",
    "Size of the transaction log on disk.",
    singleSample(logBytes),
  );
  yield* histogram(
    "svc_transaction_log_flush_seconds",
    "Duration of flushes of the transaction log.",
    flushes === null ? [] : [[{}, Log2Histogram.fromRecord(flushes)]],
  );
}

function* backupMetrics({ archive }: TrafficReport): Generator<string> {
  yield* gauge(
    "svc_backup_age_seconds",
    "Time since the continuous backup had all durable changes.",
    archive === null ? [] : singleSample(archive.ageMs / 1000),
  );
  yield* gauge(
    "svc_backup_lag_transactions",
    "Durable transactions that the continuous backup lacks.",
    archive === null ? [] : singleSample(archive.lagTransactions),
  );
  yield* gauge(
    "svc_backup_verified_seconds",
    "Time since the continuous backup was last restored as a test, or since the start.",
    archive === null ? [] : singleSample(archive.verifiedMs / 1000),
  );
}

function* replicaMetrics({ replica, lagMs, in: input, out }: TrafficReport): Generator<string> {
  yield* gauge(
    "svc_replica_state",
    "State of this instance in replication (1 for the current state).",
    REPLICA_STATES.map((state): Sample => [{ state }, replica.state === state ? 1 : 0]),
  );
  yield* gauge(
    "svc_replication_lag_seconds",
    "Time that this replica is behind its provider, also while it receives nothing; 0 without lag.",
    singleSample(lagMs / 1000),
  );
  yield* counter(
    "svc_replication_bytes_total",
    "Total replicated bytes by direction.",
    directions(input.bytes, out.bytes),
  );
  yield* counter(
    "svc_replication_transactions_total",
    "Total replicated transactions by direction.",
    directions(input.transactions, out.transactions),
  );
}

function directions(input: number, out: number): readonly Sample[] {
  return [
    [{ direction: "in" }, input],
    [{ direction: "out" }, out],
  ];
}

function* subscriberMetrics(subscribers: readonly SubscriberReport[]): Generator<string> {
  const samples = (figure: (subscriber: SubscriberReport) => number): Sample[] =>
    subscribers.map((subscriber) => [{ subscriber: subscriber.uri }, figure(subscriber)]);
  yield* gauge(
    "svc_subscriber_connected",
    "Whether a subscriber of this provider is connected (1).",
    samples(({ isConnected }) => (isConnected ? 1 : 0)),
  );
  yield* gauge(
    "svc_subscriber_lag_seconds",
    "Time that a subscriber has been behind.",
    samples(({ lagMs }) => lagMs / 1000),
  );
  yield* gauge(
    "svc_subscriber_lag_transactions",
    "Transactions that a subscriber is behind.",
    samples(({ lagTransactions }) => lagTransactions),
  );
}
