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
  const places = listPlaces(system);
  return placed.map((one) => {
    const place = places.get(one.plan.id);
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

type Place = Readonly<Record<"row" | "partition", string>>;

/** Returns the place of each back-end in the first matrix that contains it. */
function listPlaces(system: System): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const [dispatcher, { partitions }] of system.matrices) {
    const name = platformName(dispatcher);
    for (const [partition, replicas] of partitions.entries()) {
      for (const [row, id] of replicas.entries()) {
        if (places.has(id)) continue;
        const place = {
          row: `${name}-row-${row + 1}`,
          partition: `${name}-partition-${partition + 1}`,
        };
        places.set(id, place);
      }
    }
  }
  return places;
}
