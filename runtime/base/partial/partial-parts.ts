// The keys or the items of a partial, stored as a table of offsets and the concatenated parts.
// Example with three parts, `aaa`, an empty one and `bbbbb`:
//
//    table   u32[count + 1]   0  3  3  8        start of each part, then the end of the last one
//    first   aaabbbbb                           the parts; offsets count from here
//
// Only `PartialView` creates it: it checks that both lie within the bytes, and validates the
// offsets before use.

import { isUtf8 } from "node:buffer";

/** Shorter parts are copied in JavaScript, without the cost of a native call. */
const MAX_OWN_COPY_BYTES = 48;

export class PartialParts {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #count: number;
  readonly #table: number;
  readonly #first: number;
  /** End of the last part. */
  readonly end: number;

  /**
   * @param table offset of the table in `bytes`
   * @param first offset of the parts in `bytes`
   */
  constructor(bytes: Buffer, view: DataView, count: number, table: number, first: number) {
    this.#bytes = bytes;
    this.#view = view;
    this.#count = count;
    this.#table = table;
    this.#first = first;
    this.end = this.start(count);
  }

  /** Returns the offset of a part, which is the end of the preceding one. */
  start(index: number): number {
    return this.#first + this.#view.getUint32(this.#table + 4 * index, true);
  }

  length(index: number): number {
    return this.start(index + 1) - this.start(index);
  }

  text(index: number): string {
    return this.#bytes.toString("utf8", this.start(index), this.start(index + 1));
  }

  /** @returns the end of the copy, which starts at `at` */
  copy(index: number, target: Buffer, at: number): number {
    const start = this.start(index);
    const length = this.start(index + 1) - start;
    if (length > MAX_OWN_COPY_BYTES) {
      this.#bytes.copy(target, at, start, start + length);
    } else {
      for (let i = 0; i < length; i++) target[at + i] = this.#bytes[start + i]!;
    }
    return at + length;
  }

  /** Compares two parts bytewise; a prefix comes first. */
  compare(index: number, other: PartialParts, otherIndex: number): number {
    const view = this.#view;
    const otherView = other.#view;
    const length = this.length(index);
    const otherLength = other.length(otherIndex);
    const common = Math.min(length, otherLength);
    let at = this.start(index);
    let otherAt = other.start(otherIndex);
    const end = at + common;
    // Four bytes a step, because ids often share prefixes. Big-endian, so that they compare as one
    // number.
    for (; at + 4 <= end; at += 4, otherAt += 4) {
      const difference = view.getUint32(at) - otherView.getUint32(otherAt);
      if (difference !== 0) return difference;
    }
    for (; at < end; at++, otherAt++) {
      const difference = view.getUint8(at) - otherView.getUint8(otherAt);
      if (difference !== 0) return difference;
    }
    return length - otherLength;
  }

  /** Returns whether the offsets ascend and, for text, whether each part is UTF-8. */
  isValid(isText: boolean): boolean {
    const view = this.#view;
    const bytes = this.#bytes;
    const first = this.#first;
    // The whole is UTF-8, and no part starts within a character.
    if (isText && !isUtf8(bytes.subarray(first, this.end))) return false;
    const total = this.end - first;
    let previous = 0;
    let at = this.#table;
    if (view.getUint32(at, true) !== 0) return false;
    for (let i = 1; i <= this.#count; i++) {
      at += 4;
      const offset = view.getUint32(at, true);
      if (offset < previous) return false;
      if (isText && offset < total && (bytes[first + offset]! & 0xc0) === 0x80) return false;
      previous = offset;
    }
    return true;
  }
}
