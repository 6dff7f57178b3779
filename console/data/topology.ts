// Content of the map: dispatchers, partitions with their replicas and builders, other instances.
// Derived from the descriptor and the matrices instead of measurements, so that it is stable.

import { isRecord } from "./client.js";
import type { Instance } from "./instances.js";
import { parseMatrices, stateOfBackEnd } from "./matrices.js";
import { listAt, numberAt, textAt } from "./node-stat.js";

/** Requests from a dispatcher to one back-end. */
export interface Edge {
  readonly dispatcher: string;
  readonly backEnd: string;
  readonly partition: number;
  readonly row: number;
  readonly isUp: boolean;
}

export interface Lane {
  readonly title: string;
  /** Replicas that only answer. */
  readonly replicas: readonly Instance[];
  /** Instances that others replicate from. */
  readonly builders: readonly Instance[];
}

export interface Topology {
  readonly dispatchers: readonly Instance[];
  readonly lanes: readonly Lane[];
  readonly others: readonly Instance[];
  readonly edges: readonly Edge[];
}

export function buildTopology(instances: readonly Instance[]): Topology {
  const byId = new Map(instances.map((instance) => [instance.id, instance]));
  const matrices = parseMatrices(instances);
  const edges = matrices.flatMap(({ id, partitions }) =>
    partitions.flatMap((replicas, partition) =>
      replicas.flatMap((backEnd, row) => {
        const to = textAt(backEnd, "id");
        if (!isRecord(backEnd) || !byId.has(to)) return [];
        const isUp = !stateOfBackEnd(backEnd).isWarning;
        return [{ dispatcher: id, backEnd: to, partition, row, isUp }];
      }),
    ),
  );
  const isDispatcher = new Set(matrices.map(({ id }) => id));
  const providers = new Set(instances.flatMap(({ provider }) => provider ?? []));
  const lanes = groupByLane(instances, edges, isDispatcher);
  const placed = new Set([...isDispatcher, ...lanes.flatMap(([, ids]) => ids)]);
  return {
    dispatchers: instances.filter(({ id }) => isDispatcher.has(id)),
    lanes: lanes.map(([title, ids]) => {
      const members = ids.map((id) => byId.get(id)!);
      return {
        title,
        replicas: members.filter(({ id }) => !providers.has(id)),
        builders: members.filter(({ id }) => providers.has(id)),
      };
    }),
    others: instances.filter(({ id }) => !placed.has(id)),
    edges,
  };
}

/** Ids by partition; providers are in the lane of their first subscriber. */
function groupByLane(
  instances: readonly Instance[],
  edges: readonly Edge[],
  isDispatcher: ReadonlySet<string>,
): readonly (readonly [title: string, ids: readonly string[]])[] {
  const laneOf = new Map<string, string>();
  for (const { backEnd, partition } of edges) {
    if (!isDispatcher.has(backEnd)) laneOf.set(backEnd, `Partition ${partition}`);
  }
  for (const { id, provider } of instances) {
    if (provider === null) continue;
    const lane = laneOf.get(id) ?? laneOf.get(provider) ?? `Data of ${provider}`;
    laneOf.set(provider, laneOf.get(provider) ?? lane);
    laneOf.set(id, laneOf.get(id) ?? lane);
  }
  const lanes = new Map<string, string[]>();
  for (const { id } of instances) {
    const lane = laneOf.get(id);
    if (lane === undefined) continue;
    lanes.set(lane, [...(lanes.get(lane) ?? []), id]);
  }
  const number = (title: string) => Number(/\d+$/.exec(title)?.[0] ?? Number.MAX_SAFE_INTEGER);
  return [...lanes].sort(([a], [b]) => number(a) - number(b));
}

/** Requests per second that clients send: to dispatchers, or without one to all. */
export function clientRate(
  instances: readonly Instance[],
  { dispatchers, edges }: Topology,
): number {
  const below = new Set(edges.map(({ backEnd }) => backEnd));
  const top = dispatchers.filter(({ id }) => !below.has(id));
  const asked = top.length > 0 ? top : instances;
  return asked.reduce((sum, { node }) => sum + numberAt(node, "service-rate"), 0);
}

/** Sum of a metric over builders, or without one over all. */
export function sumOfData(instances: readonly Instance[], name: string): number {
  const builders = instances.filter(({ type }) => type === "builder");
  const asked = builders.length > 0 ? builders : instances;
  return asked.reduce((sum, { node }) => sum + numberAt(node, name), 0);
}

/**
 * Returns the largest lag, and the number of subscribers: all, those connected, and those with the
 * data of their provider.
 */
export function replicationState(instances: readonly Instance[]) {
  const byId = new Map(instances.map((instance) => [instance.id, instance]));
  const subscribers = instances.filter(({ provider }) => provider !== null);
  const equal = subscribers.filter(({ node, provider }) => {
    const digest = textAt(node, "digest");
    return digest !== "" && digest === textAt(byId.get(provider!)?.node, "digest");
  });
  const connections = instances.flatMap(({ node }) => listAt(node, "subscribers"));
  const lags = connections.map((connection) => numberAt(connection, "lag_ms"));
  const connected = connections.filter(
    (connection) => textAt(connection, "status") === "CONNECTED",
  );
  return {
    subscribers: subscribers.length,
    connected: Math.min(connected.length, subscribers.length),
    equal: equal.length,
    lagMs: Math.max(0, ...lags),
  };
}
