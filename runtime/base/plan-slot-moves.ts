// Which slots move so that each of some groups has an equal share: as few as possible.

import { SlotMap, type SlotRuns } from "./slot-map.js";

export interface PlannedMove {
  readonly from: string;
  readonly to: string;
  readonly slots: readonly number[];
}

/**
 * @param groups owners of the map, by number
 * @param kept groups that share the slots afterwards
 */
export function planSlotMoves(
  map: SlotRuns,
  groups: readonly string[],
  kept: readonly string[],
): PlannedMove[] {
  const owners = new SlotMap(map);
  const owned = new Map([...groups, ...kept].map((group) => [group, [] as number[]]));
  for (let slot = 0; slot < map.count; slot++) owned.get(groups[owners.ownerOf(slot)]!)!.push(slot);
  const quotas = apportion(map.count, kept, (group) => owned.get(group)!.length);
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

/** Groups with most slots keep one more, where the slots are not divisible. */
function apportion(
  count: number,
  kept: readonly string[],
  has: (group: string) => number,
): Map<string, number> {
  const least = Math.floor(count / kept.length);
  const rest = count % kept.length;
  const byCount = [...kept].sort((a, b) => has(b) - has(a));
  return new Map(byCount.map((group, place) => [group, least + (place < rest ? 1 : 0)]));
}
