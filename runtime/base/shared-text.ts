// A text in shared memory that one thread replaces and all others read, always as a whole.

const HEAD_WORDS = 2;
/** Version: odd while the text is being written. */
const VERSION = 0;
const LENGTH = 1;

export class SharedText {
  readonly buffer: SharedArrayBuffer;
  readonly #head: Int32Array;
  readonly #bytes: Uint8Array;

  constructor(buffer: SharedArrayBuffer) {
    this.buffer = buffer;
    this.#head = new Int32Array(buffer, 0, HEAD_WORDS);
    this.#bytes = new Uint8Array(buffer, HEAD_WORDS * 4);
  }

  /** @param capacity in bytes */
  static create(capacity: number): SharedText {
    return new SharedText(new SharedArrayBuffer(HEAD_WORDS * 4 + capacity));
  }

  /** Changes with each text. */
  get version(): number {
    return Atomics.load(this.#head, VERSION);
  }

  read(): string {
    for (;;) {
      const before = this.version;
      const length = Atomics.load(this.#head, LENGTH);
      const copy = Buffer.from(this.#bytes.slice(0, length));
      if ((before & 1) === 0 && this.version === before) return copy.toString();
    }
  }

  /** @throws RangeError for a text that is too long */
  write(text: string): void {
    const bytes = Buffer.from(text);
    if (bytes.length > this.#bytes.length) throw new RangeError("text exceeds its shared memory");
    Atomics.add(this.#head, VERSION, 1);
    this.#bytes.set(bytes);
    Atomics.store(this.#head, LENGTH, bytes.length);
    Atomics.add(this.#head, VERSION, 1);
  }
}
