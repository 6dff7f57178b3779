// Removal of vertices with everything they own, and truncation. A hub can have a hundred million
// arcs, so removal runs in steps that each leave a consistent graph and commit separately.
// `Header.Unfinished` records the removal in case the thread dies; restarting it completes it. The
// caller commits the last step.

import {
  ALLOCATOR_WORDS,
  ALLOCATORS,
  ARENAS,
  Header,
  SEQUENCE_WORDS,
  SIDE_WORDS,
} from "../memory/layout.js";
import { InternalError } from "../model/errors.js";
import { ArcFlag } from "../model/modifiers.js";
import { DIGEST_WORDS } from "../store/content-digest.js";
import type { GraphStore } from "../store/graph-store.js";
import { MAX_UNLINKED, unlink, unlinkFromTerminal, unlinkTail } from "./arcs.js";
import {
  demoteToVirtual,
  isHeld,
  markModified,
  removeIfUnreferenced,
  removeVertex,
} from "./vertices.js";

/** Header words that are 0 in an empty graph. */
const EMPTY_GRAPH = [
  Header.FreeHandle,
  Header.Order,
  Header.VirtualCount,
  Header.Size,
  Header.SizeHigh,
  Header.PropertyCount,
  Header.ArcsForwardOnly,
  ...Array.from({ length: DIGEST_WORDS }, (_, word) => Header.Digest + word),
];

/** Values of `Header.Unfinished`. */
export const PendingRemoval = {
  Nothing: 0,
  DeleteVertex: 1,
  TruncateType: 2,
  Truncate: 3,
} as const;

/** Highest code of a type. */
const LAST_TYPE = 255;

/** Removes a vertex, or makes it virtual while arcs lead to it; returns 1 if it was real. */
export function deleteVertex(store: GraphStore, vertex: number, at: number): number {
  const { vertices } = store;
  if (!vertices.isReal(vertex)) {
    removeIfUnreferenced(store, vertex);
    return 0;
  }
  begin(store, PendingRemoval.DeleteVertex, vertex, at);
  try {
    removeOutArcs(store, vertex);
    store.properties.clear(vertex);
    store.vectorFields.removeAll(vertex);
    if (vertices.inDegree(vertex) > 0 || isHeld(store, vertex)) {
      demoteToVirtual(store, vertex);
      markModified(store, vertex, at);
      removeIfUnreferenced(store, vertex);
    } else removeVertex(store, vertex);
  } catch (error) {
    abandon(store);
    throw error;
  }
  finish(store);
  return 1;
}

/** Removes all vertices of a type with all their arcs; returns the number of vertices. */
export function truncateType(store: GraphStore, type: number): number {
  begin(store, PendingRemoval.TruncateType, type, 0);
  try {
    const removed = removeVerticesOfType(store, type);
    finish(store);
    return removed;
  } catch (error) {
    abandon(store);
    throw error;
  }
}

function removeVerticesOfType(store: GraphStore, type: number): number {
  const { typeLists } = store;
  const some = new Uint32Array(1);
  let removed = 0;
  removeForwardOnly(store, type);
  while (typeLists.copyBefore(type, typeLists.count(type), some) > 0) {
    const vertex = some[0]!;
    removeOutArcs(store, vertex);
    removeInArcs(store, vertex);
    store.properties.clear(vertex);
    store.vectorFields.removeAll(vertex);
    removeVertex(store, vertex);
    removed++;
    store.writer.commit();
  }
  return removed;
}

/** Empties the graph; returns its number of vertices. */
export function truncate(store: GraphStore): number {
  const { writer } = store;
  const removed = store.order;
  if (writer.isNested) throw new InternalError("truncating cannot be undone with other changes");
  begin(store, PendingRemoval.Truncate, 0, 0);
  writer.commit();
  // Constraints must survive a truncation, but clearing the memory would remove them.
  if (store.constraints.isEmpty) clearMemory(store);
  else for (let type = 1; type <= LAST_TYPE; type++) removeVerticesOfType(store, type);
  finish(store);
  return removed;
}

/**
 * Releases the memory of the graph as a whole instead of per vertex. Clearing words is idempotent,
 * so no undo entries are written.
 */
function clearMemory(store: GraphStore): void {
  const { writer, memory } = store;
  const end = memory.header.words[Header.HandleEnd]!;
  memory.meta.words.fill(0, 0, end);
  memory.out.words.fill(0, 0, end * SIDE_WORDS);
  memory.in.words.fill(0, 0, end * SIDE_WORDS);
  writer.markDirty(memory.meta, 0, end);
  writer.markDirty(memory.out, 0, end * SIDE_WORDS);
  writer.markDirty(memory.in, 0, end * SIDE_WORDS);
  store.vectorFields.reset();
  store.texts.dropAll();
  writer.commit();
  // Readers must see that their pointers are invalid before the memory is reused.
  const { ints } = memory.sequence;
  for (let index = SEQUENCE_WORDS; index < end * SEQUENCE_WORDS; index++) {
    Atomics.add(ints, index, 2);
  }
  resetAllocators(store);
  // Readers of properties must notice before other texts replace the ones their values refer to.
  store.properties.dropAll(end);
  store.format();
}

/** Records the removal to be restarted if the thread dies before `finish`. */
function begin(store: GraphStore, removal: number, subject: number, at: number): void {
  store.writer.put(store.memory.header, Header.UnfinishedSubject, subject);
  store.writer.put(store.memory.header, Header.UnfinishedAt, at);
  store.writer.put(store.memory.header, Header.Unfinished, removal);
}

function finish(store: GraphStore): void {
  store.writer.put(store.memory.header, Header.Unfinished, PendingRemoval.Nothing);
}

/** Keeps the committed steps of a failed removal and cancels the rest. */
function abandon(store: GraphStore): void {
  store.writer.rollback();
  finish(store);
  store.writer.commit();
}

function removeOutArcs(store: GraphStore, vertex: number): void {
  for (let left = store.outArcs.degree(vertex); left > 0; ) {
    left = Math.max(0, left - MAX_UNLINKED);
    unlinkTail(store, vertex, left);
    if (left > 0) store.writer.commit();
  }
}

function removeInArcs(store: GraphStore, vertex: number): void {
  for (let left = store.inArcs.length(vertex); left > 0; left--) {
    unlinkFromTerminal(store, vertex, left - 1);
    if (left % MAX_UNLINKED === 0) store.writer.commit();
  }
}

/** Removes the forward-only arcs to vertices of a type, which only their initials list. */
function removeForwardOnly(store: GraphStore, type: number): void {
  const { vertices, outArcs, writer } = store;
  const { header } = store.memory;
  const { end } = vertices;
  for (let vertex = 1; vertex < end && header.words[Header.ArcsForwardOnly] !== 0; vertex++) {
    let isChanged = false;
    for (let position = outArcs.degree(vertex) - 1; position >= 0; position--) {
      if ((outArcs.word1At(vertex, position) & ArcFlag.ForwardOnly) === 0) continue;
      if (vertices.typeOf(outArcs.otherAt(vertex, position)) !== type) continue;
      unlink(store, vertex, position);
      isChanged = true;
    }
    if (isChanged) writer.commit();
  }
}

/** Resets all allocators, so that all memory counts as unused. */
function resetAllocators(store: GraphStore): void {
  const { writer } = store;
  const { header, texts } = store.memory;
  for (const id of ARENAS.keys()) {
    if (id === texts.id) continue;
    const first = ALLOCATORS + id * ALLOCATOR_WORDS;
    for (let word = first; word < first + ALLOCATOR_WORDS; word++) {
      if (header.words[word] !== 0) writer.put(header, word, 0);
    }
  }
  for (const word of EMPTY_GRAPH) writer.put(header, word, 0);
}
