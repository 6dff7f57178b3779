// Whether the parts of a snapshot fit together: what the graph's own header says is in use must be
// what the file holds. Checksums say that a file is as it was written; this says that it was
// written as it should be.

import { ARENAS, Header } from "../memory/layout.js";
import { CorruptSnapshotError } from "./corrupt-snapshot.js";
import type { StoredArena } from "./snapshot-format.js";
import { usedWordsInArena } from "./stored-arenas.js";

/**
 * @param words the header of the graph, in the order of `ARENAS`
 * @param arenas what the file holds
 * @throws CorruptSnapshotError
 */
export function validateArenaExtents(words: Uint32Array, arenas: readonly StoredArena[]): void {
  const isWhole = ARENAS.every((name, id) => {
    const stored = arenas.find((arena) => arena.name === name);
    if (stored === undefined) return true;
    const used = usedWordsInArena(words, name, id);
    // They reach as far as there have been properties and vectors.
    const isPart = name === "groups" || name === "vectorSlots";
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
    throw new CorruptSnapshotError("its parts do not fit together");
  }
}
