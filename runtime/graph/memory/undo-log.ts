// The journal of a graph: {arena, index, old word} for each word that a mutation has changed, so
// that it can be undone. Of a dead writer's, `CommittedCount` says whether it is to be undone or
// only to be made visible.

import type { GraphMemory } from "./graph-memory.js";
import { Header } from "./layout.js";

export const UNDO_ENTRY_WORDS = 3;
/** Added to the arena of a journal entry: the word is a sequence, which never goes back. */
export const SEQUENCE_UNDO_FLAG = 0x100;

/** Does the rest of a commit that a dead thread had begun: from then on nothing is undone. */
export function finishCommit(memory: GraphMemory, count: number): void {
  const { journal, header } = memory;
  header.words[Header.JournalCount] = 0;
  for (let entry = 0; entry < count; entry++) {
    if (journal.words[entry * UNDO_ENTRY_WORDS]! >= SEQUENCE_UNDO_FLAG)
      releaseSequence(memory, entry);
  }
  header.words[Header.CommittedCount] = 0;
}

/** Lets readers see what a sequence protects. */
export function releaseSequence({ journal, arenas }: GraphMemory, entry: number): void {
  const at = entry * UNDO_ENTRY_WORDS;
  const { words, ints } = arenas[journal.words[at]! - SEQUENCE_UNDO_FLAG]!;
  const index = journal.words[at + 1]!;
  if ((words[index]! & 1) === 1) Atomics.add(ints, index, 1);
}

/** Takes back the entries of the journal from the last one to one of them. */
export function undo(memory: GraphMemory, count: number, first = 0): void {
  const { journal, arenas, header } = memory;
  for (let entry = count - 1; entry >= first; entry--) {
    const at = entry * UNDO_ENTRY_WORDS;
    const where = journal.words[at]!;
    const index = journal.words[at + 1]!;
    const old = journal.words[at + 2]!;
    // A reader that has seen the odd value must not take the old one for "nothing happened".
    if (where < SEQUENCE_UNDO_FLAG) arenas[where]!.words[index] = old;
    else Atomics.store(arenas[where - SEQUENCE_UNDO_FLAG]!.ints, index, (old + 2) | 0);
  }
  header.words[Header.JournalCount] = first;
}
