// Plans the minimum number of slot moves that gives each of the receiving groups an equal share.

import { SlotMap, type SlotRuns } from "./slot-map.js";

export interface PlannedMove {
  readonly from: string;
  readonly to: string;
  readonly slots: readonly number[];
}

/**
 * @param groups names of the owners in the map, by number
 * @param receivers groups that share the slots after the moves
 */
export function planSlotMoves(
  map: SlotRuns,
  groups: readonly string[],
  receivers: readonly string[],
): PlannedMove[] {
  const owners = new SlotMap(map);
  const owned = new Map([...groups, ...receivers].map((group) => [group, [] as number[]]));
  for (let slot = 0; slot < map.count; slot++) owned.get(groups[owners.ownerOf(slot)]!)!.push(slot);
  const quotas = apportion(map.count, receivers, (group) => owned.get(group)!.length);
  const surplus = [...owned].flatMap(([from, slots]) => {
    return slots.slice(quotas.get(from) ?? 0).map((slot) => ({ from, slot }));
  });
  const moves = new Map<string, { from: string; to: string; slots: number[] }>();
  for (const [to, quota] of quotas) {
    for (let left = quota - owned.get(to)!.length; left > 0; left--) {
      const { from, slot } = surplus.shift()!;
      const name = `${from} ${to}`;
      const move = moves.get(name) ?? { from, to, slots: [] };
      moves.set(name, move);
      move.slots.push(slot);
    }
  }
  return [...moves.values()];
}

/** Computes the quotas. A remainder goes to the groups that already have the most slots. */
function apportion(
  count: number,
  receivers: readonly string[],
  countOwned: (group: string) => number,
): Map<string, number> {
  const minimum = Math.floor(count / receivers.length);
  const remainder = count % receivers.length;
  const byCount = [...receivers].sort((a, b) => countOwned(b) - countOwned(a));
  return new Map(byCount.map((group, rank) => [group, minimum + (rank < remainder ? 1 : 0)]));
}
