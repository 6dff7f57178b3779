// Entries and groups of one partition, as dispatchers merge them.

import { MAX_FACET_VALUES } from "../../../base/limits.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { HitBuffer } from "../hits/hit-buffer.js";
import type { HitGroups } from "../hits/hit-groups.js";
import type { HitOrder } from "../hits/hit-order.js";
import { describeHit } from "../hits/page-position.js";
import type { PartialEntry, PartialGroups } from "./partial-result.js";
import { encodeSortKey } from "./sort-key.js";

/** Hits of rendered entries. */
interface PlacedHits {
  readonly hits: HitBuffer;
  /** In sort order; null if hits are in order. */
  readonly slots: Uint32Array | null;
  readonly groups: HitGroups | null;
  /** Place of each entry in sort order; empty if entries are at the first places. */
  readonly places: readonly number[];
}

/** Key of entries without an order; not empty, since that is the key of heads. */
const UNSORTED = Uint8Array.of(1);

/** Returns rendered entries with the keys that they are sorted by. */
export function keyEntries(
  store: GraphStore,
  order: HitOrder | null,
  { hits, slots, groups, places }: PlacedHits,
  entries: readonly unknown[],
): PartialEntry[] {
  return entries.map((entry, index) => {
    const at = places[index] ?? index;
    const slot = slots === null ? at : slots[at]!;
    const key =
      order === null
        ? UNSORTED
        : encodeSortKey(describeHit(store, order, hits, slot), order.isByNameDescending);
    return { key, item: groups === null ? [entry] : [entry, groups.valueAt(at)] };
  });
}

export function describeGroups(groups: HitGroups): PartialGroups {
  const { firsts, earlier } = groups;
  return {
    values: groups.partials(),
    earlier: earlier.slice(0, MAX_FACET_VALUES),
    isCut: Math.max(firsts.length, earlier.length) > MAX_FACET_VALUES,
  };
}
