// Changes of arcs on both sides, with counts and expiry. Call within a mutation, from `apply` only.

import {
  ARC_KEY_MASK,
  ARC_WORDS,
  Header,
  RECORD_WORDS,
  SEQUENCE_WORDS,
  SIDE_WORDS,
  Side,
} from "../memory/layout.js";
import { M_TMX, T_NEVER } from "../model/constants.js";
import { ArcFlag } from "../model/modifiers.js";
import { UNTYPED } from "../store/code-ranges.js";
import type { GraphStore } from "../store/graph-store.js";
import type { Operation } from "../store/operation.js";
import { isSameText } from "../store/text-view.js";
import {
  addVertex,
  markModified,
  promoteVirtual,
  removeIfUnreferenced,
  restampIfUnreferenced,
} from "./vertices.js";

const NAME_SHIFT = 16;
const MODIFIER_SHIFT = 8;
const NAME_MASK = 0xffff_0000;

const PREFETCH_SINK = new Uint32Array(1);

/**
 * Prefetches all cache lines needed to connect two vertices. In a large graph most of them are
 * cache misses that dominate the cost, and they would be serialized: CPUs do not speculate past the
 * atomic operations in between.
 */
export function loadArcEnds(store: GraphStore, initial: number, terminal: number): void {
  const { out, in: into, outArcs, inArcs, record, sequence } = store.memory;
  const from = initial * SIDE_WORDS;
  const to = terminal * SIDE_WORDS;
  const outEnd = out.words[from + Side.Pointer]! + out.words[from + Side.Degree]! * ARC_WORDS;
  const inEnd = into.words[to + Side.Pointer]! + into.words[to + Side.Degree]! * ARC_WORDS;
  // Stored so that the compiler does not eliminate the reads.
  PREFETCH_SINK[0] =
    sequence.words[initial * SEQUENCE_WORDS]! ^
    sequence.words[terminal * SEQUENCE_WORDS + 1]! ^
    record.words[initial * RECORD_WORDS]! ^
    record.words[terminal * RECORD_WORDS]! ^
    (outEnd < outArcs.words.length ? outArcs.words[outEnd]! : 0) ^
    (inEnd < inArcs.words.length ? inArcs.words[inEnd]! : 0);
}

/** Creates an arc or sets its value; sets both handles of the operation. Returns 1 if new. */
export function connect(store: GraphStore, operation: Operation): number {
  const { at, value, modifier } = operation;
  const isNew = operation.vertex === 0 || operation.terminal === 0;
  const initial = resolveInitial(store, operation);
  const terminal = resolveTerminal(store, operation, initial);
  operation.vertex = initial;
  operation.terminal = terminal;
  const key = ((operation.name << NAME_SHIFT) | (modifier << MODIFIER_SHIFT)) >>> 0;
  const position = isNew ? -1 : findArc(store, initial, terminal, key);
  let created = 0;
  if (position >= 0) setValue(store, initial, position, terminal, value);
  else {
    link(store, initial, terminal, (key | operation.flags) >>> 0, value);
    created = 1;
  }
  if (modifier === M_TMX && value < T_NEVER) store.expiry.schedule(initial, value);
  markModified(store, initial, at);
  if (terminal !== initial) markModified(store, terminal, at);
  return created;
}

/**
 * Removes the arcs between two vertices of a relationship, of a modifier, or all (0). Returns their
 * number.
 */
export function disconnect(store: GraphStore, operation: Operation): number {
  const { vertex, terminal, name, modifier, at } = operation;
  const key = ((name << NAME_SHIFT) | (modifier << MODIFIER_SHIFT)) >>> 0;
  const mask = (name === 0 ? 0 : NAME_MASK) | (modifier === 0 ? 0 : ~NAME_MASK & ARC_KEY_MASK);
  let removed = 0;
  for (;;) {
    const position = findArc(store, vertex, terminal, key, mask);
    if (position < 0) break;
    unlink(store, vertex, position);
    removed++;
    // At most one arc per pair of vertices, relationship and modifier.
    if (name !== 0 && modifier !== 0) break;
  }
  if (removed === 0) return 0;
  markModified(store, vertex, at);
  if (terminal !== vertex) markModified(store, terminal, at);
  removeIfUnreferenced(store, terminal);
  return removed;
}

/**
 * Removes the arc at a position of its initial's run from both sides. The caller handles a virtual
 * terminal that has become unreferenced.
 */
export function unlink(store: GraphStore, initial: number, position: number): void {
  const { outArcs, inArcs, writer, digest } = store;
  const { header } = store.memory;
  const terminal = outArcs.otherAt(initial, position);
  const word1 = outArcs.word1At(initial, position);
  if (digest.isMaintained) {
    digest.arc(-1, initial, terminal, word1, outArcs.valueAt(initial, position));
  }
  outArcs.removeAt(initial, position);
  if ((word1 & ArcFlag.ForwardOnly) !== 0) {
    inArcs.addUnlisted(terminal, -1);
    writer.add(header, Header.ArcsForwardOnly, -1);
  } else {
    inArcs.remove(terminal, initial, word1 & ARC_KEY_MASK);
  }
  store.relationships.addCount(word1 >>> NAME_SHIFT, -1);
  writer.addWide(header, Header.Size, -1);
}

/** Arcs that `unlinkTail` removes at once: few enough not to delay readers. */
export const MAX_UNLINKED = 64;
/** The terminals of those arcs. */
const terminals = new Uint32Array(MAX_UNLINKED);

/**
 * Removes the arcs from position `first` on of an initial's run from both sides, and virtual
 * terminals that have become unreferenced. Writes what all arcs share only once.
 */
export function unlinkTail(store: GraphStore, initial: number, first: number): void {
  const { outArcs, inArcs, writer, digest } = store;
  const { header } = store.memory;
  const count = outArcs.degree(initial) - first;
  const arcs = outArcs.arcs.words;
  const start = outArcs.runOf(initial) + first * ARC_WORDS;
  for (let at = 0; at < count; at++) terminals[at] = arcs[start + at * ARC_WORDS]!;
  PREFETCH_SINK[0] = inArcs.prefetchEach(terminals, count, initial);
  if (digest.isMaintained) digest.arcs(-1, initial, arcs, start, count);
  let forwardOnly = 0;
  let name = 0;
  let named = 0;
  for (let at = 0; at < count; at++) {
    const terminal = terminals[at]!;
    const word1 = arcs[start + at * ARC_WORDS + 1]!;
    if ((word1 & ArcFlag.ForwardOnly) !== 0) {
      inArcs.addUnlisted(terminal, -1);
      forwardOnly++;
    } else inArcs.remove(terminal, initial, word1 & ARC_KEY_MASK);
    if (word1 >>> NAME_SHIFT !== name) {
      if (named > 0) store.relationships.addCount(name, -named);
      name = word1 >>> NAME_SHIFT;
      named = 0;
    }
    named++;
    if (terminal !== initial) removeIfUnreferenced(store, terminal);
  }
  if (named > 0) store.relationships.addCount(name, -named);
  if (forwardOnly > 0) writer.add(header, Header.ArcsForwardOnly, -forwardOnly);
  writer.addWide(header, Header.Size, -count);
  outArcs.cut(initial, first);
}

/** Removes the arc at a position of its terminal's run from both sides. */
export function unlinkFromTerminal(store: GraphStore, terminal: number, position: number): void {
  const initial = store.inArcs.otherAt(terminal, position);
  const key = store.inArcs.word1At(terminal, position) & ARC_KEY_MASK;
  unlink(store, initial, store.outArcs.find(initial, terminal, key));
}

function link(
  store: GraphStore,
  initial: number,
  terminal: number,
  word1: number,
  value: number,
): void {
  const { writer, digest } = store;
  const { header } = store.memory;
  if (digest.isMaintained) digest.arc(1, initial, terminal, word1, value);
  store.outArcs.add(initial, terminal, word1, value);
  if ((word1 & ArcFlag.ForwardOnly) === 0) store.inArcs.add(terminal, initial, word1, value);
  else {
    store.inArcs.addUnlisted(terminal, 1);
    writer.add(header, Header.ArcsForwardOnly, 1);
  }
  store.relationships.addCount(word1 >>> NAME_SHIFT, 1);
  writer.addWide(header, Header.Size, 1);
}

function setValue(
  store: GraphStore,
  initial: number,
  position: number,
  terminal: number,
  value: number,
): void {
  const { outArcs, inArcs, digest } = store;
  const old = outArcs.valueAt(initial, position);
  if (old === value) return;
  const word1 = outArcs.word1At(initial, position);
  if (digest.isMaintained) {
    digest.arc(-1, initial, terminal, word1, old);
    digest.arc(1, initial, terminal, word1, value);
  }
  outArcs.setValue(initial, position, value);
  if ((word1 & ArcFlag.ForwardOnly) !== 0) return;
  inArcs.setValue(terminal, inArcs.find(terminal, initial, word1 & ARC_KEY_MASK), value);
}

/**
 * Returns the position of an arc in the run of its initial, or -1. Searches the side with fewer
 * arcs, because hubs are mostly connected to vertices of low degree.
 */
export function findArc(
  store: GraphStore,
  initial: number,
  terminal: number,
  key: number,
  mask = ARC_KEY_MASK,
): number {
  const { outArcs, inArcs } = store;
  const listed = inArcs.length(terminal);
  if (outArcs.degree(initial) <= listed) return outArcs.find(initial, terminal, key, mask);
  if (listed === 0) {
    return inArcs.degree(terminal) === 0 ? -1 : outArcs.find(initial, terminal, key, mask);
  }
  const position = inArcs.find(terminal, initial, key, mask);
  if (position < 0) return -1;
  return outArcs.find(initial, terminal, inArcs.word1At(terminal, position) & ARC_KEY_MASK);
}

/** Returns true if a terminal would list only part of its inarcs: it must list all or none. */
export function isForwardOnlyMix({ inArcs }: GraphStore, terminal: number, flags: number): boolean {
  if (inArcs.degree(terminal) === 0) return false;
  return inArcs.length(terminal) > 0 !== ((flags & ArcFlag.ForwardOnly) === 0);
}

function resolveInitial(store: GraphStore, operation: Operation): number {
  const { vertex, at } = operation;
  if (vertex === 0) return addVertex(store, operation.id, UNTYPED, true, at);
  if (store.vertices.isVirtual(vertex)) promoteVirtual(store, vertex, at);
  return vertex;
}

function resolveTerminal(store: GraphStore, operation: Operation, initial: number): number {
  const { terminal, terminalId, at } = operation;
  if (terminal !== 0) {
    restampIfUnreferenced(store, terminal, at);
    return terminal;
  }
  if (operation.vertex === 0 && isSameText(terminalId, operation.id)) return initial;
  return addVertex(store, terminalId, UNTYPED, false, at);
}
