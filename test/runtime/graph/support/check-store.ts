// Checks a whole graph from outside, word by word: every invariant that holds while nothing is
// written. Any violation is a bug.

import * as assert from "uvu/assert";
import { Header, NEVER, RecordWord, VertexFlag } from "../../../../runtime/graph/memory/layout.js";
import { nowSeconds } from "../../../../runtime/graph/memory/time.js";
import { M_TMX, T_NEVER } from "../../../../runtime/graph/model/constants.js";
import { digestText } from "../../../../runtime/graph/store/content-digest.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { computeDigest, digestCheckpoint } from "../../../../runtime/graph/store/verify-digest.js";
import { checkArcs } from "./check-arcs.js";
import { checkProperties } from "./check-properties.js";
import { checkTextIndexes } from "./check-text-indexes.js";
import { checkTexts } from "./check-texts.js";
import { checkVectors } from "./check-vectors.js";
import { readWriter, virtualCount } from "./header-words.js";

/** @throws at the first inconsistency */
export function checkStore(store: GraphStore): void {
  store.memory.refresh();
  checkAtRest(store);
  const used = checkHandles(store);
  for (const vertex of used) checkVertex(store, vertex);
  checkTypes(store, used);
  checkArcs(store, used);
  checkEvents(store, used);
  checkLocks(store, used);
  checkProperties(store);
  checkTexts(store, used);
  checkVectors(store, used);
  checkTextIndexes(store);
  checkDigest(store);
}

function checkDigest(store: GraphStore): void {
  if (!store.digest.isMaintained) return;
  assert.is(
    digestCheckpoint(store)!.digest,
    digestText(computeDigest(store)),
    "the digest is that of the contents",
  );
}

function checkAtRest(store: GraphStore): void {
  const { header, sequence } = store.memory;
  assert.is(readWriter(store.memory), 0, "nobody writes");
  for (const word of [Header.UndoCount, Header.CommittedCount, Header.Unfinished]) {
    assert.is(header.words[word], 0, `header word ${word} is 0`);
  }
  const odd = sequence.words.findIndex((value) => (value & 1) === 1);
  assert.is(odd, -1, "all sequences are even");
}

/** Every handle is either used or free; returns the used ones. */
function checkHandles(store: GraphStore): number[] {
  const { vertices } = store;
  const { header } = store.memory;
  const free = new Set<number>();
  for (let handle = header.words[Header.FreeHandle]!; handle !== 0; ) {
    assert.not(vertices.isUsed(handle), `free handle ${handle} is not used`);
    assert.not(free.has(handle), `handle ${handle} is free once`);
    free.add(handle);
    handle = vertices.fieldOf(handle, RecordWord.IdPointer);
  }
  const used: number[] = [];
  for (let handle = 1; handle < vertices.end; handle++) {
    if (vertices.isUsed(handle)) used.push(handle);
    else assert.ok(free.has(handle), `unused handle ${handle} is free`);
  }
  assert.is(used.length, store.order, "order");
  assert.is(used.filter((vertex) => vertices.isVirtual(vertex)).length, virtualCount(store.memory));
  return used;
}

function checkVertex(store: GraphStore, vertex: number): void {
  const { vertices, ids } = store;
  const id = ids.idOf(vertex);
  assert.ok(id !== "", `vertex ${vertex} has an id`);
  assert.is(ids.find(id), vertex, `'${id}' is found`);
  assert.is(ids.findInternal(ids.internalIdOf(vertex)), vertex, `'${id}' is found by digest`);
  const flags = vertices.flagsOf(vertex);
  const isReal = (flags & VertexFlag.Real) !== 0;
  assert.is((flags & VertexFlag.Virtual) !== 0, !isReal, `'${id}' is real or virtual`);
  assert.is((flags & VertexFlag.Expires) !== 0, vertices.expiresAt(vertex) !== NEVER);
  if (isReal) return;
  assert.is(vertices.outDegree(vertex), 0, `virtual '${id}' has no outarcs`);
  assert.is(vertices.fieldOf(vertex, RecordWord.PropertyCount), 0);
  assert.is(vertices.expiresAt(vertex), NEVER, `virtual '${id}' does not expire`);
  const isKept = vertices.inDegree(vertex) > 0 || store.locks.countOf(vertex) > 0;
  assert.ok(isKept, `something keeps virtual '${id}'`);
}

function checkTypes(store: GraphStore, used: readonly number[]): void {
  const { typeLists, types, vertices } = store;
  let listed = 0;
  for (let type = 0; type < 256; type++) {
    const count = typeLists.count(type);
    assert.is(types.count(type), count, `count of type ${type}`);
    const handles = new Uint32Array(count);
    assert.is(typeLists.copyBefore(type, count, handles), count);
    for (const handle of handles) assert.is(vertices.typeOf(handle), type, `type of ${handle}`);
    listed += new Set(handles).size;
  }
  assert.is(listed, used.length, "every vertex is listed once by type");
}

/** The heap is ordered, contains its vertices, and schedules each no later than its expiry. */
function checkEvents(store: GraphStore, used: readonly number[]): void {
  const { vertices, expiry, memory } = store;
  const { words } = memory.events;
  for (let heapPosition = 1; heapPosition <= expiry.count; heapPosition++) {
    const vertex = words[heapPosition * 2 + 1]!;
    assert.ok(vertices.isUsed(vertex), `scheduled vertex ${vertex} is used`);
    assert.is(vertices.fieldOf(vertex, RecordWord.EventPosition), heapPosition);
    if (heapPosition > 1)
      assert.ok(words[(heapPosition >>> 1) * 2]! <= words[heapPosition * 2]!, "heap order");
  }
  for (const vertex of used) {
    const expiresAt = earliestExpiry(store, vertex);
    const eventPosition = vertices.fieldOf(vertex, RecordWord.EventPosition);
    if (expiresAt === NEVER) continue;
    assert.ok(eventPosition > 0, `vertex ${vertex} is scheduled`);
    // An overdue vertex that is locked is retried a second later.
    const latest = Math.max(expiresAt, nowSeconds() + 1);
    assert.ok(words[eventPosition * 2]! <= latest, `vertex ${vertex} is scheduled in time`);
  }
}

function earliestExpiry(store: GraphStore, vertex: number): number {
  const { outArcs, vertices } = store;
  let earliest = vertices.expiresAt(vertex);
  for (let position = 0; position < outArcs.degree(vertex); position++) {
    const second = outArcs.valueAt(vertex, position);
    const isExpiry = ((outArcs.word1At(vertex, position) >>> 8) & 0xff) === M_TMX;
    if (isExpiry && second < T_NEVER) earliest = Math.min(earliest, second);
  }
  return earliest;
}

function checkLocks(store: GraphStore, used: readonly number[]): void {
  const { locks, memory } = store;
  const entries = locks.entries();
  assert.is(memory.header.words[Header.LocksHeld], entries.length, "locks held");
  for (const vertex of used) {
    const ownEntries = entries.filter((entry) => entry.vertex === vertex);
    const count = ownEntries.reduce((sum, entry) => sum + entry.count, 0);
    assert.is(locks.countOf(vertex), count, `lock count of ${vertex}`);
    const owner = locks.ownerOf(vertex);
    if (owner !== 0) assert.equal([ownEntries.length, ownEntries[0]?.session], [1, owner]);
  }
}
