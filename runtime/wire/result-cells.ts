// The last result of each slot in shared memory. Results leave an executor with their batch, and a
// plugin further back in it may burn CPU, exit or exhaust the heap: what was finished before it is
// then read from here. Results larger than a cell are not kept; they are posted at once instead.
//
//   a cell: int32 owner | tag | status | kind | flush | length of the text, then it in latin1
//
// The owner is the request that was begun last in the slot, the tag the one whose result is there,
// 0 while it is being written; both are derived from serial numbers. Only the owner may write: the
// late result of a request that was given up may come from another thread.

const CELL_BYTES = 4096;
const HEADER_BYTES = 24;
const WORDS = CELL_BYTES / 4;

enum Word {
  Owner,
  Tag,
  Status,
  Kind,
  Flush,
  Length,
}

export interface StoredResult {
  readonly status: number;
  readonly kind: number;
  readonly payload: string;
  /** Flush of the log after which it may be told, 0: at once. */
  readonly flush: number;
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

  /** Executor side: from now on the slot is this request's. */
  open(slot: number, serial: number): void {
    Atomics.store(this.#words, slot * WORDS + Word.Owner, tagOf(serial));
  }

  /** Executor side: false when the result does not fit, or comes late. */
  keep(
    slot: number,
    serial: number,
    status: number,
    kind: number,
    payload: string | Uint8Array,
    flush = 0,
  ): boolean {
    if (typeof payload !== "string" || payload.length > CELL_BYTES - HEADER_BYTES) return false;
    const words = this.#words;
    const at = slot * WORDS;
    if (Atomics.load(words, at + Word.Owner) !== tagOf(serial)) return false;
    Atomics.store(words, at + Word.Tag, 0);
    words[at + Word.Status] = status;
    words[at + Word.Kind] = kind;
    words[at + Word.Flush] = flush;
    words[at + Word.Length] = payload.length;
    this.#bytes.write(payload, slot * CELL_BYTES + HEADER_BYTES, "latin1");
    Atomics.store(words, at + Word.Tag, tagOf(serial));
    return true;
  }

  /** IO side: the result of this very request, null when it is not finished. */
  read(slot: number, serial: number): StoredResult | null {
    const words = this.#words;
    const at = slot * WORDS;
    const tag = tagOf(serial);
    if (Atomics.load(words, at + Word.Tag) !== tag) return null;
    const start = slot * CELL_BYTES + HEADER_BYTES;
    const result = {
      status: words[at + Word.Status]!,
      kind: words[at + Word.Kind]!,
      flush: words[at + Word.Flush]! >>> 0,
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
