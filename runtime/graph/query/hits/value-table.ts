// Numbers the distinct values of a property: a hash table over cells. Equal strings share a
// pointer, so no string is compared. The serial number tells strings apart that used the same
// memory.

import type { GraphStore } from "../../store/graph-store.js";
import { isStringCell, kindOfCell, numberOfCell } from "../../store/property-cells.js";
import { PropertyKind } from "../../store/property-values.js";
import type { CellChunk } from "./cell-chunk.js";

export type FacetedValue = string | number | null;

const FIRST_SLOTS = 64;
const float = new Float64Array(1);
const floatWords = new Uint32Array(float.buffer);
const KEY_WORDS = 3;
/** Constants of a multiplicative hash. */
const [FACTOR, HIGH_FACTOR, SERIAL_FACTOR] = [0x9e37_79b1, 0x85eb_ca6b, 0xc2b2_ae35];

/** Slot of vertices without a number or a string. */
const NO_VALUE = -1;
/** The string was replaced since its cell was read: read the cell again. */
const OUTDATED = -2;

export class ValueTable {
  readonly values: FacetedValue[] = [];
  readonly #store: GraphStore;
  /** High word, low word and serial number by slot. */
  #keys = new Uint32Array(FIRST_SLOTS * KEY_WORDS);
  /** Slot plus 1 by hash; 0 for a free place. */
  #places = new Uint32Array(FIRST_SLOTS * 2);
  #missing = NO_VALUE;

  constructor(store: GraphStore) {
    this.#store = store;
  }

  /** Returns the slot of the value at an offset of a chunk; see `NO_VALUE` and `OUTDATED`. */
  slotAt({ high, low, serials }: CellChunk, at: number): number {
    if (isStringCell(high[at]!)) return this.#slotOf(high[at]!, low[at]!, serials[at]!, true);
    const kind = kindOfCell(high[at]!);
    if (kind !== PropertyKind.Number && kind !== PropertyKind.Float) return NO_VALUE;
    // Adding 0 turns -0 into 0.
    float[0] = numberOfCell(high[at]!, low[at]!) + 0;
    return this.#slotOf(floatWords[1]!, floatWords[0]!, 0, false);
  }

  /** Returns the slot of null. */
  get missingSlot(): number {
    if (this.#missing < 0) this.#missing = this.#append(null, 0xffff_ffff, 0xffff_ffff, 0);
    return this.#missing;
  }

  #slotOf(high: number, low: number, serial: number, isText: boolean): number {
    const keys = this.#keys;
    for (let place = this.#hash(high, low, serial); ; place = this.#next(place)) {
      const slot = this.#places[place]! - 1;
      if (slot < 0) break;
      const at = slot * KEY_WORDS;
      if (keys[at] === high && keys[at + 1] === low && keys[at + 2] === serial) return slot;
    }
    if (!isText) return this.#append(float[0]!, high, low, 0);
    const { strings } = this.#store;
    const text = strings.text(low);
    return strings.serialOf(low) === serial ? this.#append(text, high, low, serial) : OUTDATED;
  }

  #append(value: FacetedValue, high: number, low: number, serial: number): number {
    const slot = this.values.length;
    if ((slot + 1) * KEY_WORDS > this.#keys.length) this.#grow();
    this.values.push(value);
    this.#keys.set([high, low, serial], slot * KEY_WORDS);
    this.#place(slot);
    return slot;
  }

  #place(slot: number): void {
    const at = slot * KEY_WORDS;
    let place = this.#hash(this.#keys[at]!, this.#keys[at + 1]!, this.#keys[at + 2]!);
    while (this.#places[place] !== 0) place = this.#next(place);
    this.#places[place] = slot + 1;
  }

  #grow(): void {
    const keys = new Uint32Array(this.#keys.length * 2);
    keys.set(this.#keys);
    this.#keys = keys;
    this.#places = new Uint32Array(this.#places.length * 2);
    for (let slot = 0; slot < this.values.length; slot++) this.#place(slot);
  }

  #hash(high: number, low: number, serial: number): number {
    const mixed = low ^ Math.imul(high, HIGH_FACTOR) ^ Math.imul(serial, SERIAL_FACTOR);
    const spread = Math.imul(mixed, FACTOR);
    return ((spread ^ (spread >>> 15)) >>> 0) & (this.#places.length - 1);
  }

  #next(place: number): number {
    return (place + 1) & (this.#places.length - 1);
  }
}

/** Reads the cell of one vertex until its value has a slot. */
export function slotOfVertex(
  table: ValueTable,
  chunk: CellChunk,
  heads: Uint32Array,
  from: number,
  at: number,
): number {
  let slot = table.slotAt(chunk, at);
  while (slot === OUTDATED) {
    chunk.readOne(heads[from + at]!, at);
    slot = table.slotAt(chunk, at);
  }
  return slot;
}
