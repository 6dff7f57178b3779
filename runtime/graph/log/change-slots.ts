// Change of the content of slots, for moves of slots between groups.

import type { GraphStore } from "../store/graph-store.js";
import { readonlyError } from "../store/readonly-error.js";

/** @throws AccessError if the graph is read-only, such as that of a leader that was replaced */
export function changeSlots(store: GraphStore, act: () => void): void {
  store.writer.mutate(() => {
    if (store.isReadonly) throw readonlyError(store);
    act();
  });
}
