// From ids to handles and back. Ids are UTF-8; this must never decode one that nobody asked for.

import { InternalError } from "../errors.js";
import type { Reader } from "../memory/reader.js";
import type { Writer } from "../memory/writer.js";
import type { VertexTable } from "./vertex-table.js";

export class VertexIds {
  readonly #writer: Writer;
  readonly #reader: Reader;
  readonly #vertices: VertexTable;

  constructor(writer: Writer, reader: Reader, vertices: VertexTable) {
    this.#writer = writer;
    this.#reader = reader;
    this.#vertices = vertices;
  }

  /** In a mutation: lays out an empty index. */
  format(): void {
    throw new InternalError("not written yet");
  }

  /** Handle of a vertex, 0 if there is none. Takes no lock. */
  find(_id: string): number {
    throw new InternalError("not written yet");
  }

  findBytes(_utf8: Uint8Array): number {
    throw new InternalError("not written yet");
  }

  /** In a mutation: names a handle. The id must not be there yet. */
  add(_handle: number, _id: string): void {
    throw new InternalError("not written yet");
  }

  /** In a mutation: takes the id of a handle away. */
  remove(_handle: number): void {
    throw new InternalError("not written yet");
  }

  /** Id of a vertex, empty if the handle is not used. */
  idOf(_handle: number): string {
    throw new InternalError("not written yet");
  }

  /** 32 hexadecimal digits, the same in every process. */
  internalIdOf(_handle: number): string {
    throw new InternalError("not written yet");
  }

  findInternal(_hex: string): number {
    throw new InternalError("not written yet");
  }

  /** Order of two ids as UTF-8 bytes: negative, 0 or positive. */
  compare(_a: number, _b: number): number {
    throw new InternalError("not written yet");
  }

  startsWith(_handle: number, _prefix: Uint8Array): boolean {
    throw new InternalError("not written yet");
  }

  bytesOf(_handle: number): Uint8Array {
    throw new InternalError(`not written yet ${[this.#writer, this.#reader, this.#vertices]}`);
  }
}
