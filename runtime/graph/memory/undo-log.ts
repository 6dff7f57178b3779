// Undo log of a graph: one {arena, index, old word} entry per word that the running change
// modified. For the log of a dead writer, `CommittedCount` tells whether to roll it back or only to
// complete the commit.

import { assert } from "../../base/assert.js";
import type { GraphMemory } from "./graph-memory.js";
import { Header } from "./layout.js";

export const UNDO_ENTRY_WORDS = 3;
/** Added to the arena of an entry: the word is a sequence, which never decreases. */
export const SEQUENCE_UNDO_FLAG = 0x100;

/** Completes a commit that a dead thread had started; nothing is rolled back from then on. */
export function finishCommit(memory: GraphMemory, count: number): void {
  const { journal, header } = memory;
  header.words[Header.UndoCount] = 0;
  for (let entry = 0; entry < count; entry++) {
    if (journal.words[entry * UNDO_ENTRY_WORDS]! >= SEQUENCE_UNDO_FLAG)
      releaseSequence(memory, entry);
  }
  header.words[Header.CommittedCount] = 0;
}

/** Makes the protected words visible to readers by making the sequence even. */
export function releaseSequence({ journal, arenas }: GraphMemory, entry: number): void {
  const at = entry * UNDO_ENTRY_WORDS;
  const { words, ints } = arenas[journal.words[at]! - SEQUENCE_UNDO_FLAG]!;
  const index = journal.words[at + 1]!;
  if ((words[index]! & 1) === 1) Atomics.add(ints, index, 1);
}

/** Rolls back the undo log from its last entry down to entry `first`. */
export function undo(memory: GraphMemory, count: number, first = 0): void {
  const { journal, arenas, header } = memory;
  assert(count * UNDO_ENTRY_WORDS <= journal.words.length, "the undo log holds its entries");
  for (let entry = count - 1; entry >= first; entry--) {
    const at = entry * UNDO_ENTRY_WORDS;
    const where = journal.words[at]!;
    const index = journal.words[at + 1]!;
    const old = journal.words[at + 2]!;
    // Sequences are not restored: a reader that saw one twice would conclude that nothing changed.
    if (where < SEQUENCE_UNDO_FLAG) arenas[where]!.words[index] = old;
    else Atomics.store(arenas[where - SEQUENCE_UNDO_FLAG]!.ints, index, (old + 2) | 0);
  }
  header.words[Header.UndoCount] = first;
  if (count > first) header.words[Header.Rollbacks]!++;
}
