// Removes the vertices of slots and the arcs that belong to them, in commits of limited size. The
// vertices were listed before: where one is gone, its handle may have got another one, which is
// recognized under the mutex.

import { Header } from "../memory/layout.js";
import { nowSeconds } from "../memory/time.js";
import { apply } from "../operations/apply.js";
import { MOST_PREFETCHED, prefetchRemovals } from "../operations/prefetch-vertices.js";
import { hasAnchors, isAnchor } from "../operations/require-owner.js";
import type { GraphStore } from "../store/graph-store.js";
import { OperationCode } from "../store/operation.js";
import { changeSlots } from "./change-slots.js";

/** Words of the records of one commit, and entries of its undo log. */
const MAX_WORDS = 2 ** 16;
const NAME_SHIFT = 16;

type Remove = (vertex: number) => void;

/** Handles with the generations of their vertices. */
export class ListedVertices {
  readonly handles: Uint32Array;
  readonly #generations: Uint32Array;
  readonly #store: GraphStore;
  #places: ReadonlyMap<number, number> | null = null;

  constructor(store: GraphStore, vertices: readonly number[]) {
    this.#store = store;
    this.handles = Uint32Array.from(vertices);
    this.#generations = this.handles.map((vertex) => store.vertices.generationOf(vertex));
  }

  /** Returns whether a listed vertex is still there. */
  isThere(place: number): boolean {
    const { vertices } = this.#store;
    const handle = this.handles[place]!;
    return vertices.isUsed(handle) && vertices.generationOf(handle) === this.#generations[place];
  }

  /** Returns whether a vertex was listed, and is still there. */
  has(vertex: number): boolean {
    this.#places ??= new Map([...this.handles].map((handle, place) => [handle, place]));
    const place = this.#places.get(vertex);
    return place !== undefined && this.isThere(place);
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
      // Arcs between them end first, so that no vertex stays behind as a virtual one.
      this.#each((vertex) => this.#removeArcsOfAnchors(vertex));
      this.#removeUnlisted();
    }
    this.#each((vertex) => this.#removeVertex(vertex));
  }

  #each(remove: Remove): void {
    const { handles } = this.#listed;
    for (let next = 0; next < handles.length; ) {
      changeSlots(this.#store, () => {
        const end = Math.min(handles.length, next + MOST_PREFETCHED);
        prefetchRemovals(this.#store, handles, next);
        while (next < end && !this.#isFull) {
          if (this.#listed.isThere(next)) remove(handles[next]!);
          // The next commit goes on with one that has more arcs.
          if (!this.#isFull) next++;
        }
      });
    }
  }

  /** Whether a commit is so large that another one has to follow. */
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
    // From the end: one that replaces a removed one was visited before.
    for (let place = inArcs.length(vertex) - 1; place >= 0 && !this.#isFull; place--) {
      // All arcs of an anchor end at once.
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
