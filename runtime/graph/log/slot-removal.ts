// Removes the vertices of slots and the arcs that belong to them, in commits of limited size. The
// vertices were listed before: if one was removed since, its handle may have been reused, which its
// generation reveals.

import { Header } from "../memory/layout.js";
import { nowSeconds } from "../memory/time.js";
import { apply } from "../operations/apply.js";
import { MAX_PREFETCHED, prefetchRemovals } from "../operations/prefetch-vertices.js";
import { hasAnchors, isAnchor } from "../operations/require-owner.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { changeSlots } from "./change-slots.js";

/** Limit per commit of the words of its records, and of the entries of its undo log. */
const MAX_WORDS = 2 ** 16;
const NAME_SHIFT = 16;

type Remove = (vertex: number) => void;

/** Handles with the generations of their vertices. */
export class ListedVertices {
  readonly handles: Uint32Array;
  readonly #generations: Uint32Array;
  readonly #store: GraphStore;
  #positions: ReadonlyMap<number, number> | null = null;

  constructor(store: GraphStore, vertices: readonly number[]) {
    this.#store = store;
    this.handles = Uint32Array.from(vertices);
    this.#generations = this.handles.map((vertex) => store.vertices.generationOf(vertex));
  }

  /** Returns whether the listed vertex at a position still exists. */
  exists(position: number): boolean {
    const { vertices } = this.#store;
    const handle = this.handles[position]!;
    return vertices.isUsed(handle) && vertices.generationOf(handle) === this.#generations[position];
  }

  /** Returns whether a vertex is listed and still exists. */
  has(vertex: number): boolean {
    this.#positions ??= new Map([...this.handles].map((handle, position) => [handle, position]));
    const position = this.#positions.get(vertex);
    return position !== undefined && this.exists(position);
  }
}

export class SlotRemoval {
  readonly #store: GraphStore;
  readonly #listed: ListedVertices;

  constructor(store: GraphStore, listed: ListedVertices) {
    this.#store = store;
    this.#listed = listed;
  }

  run(): void {
    if (hasAnchors(this.#store)) {
      // Arcs from anchors are removed first: vertices with inarcs would remain as virtual ones.
      this.#each((vertex) => this.#removeArcsOfAnchors(vertex));
      this.#removeUnlisted();
    }
    this.#each((vertex) => this.#removeVertex(vertex));
  }

  #each(remove: Remove): void {
    const { handles } = this.#listed;
    for (let next = 0; next < handles.length; ) {
      changeSlots(this.#store, () => {
        const end = Math.min(handles.length, next + MAX_PREFETCHED);
        prefetchRemovals(this.#store, handles, next);
        while (next < end && !this.#isFull) {
          if (this.#listed.exists(next)) remove(handles[next]!);
          // If full, the vertex may have more arcs, so the next commit continues with it.
          if (!this.#isFull) next++;
        }
      });
    }
  }

  /** True if the commit has reached its maximum size, so that another one has to follow. */
  get #isFull(): boolean {
    const { writer, memory } = this.#store;
    return writer.loggedWords >= MAX_WORDS || memory.header.words[Header.UndoCount]! >= MAX_WORDS;
  }

  #removeVertex(vertex: number): void {
    const { vertices, outArcs } = this.#store;
    if (vertices.isReal(vertex)) return this.#perform(OperationCode.DeleteVertex, vertex);
    while (vertices.isUsed(vertex) && outArcs.degree(vertex) > 0 && !this.#isFull) {
      this.#removeArc(vertex, 0);
    }
  }

  #removeArcsOfAnchors(vertex: number): void {
    const store = this.#store;
    const { inArcs } = store;
    // From the end: the arc that replaces a removed one was visited before.
    for (let place = inArcs.length(vertex) - 1; place >= 0 && !this.#isFull; place--) {
      // `Disconnect` removes all arcs from an anchor at once, so the run may be shorter now.
      if (place >= inArcs.length(vertex)) continue;
      const tail = inArcs.otherAt(vertex, place);
      if (isAnchor(store, tail)) this.#perform(OperationCode.Disconnect, tail, vertex);
    }
  }

  /** Removes forward-only arcs from anchors, in commits of limited size. */
  #removeUnlisted(): void {
    const store = this.#store;
    const listed = this.#listed;
    const { vertices, outArcs, inArcs } = store;
    const isUnlisted = (head: number): boolean => inArcs.degree(head) > inArcs.length(head);
    if (!listed.handles.some(isUnlisted)) return;
    for (let tail = 1; tail < vertices.end; tail++) {
      const isTail = (): boolean => vertices.isUsed(tail) && isAnchor(store, tail);
      if (!isTail()) continue;
      for (let place = outArcs.degree(tail) - 1; place >= 0; ) {
        changeSlots(store, () => {
          place = isTail() ? Math.min(place, outArcs.degree(tail) - 1) : -1;
          for (; place >= 0 && !this.#isFull; place--) {
            if (listed.has(outArcs.otherAt(tail, place))) this.#removeArc(tail, place);
          }
        });
      }
    }
  }

  #removeArc(tail: number, place: number): void {
    const { outArcs } = this.#store;
    const word1 = outArcs.word1At(tail, place);
    const head = outArcs.otherAt(tail, place);
    const [name, modifier] = [word1 >>> NAME_SHIFT, (word1 >>> 8) & 0xff];
    this.#perform(OperationCode.Disconnect, tail, head, name, modifier);
  }

  #perform(
    code: typeof OperationCode.DeleteVertex | typeof OperationCode.Disconnect,
    vertex: number,
    terminal = 0,
    name = 0,
    modifier = 0,
  ): void {
    const { operation } = this.#store;
    operation.code = code;
    operation.vertex = vertex;
    operation.terminal = terminal;
    operation.name = name;
    operation.modifier = modifier;
    operation.at = nowSeconds();
    apply(this.#store, operation);
  }
}
