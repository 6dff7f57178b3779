// Groups the arcs of a traversal by head, relationship and value class, and passes one arc per
// group to another sink.

import { ARC_WORDS } from "../../memory/layout.js";
import { arcSortValue } from "../../model/arc-number.js";
import { M_FLTAGGR, M_INTAGGR } from "../../model/constants.js";
import { SearchError } from "../../model/errors.js";
import { FLOAT_MODIFIER, MODIFIERS, valueBits } from "../../model/modifiers.js";
import type { GraphStore } from "../../store/graph-store.js";
import type { ArcTest } from "../match/arc-test.js";
import { ArcBatch, HitSide, type HitSink } from "./hit-sink.js";

interface Mode {
  readonly first: (value: number) => number;
  readonly next: (sum: number, value: number) => number;
  /** Modifier of the result, whatever the value class. */
  readonly modifier?: number;
}

const same = (value: number): number => value;
const sum = (a: number, b: number): number => a + b;

/** Aggregation functions by name. */
const MODES: ReadonlyMap<unknown, Mode> = new Map([
  ["first", { first: same, next: same }],
  ["max", { first: same, next: Math.max }],
  ["min", { first: same, next: Math.min }],
  ["average", { first: same, next: sum, modifier: M_FLTAGGR }],
  ["count", { first: () => 1, next: (count: number) => count + 1, modifier: M_INTAGGR }],
  ["sum", { first: same, next: sum }],
  ["sqsum", { first: (a: number) => a * a, next: (a: number, b: number) => a + b * b }],
  ["product", { first: same, next: (a: number, b: number) => a * b }],
]);

/** Names of the modes, for messages. */
export const AGGREGATE_MODES = [...MODES.keys()].join(", ");

export function isAggregateMode(mode: unknown): boolean {
  return MODES.has(mode);
}

export interface GroupOptions {
  readonly mode: string;
  /** Test for groups; null to keep all. */
  readonly test: ArcTest | null;
  /** Maximum number of arcs that are grouped. */
  readonly deepHits: number;
}

interface Group {
  readonly head: number;
  readonly generation: number;
  /** Word 1 of the resulting arc. */
  readonly word1: number;
  value: number;
  arcs: number;
}

/** Memory limit: a traversal can reach every vertex. */
const MAX_GROUPS = 1_000_000;
/** Heads take 32 bits, relationships 16, value classes 1. */
const RELATIONSHIPS = 2 ** 17;

export class ArcGroupBuffer implements HitSink {
  readonly isCountOnly = false;
  readonly countsNeighbors: boolean;
  readonly #store: GraphStore;
  readonly #sink: HitSink;
  readonly #options: GroupOptions;
  readonly #mode: Mode;
  readonly #groups = new Map<number, Group>();
  readonly #generations = new Map<number, number>();
  #room: number;

  constructor(store: GraphStore, sink: HitSink, options: GroupOptions) {
    this.#store = store;
    this.#sink = sink;
    this.#options = options;
    this.#mode = MODES.get(options.mode)!;
    this.#room = options.deepHits;
    this.countsNeighbors = sink.countsNeighbors;
  }

  get room(): number {
    return this.#room;
  }

  /** @throws SearchError too many groups */
  take({ words, from, end }: ArcBatch): boolean {
    for (let arc = from; arc < end && this.#room > 0; arc += ARC_WORDS, this.#room--) {
      this.#add(words[arc]!, words[arc + 1]!, arcSortValue(words[arc + 1]!, words[arc + 2]!));
    }
    return this.#room > 0;
  }

  count(): void {}

  addNeighbors(count: number): void {
    this.#sink.addNeighbors(count);
  }

  #add(head: number, word1: number, value: number): void {
    const { first, next, modifier } = this.#mode;
    const isFloat = ((word1 >>> 8) & FLOAT_MODIFIER) !== 0;
    // Counts ignore values.
    const valueClass = modifier === M_INTAGGR || !isFloat ? 0 : 1;
    const relationship = word1 >>> 16;
    const key = head * RELATIONSHIPS + relationship * 2 + valueClass;
    const group = this.#groups.get(key);
    if (group !== undefined) {
      const { mode } = this.#options;
      if (mode !== "first") group.value = next(group.value, value);
      group.arcs++;
      return;
    }
    if (this.#groups.size === MAX_GROUPS) {
      throw new SearchError(`arcs make more than ${MAX_GROUPS} groups: filter, or set deephits`);
    }
    const chosen = modifier ?? (isFloat ? M_FLTAGGR : M_INTAGGR);
    const generation = this.#store.vertices.generationOf(head);
    const word = ((relationship << 16) | (chosen << 8)) >>> 0;
    this.#groups.set(key, { head, generation, word1: word, value: first(value), arcs: 1 });
  }

  /** Passes the groups to the sink as arcs, each from its head to itself. */
  flush(): void {
    const { test, mode } = this.#options;
    const batch = new ArcBatch(new Uint32Array(ARC_WORDS));
    batch.side = HitSide.Any;
    batch.level = 0;
    for (const { head, generation, word1, value, arcs } of this.#groups.values()) {
      const bits = toValueBits(word1, mode === "average" ? value / arcs : value);
      if (test !== null && !test.matches(word1, bits)) continue;
      this.#generations.set(head, generation);
      batch.tail = head;
      batch.words.set([head, word1, bits]);
      batch.from = 0;
      batch.end = ARC_WORDS;
      const hasRoom = this.#sink.isCountOnly ? this.#counted() : this.#sink.take(batch);
      if (!hasRoom) return;
    }
  }

  #counted(): boolean {
    this.#sink.count(1);
    return true;
  }

  /** Returns whether a vertex is still the head of a group. */
  isCurrent(head: number): boolean {
    const { vertices } = this.#store;
    return vertices.isUsed(head) && vertices.generationOf(head) === this.#generations.get(head);
  }
}

/** Converts a value to bits, saturating at the largest. */
function toValueBits(word1: number, value: number): number {
  const { kind, min, max } = MODIFIERS[(word1 >>> 8) & 0x1f]!;
  return valueBits(kind, Math.min(Math.max(value, min), max));
}
