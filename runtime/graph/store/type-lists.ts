// The vertices of each type as a dense list of handles. `Record.TypePosition` tells where in its
// list a vertex is, so that it leaves in constant time: the last one takes its place.

import { InternalError } from "../errors.js";
import type { Writer } from "../memory/writer.js";

export class TypeLists {
  readonly #writer: Writer;

  constructor(writer: Writer) {
    this.#writer = writer;
  }

  /** In a mutation: empty lists. */
  format(): void {
    throw new InternalError("not written yet");
  }

  count(_type: number): number {
    throw new InternalError("not written yet");
  }

  /** In a mutation. */
  add(_type: number, _handle: number): void {
    throw new InternalError("not written yet");
  }

  /** In a mutation. */
  remove(_type: number, _handle: number): void {
    throw new InternalError("not written yet");
  }

  /**
   * Copies the handles at the positions before `end`, as many as fit, and returns how many. Walk
   * down from `count`: a vertex that moves meanwhile may come twice, but none is missed.
   */
  copyBefore(_type: number, _end: number, _into: Uint32Array): number {
    throw new InternalError(`not written yet ${this.#writer}`);
  }
}
