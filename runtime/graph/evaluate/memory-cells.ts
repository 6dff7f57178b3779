// Cell array shared by all expressions of a query. Addresses are taken modulo its size, a power of
// two, so every address is valid:
//
//   cells   0 …  free for use  … | stack grows down from -5 | R4 R3 R2 R1 (-4 … -1)

import { ValueError } from "../model/errors.js";
import { MAX_CELLS, MIN_CELLS } from "./limits.js";
import { asNumber, isInt, type Value } from "./values.js";

const STACK_TOP = -5;
/** Not a key: keys of the set of ints are 32 bits, without this one. */
export const NO_KEY = 0xffff_ffff;

export class MemoryCells {
  readonly cells: Value[];
  readonly mask: number;
  /** Keys of `iset`, and handles of `vset`. */
  readonly ints = new Set<number>();
  readonly vertices = new Set<number>();
  #stack = STACK_TOP;

  /**
   * @param size rounded up to a power of two
   * @throws ValueError an invalid or too large size
   */
  constructor(size: number) {
    if (!Number.isInteger(size) || size < MIN_CELLS) {
      throw new ValueError(`size must be at least ${MIN_CELLS}`);
    }
    if (size > MAX_CELLS) throw new ValueError(`size must be at most ${MAX_CELLS}`);
    const cells = 2 ** Math.ceil(Math.log2(size));
    this.cells = new Array<Value>(cells).fill(0);
    this.mask = cells - 1;
  }

  get size(): number {
    return this.mask + 1;
  }

  /** Returns the index of an address. */
  at(address: Value): number {
    return (typeof address === "number" ? Math.trunc(address) : addressIn(address)) & this.mask;
  }

  load(address: Value): Value {
    return this.cells[this.at(address)]!;
  }

  store(address: Value, value: Value): Value {
    this.cells[this.at(address)] = value;
    return value;
  }

  push(value: Value): Value {
    this.cells[this.#stack & this.mask] = value;
    this.#stack--;
    return value;
  }

  pop(): Value {
    const value = this.top();
    this.#stack++;
    return value;
  }

  top(): Value {
    return this.cells[(this.#stack + 1) & this.mask]!;
  }

  /** Pushed values, last first. */
  get stack(): Value[] {
    const depth = Math.max(STACK_TOP - this.#stack, 0);
    return Array.from({ length: depth }, (_, index) => this.load(this.#stack + 1 + index));
  }

  /** Sets all cells to an arithmetic progression. */
  reset(value = 0, step = 0): void {
    for (let index = 0; index <= this.mask; index++) this.cells[index] = value + index * step;
    this.ints.clear();
    this.vertices.clear();
    this.#stack = STACK_TOP;
  }
}

function addressIn(address: Value): number {
  if (typeof address === "bigint") return Number(BigInt.asIntN(32, address));
  const number = asNumber(address);
  return isInt(address) || Number.isFinite(number) ? Math.trunc(number) : 0;
}
