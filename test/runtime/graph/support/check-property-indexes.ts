// Checks the property and id indexes from outside: each is sorted on all levels, contains exactly
// the vertices that have the property, and finds each of them by its value.

import * as assert from "uvu/assert";
import { Float } from "../../../../runtime/base/float.js";
import { Header } from "../../../../runtime/graph/memory/layout.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { ID_KEY, type ValueRange } from "../../../../runtime/graph/store/property-indexes.js";
import { Entry } from "../../../../runtime/graph/store/skip-list.js";
import type { Block } from "./check-blocks.js";

const UNIT_WORDS = 16;
const LEVELS = UNIT_WORDS - Entry.Next;

/**
 * Blocks of `lists` that the indexes use.
 * @throws at the first inconsistency
 */
export function checkPropertyIndexes(store: GraphStore, used: readonly number[]): Block[] {
  const { words } = store.memory.lists;
  const blocks: Block[] = [];
  for (
    let record = store.memory.header.words[Header.PropertyIndexes]!;
    record !== 0;
    record = words[record]!
  ) {
    const [, key, head, count] = words.subarray(record, record + 4) as unknown as number[];
    const entries = listEntries(store, head!);
    blocks.push([record, UNIT_WORDS], [head!, UNIT_WORDS]);
    for (const entry of entries) blocks.push([entry, UNIT_WORDS]);
    assert.is(entries.length, count, `entries of the index of key ${key}`);
    const vertices = entries.map((entry) => words[entry + Entry.Vertex]!).sort((a, b) => a - b);
    const expected = used.filter((vertex) => key === ID_KEY || store.properties.has(vertex, key!));
    assert.equal(vertices, expected, `vertices of the index of key ${key}`);
    for (const vertex of expected) checkFound(store, key!, vertex, count!);
  }
  return blocks;
}

/** Entries of a list, from its lowest level, which has all. */
function listEntries(store: GraphStore, head: number): number[] {
  const { words } = store.memory.lists;
  const lowest: number[] = [];
  for (let level = 0; level < LEVELS; level++) {
    const expected = lowest.filter((entry) => words[entry + Entry.Level]! > level);
    const vertices: number[] = [];
    let entry = words[head + Entry.Next + level]!;
    for (; entry !== 0; entry = words[entry + Entry.Next + level]!) vertices.push(entry);
    if (level === 0) lowest.push(...vertices);
    else assert.equal(vertices, expected, `level ${level}`);
  }
  const positions = lowest.map((entry) => [...words.subarray(entry, entry + Entry.Level)]);
  for (let position = 1; position < positions.length; position++) {
    const differing = positions[position]!.findIndex(
      (word, index) => word !== positions[position - 1]![index],
    );
    assert.ok(differing >= 0, "no entry comes twice");
    assert.ok(
      positions[position]![differing]! > positions[position - 1]![differing]!,
      "entries are in order",
    );
  }
  return lowest;
}

function checkFound(store: GraphStore, key: number, vertex: number, count: number): void {
  for (const range of rangesFor(store, key, vertex)) {
    const candidates = store.indexes.candidates(key, range, count);
    assert.ok(candidates?.includes(vertex), `vertex ${vertex} by ${JSON.stringify(range)}`);
  }
}

function rangesFor(store: GraphStore, key: number, vertex: number): ValueRange[] {
  if (key === ID_KEY) {
    const id = store.ids.idOf(vertex);
    return [1, 3, 5, 9, 20].map((length) => ({ kind: "prefix", prefix: id.slice(0, length) }));
  }
  const value = store.properties.stored(vertex, key);
  const any = { kind: "any" } as const;
  if (typeof value === "string") {
    return [any, { kind: "text", text: value }, { kind: "prefix", prefix: value.slice(0, 2) }];
  }
  const number = value instanceof Float ? value.value : value;
  if (typeof number !== "number" || Number.isNaN(number)) return [any];
  const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number;
  return [
    any,
    { kind: "number", low: number, high: number },
    { kind: "number", low: NEGATIVE_INFINITY, high: number },
    { kind: "number", low: number, high: POSITIVE_INFINITY },
  ];
}
