// Removes arcs.

import { Header } from "../memory/layout.js";
import { D_ANY, D_BOTH, D_IN, D_OUT } from "../model/constants.js";
import { invalidArgument } from "../model/invalid-argument.js";
import { apply } from "../operations/apply.js";
import { findArc, loadArcEnds } from "../operations/arcs.js";
import type { ArcTest } from "../query/match/arc-test.js";
import { compileArcFilter } from "../query/parse/arc-filter.js";
import type { ArcFilter, VertexCondition } from "../query/parse/query-options.js";
import { SimpleArcFilter } from "../query/parse/simple-arc-filter.js";
import { isReference } from "../query/parse/traverse-rule.js";
import type { ArcRuns } from "../store/arc-runs.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import type { Access } from "../store/session-view.js";
import { begin } from "./change-vertex.js";
import { LockedChange, waitForLock } from "./run-with-locks.js";
import {
  isLockedByOther,
  requireMutableArcs,
  resolveExisting,
  type VertexKey,
} from "./vertex-key.js";

const PLAIN = new SimpleArcFilter();
/** Arcs per commit: few enough not to delay readers. */
const STEP = 64;
const ARC_ITEMS = 3;

export interface DisconnectOptions {
  /** Undefined: every arc in both directions; otherwise outbound by default. */
  readonly arc?: ArcFilter | undefined;
  /** The vertex at the other end: an id, a vertex or `{id}`. */
  readonly neighbor?: VertexCondition | undefined;
  /** Milliseconds to wait for vertices held by others; negative: no limit. */
  readonly timeout?: number;
}

class Disconnect extends LockedChange<number> {
  vertex: VertexKey = 0;
  arc: ArcFilter | undefined = undefined;
  /** Id of the only neighbor, null for any. */
  neighbor: string | null = null;
  /** True for arcs from one vertex to another: `PLAIN` can represent most filters of these. */
  isPair = false;
  test: ArcTest | null = null;

  protected try(access: Access): number {
    const { store } = access;
    const { arc, vertex } = this;
    // Requires the mutex: without it, codes of relationships may be reassigned.
    const isPlain = this.isPair && PLAIN.read(store.relationships, arc!, D_OUT);
    if (!isPlain || PLAIN.direction !== D_OUT) return this.#removeMatching(access);
    requireMutableArcs(access);
    const from = resolveExisting(store, vertex);
    const to = store.ids.resolve(this.neighbor!);
    if (to === 0) return 0;
    const isHeld = isLockedByOther(access, from) || isLockedByOther(access, to);
    return isHeld ? this.#removeMatching(access) : removePair(store, from, to);
  }

  #removeMatching(access: Access): number {
    const { store } = access;
    this.test ??= compileTest(store, this.arc);
    requireMutableArcs(access);
    this.test.bind(store.relationships);
    const anchor = resolveExisting(store, this.vertex);
    const neighbor = this.neighbor === null ? 0 : store.ids.resolve(this.neighbor);
    if (this.neighbor !== null && neighbor === 0) return 0;
    const arcs = findMatching(store, anchor, neighbor, this.test);
    waitIfHeld(access, arcs);
    return disconnectAll(store, arcs);
  }
}

const DISCONNECT = new Disconnect();

/** @throws QueryError */
function compileTest(store: GraphStore, arc: ArcFilter | undefined): ArcTest {
  return compileArcFilter(store, arc, arc === undefined ? D_ANY : D_OUT, "arc");
}

/**
 * Removes the matching arcs of a vertex.
 * @returns number of arcs removed
 * @throws QueryError, AccessError, KeyError
 */
export function disconnect(
  access: Access,
  vertex: VertexKey,
  { arc, neighbor, timeout = 0 }: DisconnectOptions = {},
): number {
  const { store } = access;
  const isPair = arc !== undefined && typeof neighbor === "string" && !neighbor.includes("*");
  DISCONNECT.vertex = vertex;
  DISCONNECT.arc = arc;
  DISCONNECT.isPair = isPair;
  DISCONNECT.test = isPair ? null : compileTest(store, arc);
  DISCONNECT.neighbor = isPair ? neighbor : exactId(neighbor);
  return DISCONNECT.run(access, timeout);
}

/** Removes the arcs between two vertices, one operation each. */
function removePair(store: GraphStore, from: number, to: number): number {
  const { outArcs, vertices } = store;
  const { key, mask } = PLAIN;
  loadArcEnds(store, from, to);
  let removed = 0;
  // The terminal may vanish with its last arc, and its handle be reused.
  while (vertices.isUsed(to)) {
    const position = findArc(store, from, to, key, mask);
    if (position < 0) break;
    removed += disconnectArc(store, from, to, outArcs.word1At(from, position));
  }
  return removed;
}

/** Initial, terminal and word 1 of each arc to remove. */
type ArcList = number[];

/** Returns the matching arcs of a vertex to one neighbor, or to any (0). */
function findMatching(store: GraphStore, anchor: number, neighbor: number, test: ArcTest): ArcList {
  const { direction } = test;
  const arcs: ArcList = [];
  const isPaired = direction === D_BOTH;
  if (direction !== D_IN) {
    for (const at of matchingPositions(store.outArcs, anchor, neighbor, test)) {
      const other = store.outArcs.otherAt(anchor, at);
      if (isPaired && !hasMatch(store.inArcs, anchor, other, test)) continue;
      arcs.push(anchor, other, store.outArcs.word1At(anchor, at));
    }
  }
  if (direction !== D_OUT) {
    for (const at of matchingPositions(store.inArcs, anchor, neighbor, test)) {
      const other = store.inArcs.otherAt(anchor, at);
      if (isPaired && !hasMatch(store.outArcs, anchor, other, test)) continue;
      arcs.push(other, anchor, store.inArcs.word1At(anchor, at));
    }
  }
  return arcs;
}

function matchingPositions(runs: ArcRuns, vertex: number, other: number, test: ArcTest): number[] {
  const all = other === 0 ? Array.from({ length: runs.length(vertex) }, (_, at) => at) : [];
  const candidates = other === 0 ? all : runs.findAll(vertex, other, test.relationship);
  return candidates.filter((at) =>
    test.matches(runs.word1At(vertex, at), runs.valueAt(vertex, at)),
  );
}

function hasMatch(runs: ArcRuns, vertex: number, other: number, test: ArcTest): boolean {
  return matchingPositions(runs, vertex, other, test).length > 0;
}

/** Ends the attempt while another session holds an end of one of the arcs. */
function waitIfHeld(access: Access, arcs: ArcList): void {
  const { store } = access;
  if (store.memory.header.words[Header.LocksHeld] === 0) return;
  for (let arc = 0; arc < arcs.length; arc += ARC_ITEMS) {
    if (isLockedByOther(access, arcs[arc]!)) waitForLock(store, arcs[arc]!);
    if (isLockedByOther(access, arcs[arc + 1]!)) waitForLock(store, arcs[arc + 1]!);
  }
}

/**
 * Removes existing arcs, one operation each, several per commit. Runs from the last to the first
 * arc, so that the remaining ones need not move in the index.
 */
function disconnectAll(store: GraphStore, arcs: ArcList): number {
  let removed = 0;
  for (let arc = arcs.length - ARC_ITEMS; arc >= 0; arc -= ARC_ITEMS) {
    removed += disconnectArc(store, arcs[arc]!, arcs[arc + 1]!, arcs[arc + 2]!);
    if (removed % STEP === 0) store.writer.commit();
  }
  return removed;
}

function disconnectArc(
  store: GraphStore,
  initial: number,
  terminal: number,
  word1: number,
): number {
  const operation = begin(store, OperationCode.Disconnect, initial);
  operation.terminal = terminal;
  operation.name = word1 >>> 16;
  operation.modifier = (word1 >>> 8) & 0xff;
  return apply(store, operation);
}

/**
 * Returns the id of the neighbor, null for any.
 * @throws QueryError
 */
function exactId(neighbor: VertexCondition | undefined): string | null {
  if (neighbor === undefined || neighbor === null || neighbor === "*") return null;
  const named = isReference(neighbor) ? neighbor : onlyMember(neighbor);
  if (isReference(named)) return named.id;
  if (typeof named !== "string" || /(^|[^\\])\*/.test(named)) {
    const text = "Vertex conditions other than exact ID match not allowed";
    throw invalidArgument(text, named ?? neighbor, 'an id, a vertex, { id: "..." }', "neighbor");
  }
  return named.replaceAll("\\*", "*");
}

/** Returns the id of a condition that has no other member. */
function onlyMember(condition: unknown): unknown {
  if (typeof condition !== "object" || condition === null) return condition;
  const [member, ...others] = Object.entries(condition);
  return member?.[0] === "id" && others.length === 0 ? member[1] : null;
}
