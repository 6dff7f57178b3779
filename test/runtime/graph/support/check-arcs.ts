// Checks runs and indexes of arcs from outside: both sides of each arc agree, each index covers its
// whole run, and every word of both arenas belongs to one run, one index or one free list.

import * as assert from "uvu/assert";
import { blockUnits } from "../../../../runtime/graph/memory/block-allocator.js";
import {
  ARC_KEY_MASK,
  ARC_WORDS,
  Header,
  SIDE_WORDS,
  Side,
} from "../../../../runtime/graph/memory/layout.js";
import { ArcFlag } from "../../../../runtime/graph/model/modifiers.js";
import type { ArcRuns } from "../../../../runtime/graph/store/arc-runs.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { type Block, blockWords, checkBlocks } from "./check-blocks.js";

const INDEX_ABOVE = 64;
const INDEX_BELOW = 32;

/** @throws at the first inconsistency */
export function checkArcs(store: GraphStore, used: readonly number[]): void {
  const { outArcs, inArcs, memory, relationships } = store;
  const relationshipCounts = new Map<number, number>();
  const unlisted = new Map<number, number>();
  let size = 0;
  for (const vertex of used) {
    assert.is(outArcs.length(vertex), outArcs.degree(vertex), `all outarcs of ${vertex} listed`);
    eachArc(outArcs, vertex, (terminal, word1, value) => {
      size++;
      raise(relationshipCounts, word1 >>> 16);
      assert.ok(store.vertices.isUsed(terminal), `terminal ${terminal} is used`);
      if ((word1 & ArcFlag.ForwardOnly) !== 0) raise(unlisted, terminal);
      else expectArc(inArcs, terminal, vertex, word1, value);
    });
    eachArc(inArcs, vertex, (initial, word1, value) => {
      assert.is(word1 & ArcFlag.ForwardOnly, 0, `inarcs of ${vertex} are listed ones`);
      expectArc(outArcs, initial, vertex, word1, value);
    });
  }
  for (const vertex of used) {
    const listed = inArcs.length(vertex);
    const count = inArcs.degree(vertex) - listed;
    assert.is(count, unlisted.get(vertex) ?? 0, `forward-only arcs of ${vertex}`);
    assert.ok(count === 0 || listed === 0, `inarcs of ${vertex} are of one kind`);
  }
  assert.is(store.size, size, "size");
  const forwardOnly = [...unlisted.values()].reduce((sum, count) => sum + count, 0);
  assert.is(memory.header.words[Header.ArcsForwardOnly], forwardOnly);
  for (const [code, count] of relationshipCounts) assert.is(relationships.count(code), count);
  const listed = Object.values(relationships.list()).filter(([, count]) => count > 0);
  assert.is(listed.length, relationshipCounts.size, "relationships in use");
  checkRuns(store, outArcs, used);
  checkRuns(store, inArcs, used);
}

function eachArc(
  runs: ArcRuns,
  vertex: number,
  visit: (neighbor: number, word1: number, value: number) => void,
): void {
  for (let index = 0; index < runs.length(vertex); index++) {
    visit(runs.otherAt(vertex, index), runs.word1At(vertex, index), runs.valueAt(vertex, index));
  }
}

function expectArc(
  runs: ArcRuns,
  vertex: number,
  neighbor: number,
  word1: number,
  value: number,
): void {
  const position = runs.find(vertex, neighbor, (word1 & ARC_KEY_MASK) >>> 0);
  assert.ok(position >= 0, `side ${runs.side} of ${vertex} has the arc of ${neighbor}`);
  assert.is(runs.word1At(vertex, position), word1, "flags of both sides");
  assert.is(runs.valueAt(vertex, position), value, "values of both sides");
}

function checkRuns(store: GraphStore, runs: ArcRuns, used: readonly number[]): void {
  const blocks: Block[] = [];
  const sides = runs.sides.words;
  const isUsed = new Set(used);
  for (let vertex = 0; vertex < store.vertices.end; vertex++) {
    const side = vertex * SIDE_WORDS;
    if (!isUsed.has(vertex)) {
      assert.equal([...sides.subarray(side, side + SIDE_WORDS)], [0, 0, 0, 0], `side of ${vertex}`);
      continue;
    }
    const run = sides[side + Side.Pointer]!;
    const degree = runs.length(vertex);
    const sizeClass = sides[side + Side.Class]! & 0xff;
    const keys = new Set<string>();
    eachArc(runs, vertex, (neighbor, word1) => keys.add(`${neighbor} ${word1 & ARC_KEY_MASK}`));
    assert.is(keys.size, degree, `arcs of ${vertex} differ`);
    assert.is(run === 0, degree === 0, `vertex ${vertex} has a run if it has arcs`);
    if (run === 0) continue;
    assert.ok(degree <= blockUnits(sizeClass), `run of ${vertex} is long enough`);
    blocks.push([run, blockUnits(sizeClass) * ARC_WORDS]);
    const indexBlock = checkIndex(runs, vertex);
    if (indexBlock !== null) blocks.push(indexBlock);
  }
  checkBlocks(store, runs.arcs, ARC_WORDS, blocks);
}

/** The block of a vertex's index, null if it has none. */
function checkIndex(runs: ArcRuns, vertex: number): Block | null {
  const side = vertex * SIDE_WORDS;
  const index = runs.sides.words[side + Side.Index]!;
  const degree = runs.length(vertex);
  if (degree > INDEX_ABOVE) assert.ok(index !== 0, `run of ${vertex} has an index`);
  if (degree <= INDEX_BELOW) assert.is(index, 0, `run of ${vertex} has no index`);
  if (index === 0) return null;
  const slots = 1 << ((runs.sides.words[side + Side.Class]! >>> 8) & 0xff);
  const entries = [...runs.arcs.words.subarray(index, index + slots)].filter((entry) => entry > 0);
  const positions = entries.map((entry) => entry - 1).sort((a, b) => a - b);
  assert.equal(
    positions,
    Array.from({ length: degree }, (_, position) => position),
  );
  assert.ok(degree <= (slots * 3) / 4, `index of ${vertex} has room`);
  eachArc(runs, vertex, (neighbor, word1) => {
    assert.ok(runs.find(vertex, neighbor, (word1 & ARC_KEY_MASK) >>> 0) >= 0, "index finds all");
    assert.ok(runs.findAll(vertex, neighbor).length > 0, "index finds some to each neighbour");
  });
  return [index, blockWords(ARC_WORDS, slots)];
}

function raise(counts: Map<number, number>, key: number): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
