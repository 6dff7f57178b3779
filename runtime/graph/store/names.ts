// One kind of enumerated names: relationships, vertex types or property keys. A name keeps its code
// until the graph is truncated, whatever becomes of its count.

import { InternalError } from "../errors.js";
import type { Writer } from "../memory/writer.js";
import type { StringPool } from "./string-pool.js";

/** What distinguishes the kinds. */
export interface NameKind {
  /** Header word that points to the table. */
  readonly headerWord: number;
  readonly firstCode: number;
  readonly lastCode: number;
  /** Names that every graph has, with codes of their own. */
  readonly system: readonly (readonly [name: string, code: number])[];
  /** Text of the error when there are no codes left. */
  readonly exhausted: string;
}

export class Names {
  readonly #writer: Writer;
  readonly #strings: StringPool;
  readonly #kind: NameKind;

  constructor(writer: Writer, strings: StringPool, kind: NameKind) {
    this.#writer = writer;
    this.#strings = strings;
    this.#kind = kind;
  }

  /** In a mutation: lays out a table of the system's names. */
  format(): void {
    throw new InternalError("not written yet");
  }

  /** Code of a name, 0 if it has none. */
  codeOf(_name: string): number {
    throw new InternalError("not written yet");
  }

  /** Name of a code, empty if there is none. */
  nameOf(_code: number): string {
    throw new InternalError("not written yet");
  }

  /** How many arcs, vertices or values carry the code. */
  count(_code: number): number {
    throw new InternalError("not written yet");
  }

  /** Names that are in use: code and count. */
  list(): Record<string, [code: number, count: number]> {
    throw new InternalError("not written yet");
  }

  /**
   * In a mutation: code of a name, a new one if it has none.
   * @throws SvcError SVC2404 when there are no codes left
   */
  define(_name: string): number {
    throw new InternalError(`not written yet ${[this.#writer, this.#strings, this.#kind]}`);
  }

  /** In a mutation. */
  addCount(_code: number, _delta: number): void {
    throw new InternalError("not written yet");
  }
}
