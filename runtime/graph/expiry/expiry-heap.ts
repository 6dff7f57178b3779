// What expires, and when: a binary heap in shared memory.

import { InternalError } from "../errors.js";
import type { Writer } from "../memory/writer.js";

export class ExpiryHeap {
  // biome-ignore lint/complexity/noUselessConstructor: says what it gets
  constructor(_writer: Writer) {}

  /** In a mutation: lays out what an empty graph has; called for a new and a truncated one. */
  format(): void {}

  /** In a mutation: lets the processor look at a vertex at a second. */
  schedule(_vertex: number, _second: number): void {
    throw new InternalError("not written yet");
  }

  /** In a mutation. */
  cancel(_vertex: number): void {
    throw new InternalError("not written yet");
  }
}
