// Checks constraints from outside: the table of unique values has one entry per value, and no
// vertex breaks a rule.

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
  for (let at = memory.header.words[Header.Constraints]!; at !== 0; at = words[at]!) {
    blocks.push([at, UNIT_WORDS]);
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
  const expected: number[] = [];
  for (const { type, key, rules } of constraints.all()) {
    if (!isUnique(rules)) continue;
    const own = used.filter((vertex) => vertices.typeOf(vertex) === type);
    expected.push(...own.filter((vertex) => (properties.stored(vertex, key) ?? null) !== null));
  }
  const sorted = (all: readonly number[]): number[] => [...all].sort((a, b) => a - b);
  assert.equal(sorted(entries), sorted(expected), "entries of the unique values");
}
