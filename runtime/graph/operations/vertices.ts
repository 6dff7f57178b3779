// Creation and removal of single vertices. Call within a mutation, from `apply` only.

import { Header, NEVER, RECORD_WORDS, RecordWord, VertexFlag } from "../memory/layout.js";
import { UNTYPED } from "../store/code-ranges.js";
import type { Sign } from "../store/content-digest.js";
import type { GraphStore } from "../store/graph-store.js";
import type { TextView } from "../store/text-view.js";

/** Creates a vertex; the id must be unused. */
export function addVertex(
  store: GraphStore,
  id: string | TextView,
  type: number,
  isReal: boolean,
  at: number,
): number {
  const { vertices, writer } = store;
  const { header } = store.memory;
  const vertex = vertices.allocate();
  store.ids.add(vertex, id);
  vertices.setMeta(vertex, type, isReal ? VertexFlag.Real : VertexFlag.Virtual);
  vertices.setField(vertex, RecordWord.CreatedAt, at);
  enlist(store, vertex, type);
  indexId(store, vertex, true);
  writer.add(header, Header.Order, 1);
  if (!isReal) writer.add(header, Header.VirtualCount, 1);
  else if (!store.constraints.isEmpty) store.constraints.noteVertex(vertex);
  updateDigest(store, 1, vertex);
  return vertex;
}

/** Makes a virtual vertex real. */
export function promoteVirtual(store: GraphStore, vertex: number, at: number): void {
  restampIfUnreferenced(store, vertex, at);
  store.writer.touch(0, vertex);
  setFlags(store, vertex, VertexFlag.Real, VertexFlag.Virtual);
  store.writer.add(store.memory.header, Header.VirtualCount, -1);
  if (!store.constraints.isEmpty) store.constraints.noteVertex(vertex);
  updateDigest(store, 1, vertex);
}

/** Makes a real vertex without outarcs and properties virtual; it keeps its type. */
export function demoteToVirtual(store: GraphStore, vertex: number): void {
  store.writer.touch(0, vertex);
  updateDigest(store, -1, vertex);
  setFlags(store, vertex, VertexFlag.Virtual, VertexFlag.Real | VertexFlag.Expires);
  store.vertices.setField(vertex, RecordWord.ExpiresAt, NEVER);
  store.expiry.cancel(vertex);
  store.writer.add(store.memory.header, Header.VirtualCount, 1);
}

/** Removes a vertex without arcs and properties. */
export function removeVertex(store: GraphStore, vertex: number): void {
  const { vertices, writer } = store;
  const { header } = store.memory;
  writer.touch(0, vertex);
  updateDigest(store, -1, vertex);
  if (vertices.isVirtual(vertex)) writer.add(header, Header.VirtualCount, -1);
  writer.add(header, Header.Order, -1);
  store.expiry.cancel(vertex);
  delist(store, vertex, vertices.typeOf(vertex));
  indexId(store, vertex, false);
  store.ids.remove(vertex);
  vertices.free(vertex);
}

/**
 * Removes a virtual vertex without inarcs and locks; returns 1 if it did. A locked one only loses
 * its type: replicas, which have no locks, remove it, and unused types must be the same there.
 */
export function removeIfUnreferenced(store: GraphStore, vertex: number): number {
  const { vertices } = store;
  // The degree first: callers have just changed it, so it is in the cache.
  if (vertices.inDegree(vertex) > 0 || !vertices.isVirtual(vertex)) return 0;
  if (isHeld(store, vertex)) {
    setType(store, vertex, UNTYPED);
    return 0;
  }
  removeVertex(store, vertex);
  return 1;
}

/**
 * Resets a virtual vertex that exists only because it is locked to the state of a new one: on
 * replicas, which have no locks, the vertex is created then.
 */
export function restampIfUnreferenced(store: GraphStore, vertex: number, at: number): void {
  const { vertices } = store;
  if (vertices.inDegree(vertex) > 0 || !vertices.isVirtual(vertex)) return;
  setType(store, vertex, UNTYPED);
  store.writer.touch(0, vertex);
  vertices.setRank(vertex, 1, 0);
  vertices.setField(vertex, RecordWord.CreatedAt, at);
}

/** Returns true while any session has the vertex open. */
export function isHeld(store: GraphStore, vertex: number): boolean {
  return store.locks.countOf(vertex) > 0;
}

export function setType(store: GraphStore, vertex: number, type: number): void {
  const { vertices } = store;
  const old = vertices.typeOf(vertex);
  if (old === type) return;
  store.writer.touch(0, vertex);
  // A text index may be restricted to a type.
  if (!store.texts.isEmpty && store.properties.countOf(vertex) > 0) store.texts.markChanged(vertex);
  updateDigest(store, -1, vertex);
  delist(store, vertex, old);
  vertices.setMeta(vertex, type, vertices.flagsOf(vertex));
  enlist(store, vertex, type);
  if (!store.constraints.isEmpty) store.constraints.changeType(vertex, old, type);
  updateDigest(store, 1, vertex);
}

export function setExpiry(store: GraphStore, vertex: number, second: number): void {
  store.writer.touch(0, vertex);
  updateDigest(store, -1, vertex);
  store.vertices.setField(vertex, RecordWord.ExpiresAt, second);
  updateDigest(store, 1, vertex);
  if (second === NEVER) setFlags(store, vertex, 0, VertexFlag.Expires);
  else setFlags(store, vertex, VertexFlag.Expires, 0);
  store.expiry.schedule(vertex, second);
}

/** Sets the rank coefficients of a real vertex. */
export function setRank(store: GraphStore, vertex: number, c1: number, c0: number): void {
  updateDigest(store, -1, vertex);
  store.vertices.setRank(vertex, c1, c0);
  updateDigest(store, 1, vertex);
}

/** Adds or subtracts a vertex in the digest; virtual vertices are not part of it. */
function updateDigest({ digest, vertices }: GraphStore, sign: Sign, vertex: number): void {
  if (digest.isMaintained && vertices.isReal(vertex))
    digest.vertex(sign, vertex, vertices.typeOf(vertex));
}

/**
 * Records operation number and time of the last change of a vertex. Both are independent single
 * words, so the sequence is not touched and readers of arcs need not retry.
 */
export function markModified(store: GraphStore, vertex: number, at: number): void {
  const { writer } = store;
  const { record, header } = store.memory;
  const base = vertex * RECORD_WORDS;
  writer.put(record, base + RecordWord.Operation, header.words[Header.OperationCount]!);
  const high = header.words[Header.OperationCountHigh]!;
  if (record.words[base + RecordWord.OperationHigh] !== high) {
    writer.put(record, base + RecordWord.OperationHigh, high);
  }
  if (record.words[base + RecordWord.ModifiedAt] !== at) {
    writer.put(record, base + RecordWord.ModifiedAt, at);
  }
}

function setFlags(store: GraphStore, vertex: number, set: number, cleared: number): void {
  const { vertices } = store;
  const flags = (vertices.flagsOf(vertex) & ~cleared) | set;
  vertices.setMeta(vertex, vertices.typeOf(vertex), flags);
}

/** Adds or removes an id in the id index, if there is one. */
export function indexId({ indexes, ids }: GraphStore, vertex: number, isThere: boolean): void {
  if (indexes.isEmpty) return;
  const [first, second] = [ids.wordOf(vertex, 0), ids.wordOf(vertex, 1)];
  if (isThere) indexes.addId(vertex, first, second);
  else indexes.removeId(vertex, first, second);
}

function enlist(store: GraphStore, vertex: number, type: number): void {
  store.typeLists.add(type, vertex);
  store.types.addCount(type, 1);
}

function delist(store: GraphStore, vertex: number, type: number): void {
  store.typeLists.remove(type, vertex);
  store.types.addCount(type, -1);
}
