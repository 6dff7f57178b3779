// The last result of each slot in shared memory. Results leave an executor with their batch, and a
// plugin further back in it may burn CPU, exit or exhaust the heap: what was finished before it is
// then read from here. Results larger than a cell are not kept; they are posted at once instead.
//
//   a cell: int32 tag | status | kind | length of the text, then the text in latin1
//
// The tag is derived from the request's serial number and 0 while the cell is being written.

const CELL_BYTES = 4096;
const HEADER_BYTES = 16;
const WORDS = CELL_BYTES / 4;

enum Word {
  Tag,
  Status,
  Kind,
  Length,
}

export interface KeptResult {
  readonly status: number;
  readonly kind: number;
  readonly payload: string;
}

/** Bytes that the cells of so many slots take. */
export function cellBytes(slots: number): number {
  return slots * CELL_BYTES;
}

export class ResultCells {
  readonly #words: Int32Array;
  readonly #bytes: Buffer;

  constructor(buffer: SharedArrayBuffer, byteOffset: number, slots: number) {
    this.#words = new Int32Array(buffer, byteOffset, slots * WORDS);
    this.#bytes = Buffer.from(buffer, byteOffset, cellBytes(slots));
  }

  /** Executor side: false when the result does not fit. */
  keep(
    slot: number,
    serial: number,
    status: number,
    kind: number,
    payload: string | Uint8Array,
  ): boolean {
    if (typeof payload !== "string" || payload.length > CELL_BYTES - HEADER_BYTES) return false;
    const words = this.#words;
    const at = slot * WORDS;
    Atomics.store(words, at + Word.Tag, 0);
    words[at + Word.Status] = status;
    words[at + Word.Kind] = kind;
    words[at + Word.Length] = payload.length;
    this.#bytes.write(payload, slot * CELL_BYTES + HEADER_BYTES, "latin1");
    Atomics.store(words, at + Word.Tag, tagOf(serial));
    return true;
  }

  /** IO side: the result of this very request, null when it is not finished. */
  read(slot: number, serial: number): KeptResult | null {
    const words = this.#words;
    const at = slot * WORDS;
    const tag = tagOf(serial);
    if (Atomics.load(words, at + Word.Tag) !== tag) return null;
    const start = slot * CELL_BYTES + HEADER_BYTES;
    const result = {
      status: words[at + Word.Status]!,
      kind: words[at + Word.Kind]!,
      payload: this.#bytes.toString("latin1", start, start + words[at + Word.Length]!),
    };
    // The late result of an earlier request of the slot may have been written meanwhile.
    return Atomics.load(words, at + Word.Tag) === tag ? result : null;
  }
}

/** The low 32 bits tell the requests of one slot apart; never 0. */
function tagOf(serial: number): number {
  return serial | 0 || 1;
}
