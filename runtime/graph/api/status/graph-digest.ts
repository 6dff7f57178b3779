// Digest and size of a graph, to compare members of a group.

import { usedWords } from "../../memory/used-words.js";
import type { GraphStore } from "../../store/graph-store.js";
import { digestCheckpoint } from "../../store/verify-digest.js";

/** Returns text that is equal for equal contents; "" if the digest is not available. */
export function describeDigest(store: GraphStore): string {
  const checkpoint = digestCheckpoint(store);
  return checkpoint === null ? "" : `${checkpoint.count} ${checkpoint.digest}`;
}

export function measureBytes({ memory }: GraphStore): number {
  return usedWords(memory).reduce((sum, words) => sum + words * 4, 0);
}
