// Where the pods of a system belong: their row, which may lose one of them at a time, and their
// partition, whose replicas run on different hosts.

import type { System } from "../../../runtime/system/system.js";
import { type PlacedInstance, placeInstances, platformName } from "./placement.js";

export interface Pod extends PlacedInstance {
  /** Row of a matrix; otherwise the instance itself. */
  readonly row: string;
  /** Null: in no matrix. */
  readonly partition: string | null;
  /** Whether clients call it. */
  readonly isFront: boolean;
}

export function placePods(system: System): Pod[] {
  const placed = placeInstances(system);
  const isTop = ({ plan }: PlacedInstance) => plan.dispatcher !== null && !plan.isBackEnd;
  const hasDispatchers = placed.some(isTop);
  return placed.map((one) => {
    const place = findPlace(system, one.plan.id);
    const isFront = hasDispatchers ? isTop(one) : one.plan.type !== "admin";
    // A dispatcher keeps nothing, whatever graphs are common to all instances.
    const hasData = one.hasData && one.plan.dispatcher === null;
    return {
      ...one,
      hasData,
      row: place?.row ?? one.name,
      partition: place?.partition ?? null,
      isFront,
    };
  });
}

/** Returns the name that other instances find a pod by. */
export function podHost(app: string, { plan, name }: Pod): string {
  // The first pod of a set, by the name that the Service of the set gives it.
  return plan.dispatcher === null ? `${app}-${name}-0.${app}-peers` : `${app}-${name}`;
}

/** Returns the place in the first matrix that contains an instance. */
function findPlace(system: System, id: string): { row: string; partition: string } | null {
  for (const [dispatcher, { partitions }] of system.matrices) {
    for (const [partition, replicas] of partitions.entries()) {
      const row = replicas.indexOf(id);
      if (row < 0) continue;
      const name = platformName(dispatcher);
      return { row: `${name}-row-${row + 1}`, partition: `${name}-partition-${partition + 1}` };
    }
  }
  return null;
}
