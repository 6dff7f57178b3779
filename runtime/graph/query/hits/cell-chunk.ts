// Reads one property of many vertices into a chunk of cells. Consecutive vertices of one property
// group are read together. Takes no lock.

import { bitCount } from "../../memory/bit-count.js";
import type { GraphStore } from "../../store/graph-store.js";
import { isStringCell, kindOfCell, numberOfCell } from "../../store/property-cells.js";
import { CELL_WORDS, getGroup, getGroupBit } from "../../store/property-groups.js";
import { PropertyKind } from "../../store/property-values.js";

/** Vertices of a chunk. */
export const CHUNK = 4096;
/** High word of a missing property: its kind is 0, which no value has. */
const MISSING = 0xfff8_0000;

export class CellChunk {
  readonly key: string;
  readonly #store: GraphStore;
  /** By offset in the chunk. */
  readonly high = new Uint32Array(CHUNK);
  readonly low = new Uint32Array(CHUNK);
  /** Serial numbers of strings: their memory may be reused. */
  readonly serials = new Uint32Array(CHUNK);

  constructor(store: GraphStore, key: string) {
    this.#store = store;
    this.key = key;
  }

  read(heads: Uint32Array, from: number, end: number): void {
    const code = this.#store.keys.codeOf(this.key);
    for (let begin = from; begin < end; ) {
      const group = getGroup(heads[begin]!);
      let next = begin + 1;
      while (next < end && getGroup(heads[next]!) === group) next++;
      this.#readGroup(code, heads, begin, next, begin - from);
      begin = next;
    }
  }

  /** Reads the cell of one vertex again. */
  readOne(vertex: number, at: number): void {
    this.#readGroup(this.#store.keys.codeOf(this.key), [vertex], 0, 1, at);
  }

  /** Returns the number at an offset; NaN for anything else. */
  numberAt(at: number): number {
    const high = this.high[at]!;
    const kind = kindOfCell(high);
    const isNumber = kind === PropertyKind.Number || kind === PropertyKind.Float;
    return isNumber ? numberOfCell(high, this.low[at]!) : Number.NaN;
  }

  #readGroup(code: number, heads: ArrayLike<number>, from: number, end: number, at: number): void {
    const { properties, strings } = this.#store;
    const { groups } = properties;
    const { high: highs, low: lows, serials } = this;
    const first = heads[from]!;
    for (let attempt = 0; ; attempt++) {
      const seen = groups.enter(first, attempt);
      const { words } = groups.cells;
      const entry = code === 0 ? 0 : groups.entryOf(first, code);
      const bitmap = entry === 0 ? 0 : groups.bitmapOf(entry);
      const cells = entry === 0 ? 0 : groups.cellsOf(entry);
      for (let place = from, to = at; place < end; place++, to++) {
        const bit = 1 << getGroupBit(heads[place]!);
        const isThere = (bitmap & bit) !== 0;
        const cell = isThere ? cells + CELL_WORDS * bitCount(bitmap & (bit - 1)) : 0;
        const high = isThere ? words[cell + 1]! : MISSING;
        const low = isThere ? words[cell]! : 0;
        highs[to] = high;
        lows[to] = low;
        serials[to] = isStringCell(high) ? strings.serialOf(low) : 0;
      }
      if (groups.leave(first, seen)) return;
    }
  }
}
