// Enumerates the vertices that have a vector, by the slots of a space.

import { computeStride, SLAB_WORDS, Slab, Slot, Space } from "./vector-layout.js";
import type { VectorTable } from "./vector-table.js";

/** Yields vertices with a vector in a space, up to `size` at once. */
export function* listVertices(
  table: VectorTable,
  space: number,
  size: number,
): Generator<number[], void, void> {
  const stride = computeStride(table.readSpace(space, Space.Length));
  let slab = table.readSpace(space, Space.FirstSlab);
  while (slab !== 0 && table.exists) {
    table.writer.memory.refresh();
    const { words } = table.memory;
    const used = words[slab + Slab.Used]!;
    for (let first = 0; first < used; first += size) {
      const vertices: number[] = [];
      for (let at = first; at < Math.min(used, first + size); at++) {
        const vertex = words[slab + SLAB_WORDS + at * stride + Slot.Vertex]!;
        if (vertex !== 0) vertices.push(vertex);
      }
      if (vertices.length > 0) yield vertices;
    }
    slab = table.memory.words[slab + Slab.Next]!;
  }
}
