// What a condition can ask of one vertex without walking on: its type, degrees, id, times and
// properties. Each check reads what it needs and nothing else; none takes a lock.

import { D_IN, D_OUT } from "../constants.js";
import { Record } from "../memory/layout.js";
import type { GraphStore } from "../store/graph-store.js";
import { shownSecond } from "../time.js";
import { findById } from "./anchor.js";
import type { ArcTest, DirectionNumber } from "./arc-test.js";
import { HandleSet } from "./handle-set.js";
import { type IntegerRange, isInRange } from "./integer-range.js";
import type { PropertyCondition } from "./property-condition.js";
import { type Scanners, scannersOf } from "./run-scanner.js";
import type { VertexCheck } from "./vertex-test.js";

/** Real or virtual. */
export class VirtualCheck implements VertexCheck {
  readonly #store: GraphStore;
  readonly #isVirtual: boolean;

  constructor(store: GraphStore, isVirtual: boolean) {
    this.#store = store;
    this.#isVirtual = isVirtual;
  }

  bind(): void {}

  passes(vertex: number): boolean {
    return this.#store.vertices.isVirtual(vertex) === this.#isVirtual;
  }
}

export class TypeCheck implements VertexCheck {
  readonly #store: GraphStore;
  readonly #name: string;
  readonly isEqual: boolean;
  /** 0 while no vertex was ever of the type. */
  code = 0;

  constructor(store: GraphStore, name: string, isEqual: boolean) {
    this.#store = store;
    this.#name = name;
    this.isEqual = isEqual;
  }

  bind(): void {
    this.code = this.#store.types.codeOf(this.#name);
  }

  passes(vertex: number): boolean {
    return (this.#store.vertices.typeOf(vertex) === this.code) === this.isEqual;
  }
}

/** Number of arcs on one side or both, by the counters. */
export class DegreeCheck implements VertexCheck {
  readonly #store: GraphStore;
  readonly #direction: DirectionNumber;
  readonly #range: IntegerRange;

  constructor(store: GraphStore, direction: DirectionNumber, range: IntegerRange) {
    this.#store = store;
    this.#direction = direction;
    this.#range = range;
  }

  bind(): void {}

  passes(vertex: number): boolean {
    const { vertices } = this.#store;
    const outDegree = this.#direction === D_IN ? 0 : vertices.outDegree(vertex);
    const inDegree = this.#direction === D_OUT ? 0 : vertices.inDegree(vertex);
    return isInRange(this.#range, outDegree + inDegree);
  }
}

/** Number of arcs that pass a filter. */
export class ArcCountCheck implements VertexCheck {
  readonly #store: GraphStore;
  readonly #scanners: Scanners;
  readonly #arc: ArcTest;
  readonly #direction: DirectionNumber;
  readonly #range: IntegerRange;

  constructor(store: GraphStore, arc: ArcTest, direction: DirectionNumber, range: IntegerRange) {
    this.#store = store;
    this.#scanners = scannersOf(store);
    this.#arc = arc;
    this.#direction = direction;
    this.#range = range;
  }

  bind(): void {
    this.#arc.bind(this.#store.relationships);
  }

  passes(vertex: number): boolean {
    const { outArcs, inArcs } = this.#scanners;
    const arc = this.#arc;
    const outward = this.#direction === D_IN ? 0 : outArcs.count(vertex, arc);
    const inward = this.#direction === D_OUT ? 0 : inArcs.count(vertex, arc);
    return isInRange(this.#range, outward + inward);
  }
}

/** One of some ids, by the handles that have them when the query starts. */
export class IdCheck implements VertexCheck {
  readonly #store: GraphStore;
  readonly #ids: readonly string[];
  readonly #set = new HandleSet();
  /** Handles of those that there are, each once. */
  readonly handles: number[] = [];

  constructor(store: GraphStore, ids: readonly string[]) {
    this.#store = store;
    this.#ids = ids;
  }

  bind(): void {
    this.#set.clear();
    this.handles.length = 0;
    for (const id of this.#ids) {
      const handle = findById(this.#store, id);
      if (handle !== 0 && this.#set.add(handle)) this.handles.push(handle);
    }
  }

  passes(vertex: number): boolean {
    return this.#set.has(vertex);
  }
}

export class IdPrefixCheck implements VertexCheck {
  readonly #store: GraphStore;
  readonly #prefix: Uint8Array;

  constructor(store: GraphStore, prefix: string) {
    this.#store = store;
    this.#prefix = new TextEncoder().encode(prefix);
  }

  bind(): void {}

  passes(vertex: number): boolean {
    return this.#store.ids.startsWith(vertex, this.#prefix);
  }
}

/** Words of `Record` that conditions call by these names. */
export const TIME_FIELDS = new Map<string, number>([
  ["created", Record.CreatedAt],
  ["modified", Record.ModifiedAt],
  ["expires", Record.ExpiresAt],
]);

export type TimeRange = readonly [field: number, range: IntegerRange];

/** Times of creation, modification and expiry, all of them. */
export class TimeCheck implements VertexCheck {
  readonly #store: GraphStore;
  readonly #times: readonly TimeRange[];
  readonly #isNegated: boolean;

  constructor(store: GraphStore, times: readonly TimeRange[], isNegated: boolean) {
    this.#store = store;
    this.#times = times;
    this.#isNegated = isNegated;
  }

  bind(): void {}

  passes(vertex: number): boolean {
    return this.#areAll(vertex) !== this.#isNegated;
  }

  #areAll(vertex: number): boolean {
    for (const [field, range] of this.#times) {
      const second = shownSecond(this.#store.vertices.fieldOf(vertex, field));
      if (!isInRange(range, second)) return false;
    }
    return true;
  }
}

export class PropertyCheck implements VertexCheck {
  readonly #condition: PropertyCondition;
  readonly #isNegated: boolean;

  constructor(condition: PropertyCondition, isNegated: boolean) {
    this.#condition = condition;
    this.#isNegated = isNegated;
  }

  bind(): void {
    this.#condition.bind();
  }

  passes(vertex: number): boolean {
    return this.#condition.matches(vertex) !== this.#isNegated;
  }
}
