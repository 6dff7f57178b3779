// Last result of each slot in shared memory. Results leave an executor in batches, and a later
// plugin of the batch may burn CPU, exit or exhaust the heap; the finished results are then read
// from here. Results larger than a cell are not stored; they are posted at once instead.
//
//   cell: int32 owner | tag | status | kind | flush | length of the text, then it in latin1
//
// The owner is the latest request of the slot; the tag is the request of the stored result, 0 while
// it is being written; both derive from serial numbers. Only the owner may write, because the late
// result of an abandoned request may come from another thread.

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
  /** Flush of the transaction log to await before responding; 0: none. */
  readonly flush: number;
}

/** Returns the bytes of the cells of `slots` slots. */
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

  /** Executor side: assigns the slot to a request. */
  open(slot: number, serial: number): void {
    Atomics.store(this.#words, slot * WORDS + Word.Owner, toTag(serial));
  }

  /** Executor side: stores a result; returns false if it does not fit or is late. */
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
    if (Atomics.load(words, at + Word.Owner) !== toTag(serial)) return false;
    Atomics.store(words, at + Word.Tag, 0);
    words[at + Word.Status] = status;
    words[at + Word.Kind] = kind;
    words[at + Word.Flush] = flush;
    words[at + Word.Length] = payload.length;
    this.#bytes.write(payload, slot * CELL_BYTES + HEADER_BYTES, "latin1");
    Atomics.store(words, at + Word.Tag, toTag(serial));
    return true;
  }

  /** IO side: returns the result of a request; null if unfinished. */
  read(slot: number, serial: number): StoredResult | null {
    const words = this.#words;
    const at = slot * WORDS;
    const tag = toTag(serial);
    if (Atomics.load(words, at + Word.Tag) !== tag) return null;
    const start = slot * CELL_BYTES + HEADER_BYTES;
    const result = {
      status: words[at + Word.Status]!,
      kind: words[at + Word.Kind]!,
      flush: words[at + Word.Flush]! >>> 0,
      payload: this.#bytes.toString("latin1", start, start + words[at + Word.Length]!),
    };
    // A late result of an earlier request may have overwritten it meanwhile.
    return Atomics.load(words, at + Word.Tag) === tag ? result : null;
  }
}

/** Returns the low 32 bits, which identify a request within its slot; never 0. */
function toTag(serial: number): number {
  return serial | 0 || 1;
}
