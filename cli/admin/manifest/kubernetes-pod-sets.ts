// Assigns the instances of a system to sets of pods. The engines of a row form a StatefulSet. At
// most one pod of a set may be missing at a time. Replicas of a partition have the same ordinal,
// which spreads them over different hosts.

import type { System } from "../../../runtime/system/system.js";
import {
  type InstanceAddress,
  type PlacedInstance,
  placeInstances,
  platformName,
} from "./placement.js";

/** Pods with one template: a row of a matrix, or a single instance outside of matrices. */
export interface PodSet {
  /** Unique name within the system. */
  readonly name: string;
  /** In the order of their ordinals, from 1. */
  readonly pods: readonly [PlacedInstance, ...PlacedInstance[]];
  /** Dispatcher of the row; null: none. */
  readonly matrix: string | null;
  /** Whether clients connect to it. */
  readonly isFront: boolean;
  readonly hasData: boolean;
}

/** Equal to the first number in usual ids, so that a range of ids has a range of host names. */
export const FIRST_ORDINAL = 1;

export function placePods(system: System): PodSet[] {
  const placed = placeInstances(system);
  const isTop = ({ plan }: PlacedInstance) => isDispatcher(plan) && !plan.isBackEnd;
  const hasDispatchers = placed.some(isTop);
  const rows = new Map<string, { matrix: string | null; pods: [number, PlacedInstance][] }>();
  for (const instance of placed) {
    const position = isDispatcher(instance.plan) ? null : findPosition(system, instance.plan.id);
    const { row, matrix, partition } = position ?? {
      row: instance.name,
      matrix: null,
      partition: 0,
    };
    const { pods } = rows.get(row) ?? { pods: [] };
    rows.set(row, { matrix, pods: [...pods, [partition, instance]] });
  }
  return [...rows].map(([name, { matrix, pods }]) => {
    const sorted = pods.sort(([a], [b]) => a - b).map(([, pod]) => pod);
    const isFront = sorted.some((pod) => (hasDispatchers ? isTop(pod) : pod.plan.type !== "admin"));
    // A dispatcher stores no data, even if `common` gives it graphs.
    const hasData = sorted.some((pod) => pod.hasData && !isDispatcher(pod.plan));
    return {
      name,
      pods: sorted as [PlacedInstance, ...PlacedInstance[]],
      matrix,
      isFront,
      hasData,
    };
  });
}

export function isDispatcher({ dispatcher }: PlacedInstance["plan"]): boolean {
  return dispatcher !== null;
}

/** Returns the addresses of a set's pods. Each pod has its own host, so ports can be equal. */
export function podAddresses(
  app: string,
  { name, pods }: PodSet,
): [id: string, address: InstanceAddress][] {
  const [{ plan: first }] = pods;
  const txPort = findTxPort(pods);
  return pods.map(({ plan }, at) => {
    const pod = `${app}-${name}`;
    // The host name of a pod in the Service of peers.
    const host = isDispatcher(plan) ? pod : `${pod}-${FIRST_ORDINAL + at}.${app}-peers`;
    const hport = plan.port === first.port ? {} : { hport: first.port };
    const tport = plan.txPort === 0 || plan.txPort === txPort ? {} : { tport: txPort };
    return [plan.id, { host, ...hport, ...tport }];
  });
}

/** Returns the port on which the pods of a set receive changes; 0: none. */
export function findTxPort(pods: PodSet["pods"]): number {
  return pods.find(({ plan }) => plan.txPort > 0)?.plan.txPort ?? 0;
}

/** Returns the position in the first matrix that contains an instance. */
function findPosition(
  system: System,
  id: string,
): { row: string; matrix: string; partition: number } | null {
  for (const [dispatcher, { partitions }] of system.matrices) {
    for (const [partition, replicas] of partitions.entries()) {
      const row = replicas.indexOf(id);
      if (row < 0) continue;
      const matrix = platformName(dispatcher);
      return { row: `${matrix}-row-${row + 1}`, matrix, partition };
    }
  }
  return null;
}
