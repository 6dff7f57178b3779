// Checks constraints from outside: each unique value leads to its vertex, and the table has no
// other entries.

import * as assert from "uvu/assert";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import { isUnique } from "../../../../runtime/graph/store/constraint-rules.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import type { Block } from "./check-blocks.js";

const UNIT_WORDS = 16;

/** Blocks of `lists` that describe constraints. */
export function listDescriptors({ memory }: GraphStore): Block[] {
  const blocks: Block[] = [];
  const { words } = memory.lists;
  for (
    let constraint = memory.header.words[Header.Constraints]!;
    constraint !== 0;
    constraint = words[constraint]!
  ) {
    blocks.push([constraint, UNIT_WORDS]);
  }
  return blocks;
}

/** @param entries vertices in the table of unique values */
export function checkUniqueValues(
  store: GraphStore,
  used: readonly number[],
  entries: readonly number[],
): void {
  const { constraints, vertices, properties } = store;
  const { groups } = properties;
  const remaining = new Map<number, number>();
  for (const { type, key, rules } of constraints.all()) {
    if (!isUnique(rules)) continue;
    for (const vertex of used) {
      if (vertices.typeOf(vertex) !== type) continue;
      if ((properties.stored(vertex, key) ?? null) === null) continue;
      const cell = groups.find(vertex, key);
      const [low, high] = groups.cells.words.subarray(cell, cell + 2) as unknown as [
        number,
        number,
      ];
      // Replicas accept values that others have.
      const isFound = constraints.findByValue(type, key, { high, low }) === vertex;
      assert.ok(isFound || entries.includes(vertex), "a value leads to its vertex");
      remaining.set(vertex, (remaining.get(vertex) ?? 0) + 1);
    }
  }
  for (const vertex of entries) {
    const count = remaining.get(vertex) ?? 0;
    assert.ok(count > 0, `an entry for each value of ${vertex} at most`);
    remaining.set(vertex, count - 1);
  }
}
