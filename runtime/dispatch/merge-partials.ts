// From the partials of all partitions to one response. Items are never decoded, nor copied before
// the merged response is written: what merges is where each entry comes from.

import { ResponseError } from "../errors.js";
import type { PartialNumbers } from "../plugin/partial-layout.js";
import type { PartialView } from "../plugin/partial-view.js";
import type { EntryOrder } from "./merge-order.js";

/** A merged response; refers to the bytes of the partials. */
export interface Merged extends PartialNumbers {
  /** Partitions that did not answer. */
  readonly incomplete: number;
  /** JSON text of the metadata. */
  readonly meta: Uint8Array | null;
  /** The partials that answered, by partition. */
  readonly views: readonly PartialView[];
  readonly order: EntryOrder;
}

/**
 * Merges what the partitions answered.
 * @param partials by partition; null for one that did not answer
 * @param target the only partition that was asked, null when all were
 * @throws ResponseError whose message is that of the answer
 */
export function mergePartials(
  partials: readonly (Uint8Array | null)[],
  target: number | null = null,
): Merged {
  throw new ResponseError(`not written yet ${partials.length} ${target}`);
}
