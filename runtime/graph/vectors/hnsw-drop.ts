// Frees a dropped index in small mutations: its nodes, and slots that only the index retained. No
// search uses the index any more. If the thread dies, the next builder continues.

import type { HnswBuilder } from "./hnsw-builder.js";
import { HnswLinks } from "./hnsw-links.js";
import { VectorIndex } from "./index-layout.js";
import { Slot, Space } from "./vector-layout.js";
import type { VectorTable } from "./vector-table.js";

/** Nodes removed per mutation. */
const BATCH = 256;
/** Words to reset after all nodes are removed; `Sweeps` is never reset. */
const CLEARED = [
  ...[VectorIndex.EntrySlot, VectorIndex.TopLevel, VectorIndex.Nodes, VectorIndex.Dead],
  ...[VectorIndex.CompleteTo, VectorIndex.IsComplete, VectorIndex.Dropping],
];

/** Frees the whole index, yielding after each batch. */
export function* dropIndex(
  table: VectorTable,
  space: number,
  builder: HnswBuilder,
): Generator<undefined, void, void> {
  const { writer } = table;
  const { memory } = writer;
  const index = table.readSpace(space, Space.Index);
  const links = new HnswLinks(writer, table.readSpace(space, Space.Length));
  const hasNode = (slot: number, words: Uint32Array): boolean =>
    words[slot + Slot.Vertex] !== 0 && words[slot + Slot.Node] !== 0;
  let batch: number[] = [];
  const remove = (): void => {
    writer.mutate(() => {
      if (!builder.exists) return;
      // If a vertex has received another vector meanwhile, its old slot is in the retired list.
      for (const slot of batch) if (hasNode(slot, memory.vectors.words)) links.remove(slot);
    });
    batch = [];
  };
  for (const slot of builder.slots(hasNode)) {
    if (batch.push(slot) < BATCH) continue;
    remove();
    yield;
  }
  remove();
  for (const list of [VectorIndex.Retired, VectorIndex.Sweeping]) {
    while (builder.exists && memory.lists.words[index + list] !== 0) {
      writer.mutate(() => {
        for (let count = 0; count < BATCH && builder.exists; count++) {
          const slot = memory.lists.words[index + list]!;
          if (slot === 0) return;
          writer.put(memory.lists, index + list, memory.vectors.words[slot + Slot.Scale]!);
          links.remove(slot);
          table.freeSlot(slot, space);
        }
      });
      yield;
    }
  }
  writer.mutate(() => {
    if (!builder.exists) return;
    for (const word of CLEARED) writer.put(memory.lists, index + word, 0);
  });
}
