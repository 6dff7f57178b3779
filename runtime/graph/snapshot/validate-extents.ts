// Consistency of a snapshot: the extents in the graph header must match those in the file.
// Checksums detect corruption; this detects files that were written wrongly.

import { ARENAS, Header } from "../memory/layout.js";
import { usedWordsInArena } from "../memory/used-words.js";
import { CorruptSnapshotError } from "./corrupt-snapshot.js";
import type { StoredArena } from "./snapshot-format.js";

/**
 * @param words graph header, in the order of `ARENAS`
 * @param arenas arenas in the file
 * @throws CorruptSnapshotError
 */
export function validateArenaExtents(words: Uint32Array, arenas: readonly StoredArena[]): void {
  const isWhole = ARENAS.every((name, id) => {
    const stored = arenas.find((arena) => arena.name === name);
    if (stored === undefined) return true;
    const used = usedWordsInArena(words, name, id);
    // These end at the highest vertex that ever had properties or a vector.
    const isPart = name === "groups" || name === "vectorSlots" || name === "textVersions";
    return isPart ? stored.words <= used : stored.words === used;
  });
  const handleEnd = words[Header.HandleEnd]!;
  if (
    !isWhole ||
    handleEnd < 1 ||
    words[Header.FreeHandle]! >= handleEnd ||
    words[Header.Order]! >= handleEnd ||
    words[Header.Unfinished] !== 0
  ) {
    throw new CorruptSnapshotError("inconsistent sections");
  }
}
