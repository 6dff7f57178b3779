// The properties of all vertices: per key a column of packed cells.

import { InternalError } from "../errors.js";
import type { Reader } from "../memory/reader.js";
import type { Writer } from "../memory/writer.js";
import type { Names } from "./names.js";
import type { PropertyValue } from "./property-values.js";
import type { StringPool } from "./string-pool.js";

export class PropertyTable {
  // biome-ignore lint/complexity/noUselessConstructor: says what it gets
  constructor(_writer: Writer, _reader: Reader, _strings: StringPool, _keys: Names) {}

  /** In a mutation: lays out what an empty graph has; called for a new and a truncated one. */
  format(): void {}

  /** In a mutation. */
  set(_vertex: number, _key: number, _value: PropertyValue): void {
    throw new InternalError("not written yet");
  }

  /** In a mutation; false if there was none. */
  remove(_vertex: number, _key: number): boolean {
    throw new InternalError("not written yet");
  }

  /** In a mutation: removes all; returns how many there were. */
  clear(_vertex: number): number {
    throw new InternalError("not written yet");
  }

  get(_vertex: number, _key: number): PropertyValue | undefined {
    throw new InternalError("not written yet");
  }

  has(_vertex: number, _key: number): boolean {
    throw new InternalError("not written yet");
  }

  keysOf(_vertex: number): number[] {
    throw new InternalError("not written yet");
  }

  all(_vertex: number): Record<string, PropertyValue> {
    throw new InternalError("not written yet");
  }
}
