// Checks the groups and cells of properties from outside: every block belongs to one table or to a
// free list, tables are sorted, and counts are exact.

import * as assert from "uvu/assert";
import { blockUnits } from "../../../../runtime/graph/memory/block-allocator.js";
import {
  Header,
  RECORD_WORDS,
  RecordWord,
  VertexFlag,
} from "../../../../runtime/graph/memory/layout.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { type Block, checkBlocks } from "./check-blocks.js";
import { textIndexesOfKey } from "./check-text-indexes.js";

const UNIT_WORDS = 2;

/** @throws at the first inconsistency */
export function checkProperties(store: GraphStore): void {
  const { memory } = store;
  const { words } = memory.cells;
  const blocks: Block[] = [];
  const byKey = new Map<number, number>();
  const byVertex = new Map<number, number>();
  const groups = memory.groups.words;
  for (let group = 0; group * 2 < groups.length; group++) {
    assert.is(groups[group * 2]! & 1, 0, `sequence of group ${group} is odd`);
    const table = groups[group * 2 + 1]!;
    if (table === 0) continue;
    const count = words[table]! & 0xffff;
    assert.ok(count > 0, `table of group ${group} is empty`);
    blocks.push([table, blockUnits(words[table]! >>> 16) * UNIT_WORDS]);
    let last = 0;
    for (let entry = table + 1; entry < table + 1 + count * 3; entry += 3) {
      const key = words[entry]! & 0xffff;
      const bitmap = words[entry + 1]!;
      assert.ok(key > last, `keys of group ${group} are in order`);
      assert.ok(bitmap !== 0, `key ${key} of group ${group} is used`);
      last = key;
      blocks.push([words[entry + 2]!, blockUnits(words[entry]! >>> 16) * UNIT_WORDS]);
      for (let bit = 0; bit < 32; bit++) {
        if (((bitmap >>> bit) & 1) === 0) continue;
        raise(byKey, key);
        raise(byVertex, group * 32 + bit);
      }
    }
  }
  checkBlocks(store, memory.cells, UNIT_WORDS, blocks);
  checkCounts(store, byKey, byVertex);
}

function checkCounts(
  store: GraphStore,
  byKey: Map<number, number>,
  byVertex: Map<number, number>,
): void {
  const { memory, keys, vertices, indexes } = store;
  let total = 0;
  for (const [key, count] of byKey) {
    const ofIndex = (indexes.has(key) ? 1 : 0) + textIndexesOfKey(store, key);
    assert.is(keys.count(key), count + ofIndex, `count of key ${key}`);
    total += count;
  }
  assert.is(memory.header.words[Header.PropertyCount], total, "properties of all vertices");
  for (let vertex = 1; vertex < vertices.end; vertex++) {
    if (!vertices.isUsed(vertex)) continue;
    const count = byVertex.get(vertex) ?? 0;
    const counted = memory.record.words[vertex * RECORD_WORDS + RecordWord.PropertyCount];
    assert.is(counted, count, `properties of vertex ${vertex}`);
    const hasSome = (vertices.flagsOf(vertex) & VertexFlag.HasProperties) !== 0;
    assert.is(hasSome, count > 0, `flag of vertex ${vertex}`);
  }
}

function raise(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
