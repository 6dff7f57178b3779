// Memory objects of programs: cells that the expressions of a query share, and that persist between
// queries; see "Memory" in docs/reference/expressions.md. A memory belongs to its graph and to the
// thread that created it.

import { Float } from "../../base/float.js";
import { AccessError, IndexError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { PackedValue, validatePropertyValue } from "../store/property-values.js";
import { MAX_CELLS, MIN_CELLS } from "./limits.js";
import { MemoryCells } from "./memory-cells.js";
import { type EvaluationResult, toPlainValue } from "./result-values.js";
import { Bits, Pair, type Value } from "./values.js";

/** Values that a cell accepts: `[n]` for bits, `[key, value]` for a pair. */
export type MemoryCell =
  | null
  | number
  | bigint
  | string
  | Uint8Array
  | Float
  | readonly [bits: number]
  | readonly [key: number, value: number];

/** Returns the cells of a memory, for queries of its graph. */
let cellsOf: (memory: Memory, store: GraphStore) => MemoryCells;

export class Memory {
  readonly #store: GraphStore;
  readonly #cells: MemoryCells;

  /**
   * @param initial number of cells, at least 4, rounded up to a power of two; or their values
   * @throws ValueError an invalid or too large size; TypeError
   */
  constructor(store: GraphStore, initial: number | readonly MemoryCell[]) {
    const isSize = typeof initial === "number";
    if (!isSize && !Array.isArray(initial)) throw new TypeError("a size or a list is required");
    this.#store = store;
    const size = isSize ? initial : Math.max((initial as readonly MemoryCell[]).length, MIN_CELLS);
    this.#cells = new MemoryCells(size);
    if (isSize) return;
    (initial as readonly MemoryCell[]).forEach((value, index) => {
      this.set(index, value);
    });
  }

  /** Number of cells. */
  get length(): number {
    return this.#cells.size;
  }

  /** Binary logarithm of the number of cells. */
  get order(): number {
    return Math.log2(this.#cells.size);
  }

  /** Contents of register R1. */
  get R1(): EvaluationResult {
    return this.get(-1);
  }

  /** Contents of register R2. */
  get R2(): EvaluationResult {
    return this.get(-2);
  }

  /** Contents of register R3. */
  get R3(): EvaluationResult {
    return this.get(-3);
  }

  /** Contents of register R4. */
  get R4(): EvaluationResult {
    return this.get(-4);
  }

  /**
   * Returns the value of a cell; negative indexes count from the end.
   * @throws IndexError
   */
  get(index: number): EvaluationResult {
    return toPlainValue(this.#store, this.#cells.cells[this.#checked(index)]!);
  }

  /**
   * Sets a cell.
   * @throws IndexError; TypeError a value that cells cannot hold
   */
  set(index: number, value: MemoryCell): void {
    this.#cells.cells[this.#checked(index)] = cellValue(value);
  }

  /** Returns the values of all cells, or of those from `from` to before `to`. */
  toArray(from = 0, to = this.length): EvaluationResult[] {
    return this.#cells.cells.slice(from, to).map((value) => toPlainValue(this.#store, value));
  }

  /** Returns the values on the stack of `push`, last first. */
  stack(): EvaluationResult[] {
    return this.#cells.stack.map((value) => toPlainValue(this.#store, value));
  }

  /** Sets all cells to an arithmetic progression and empties the sets. */
  reset(value = 0, step = 0): void {
    this.#cells.reset(value, step);
  }

  #checked(index: number): number {
    const at = index < 0 ? this.length + index : index;
    if (Number.isInteger(at) && at >= 0 && at < this.length) return at;
    throw new IndexError("list index out of range");
  }

  static {
    cellsOf = (memory, store) => {
      if (memory.#store === store) return memory.#cells;
      throw new AccessError("memory belongs to another graph or thread");
    };
  }
}

function cellValue(value: MemoryCell): Value {
  if (typeof value === "bigint") return BigInt.asIntN(64, value);
  if (Array.isArray(value)) {
    const [first, second] = value as readonly number[];
    if (value.length === 1 && Number.isInteger(first)) return new Bits(BigInt(first!));
    if (value.length === 2) return new Pair(Number(first), Number(second));
  } else if (isCell(value)) {
    const checked = validatePropertyValue(value);
    if (!(checked instanceof PackedValue) || value instanceof Uint8Array) return checked;
  }
  throw new TypeError(
    "valid types are: number, string, bytes, [key, value], singleton list [n], null",
  );
}

function isCell(value: unknown): boolean {
  if (value === null || typeof value === "number" || typeof value === "string") return true;
  return value instanceof Float || value instanceof Uint8Array;
}

/**
 * Returns the cells of a query's `memory` option, an object or a size; null for cells of its own.
 * @throws TypeError, ValueError, AccessError
 */
export function memoryOption(store: GraphStore, memory: unknown): MemoryCells | null {
  if (memory === undefined || memory === null) return null;
  if (memory instanceof Memory) return cellsOf(memory, store);
  if (typeof memory !== "number") throw new TypeError("memory must be a Memory or a number");
  return new MemoryCells(Math.min(memory, MAX_CELLS + 1));
}
