// A text in its form in shared memory: UTF-8 in words, first byte lowest, zero-padded. Instances
// are scratch objects, reused for each lookup; never store one as a value.
//
// The hash is MurmurHash3 (32 bits) over the padded words. Snapshots and internal ids contain it,
// so it must not change. It is predictable, so clients can produce collisions; hash-index.ts bounds
// their cost.

const FIRST_WORDS = 64;
const NOT_ASCII = 0x8080_8080 | 0;

/** Location of a packed text; see text-view.ts. */
export interface TextPlace {
  readonly words: Uint32Array;
  readonly at: number;
  readonly bytes: number;
}

export class PackedText {
  words = new Uint32Array(FIRST_WORDS);
  /** Bytes of the text; words beyond it are undefined. */
  bytes = 0;
  #buffer = Buffer.from(this.words.buffer);

  get wordCount(): number {
    return wordsFor(this.bytes);
  }

  /** Packs a string. Lone surrogates become U+FFFD. */
  setText(text: string): void {
    const { length } = text;
    this.#reserve(length);
    const { words } = this;
    let seen = 0;
    let index = 0;
    for (; index + 4 <= length; index += 4) {
      const a = text.charCodeAt(index);
      const b = text.charCodeAt(index + 1);
      const c = text.charCodeAt(index + 2);
      const d = text.charCodeAt(index + 3);
      seen |= a | b | c | d;
      words[index >>> 2] = a | (b << 8) | (c << 16) | (d << 24);
    }
    if (index < length) {
      let word = 0;
      for (let shift = 0; index + (shift >>> 3) < length; shift += 8) {
        const code = text.charCodeAt(index + (shift >>> 3));
        seen |= code;
        word |= code << shift;
      }
      words[index >>> 2] = word;
    }
    this.bytes = length;
    if (seen > 0x7f) this.#encode(text);
  }

  /** Packs a string, or copies a packed text. */
  take(text: string | TextPlace): void {
    if (typeof text === "string") this.setText(text);
    else this.setWords(text.words, text.at, text.bytes);
  }

  setBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.bytes = bytes.length;
    this.#buffer.set(bytes);
    this.#pad();
  }

  /** Copies packed bytes; the caller has validated the range. */
  setWords(words: Uint32Array, pointer: number, bytes: number): void {
    this.#reserve(bytes);
    this.bytes = bytes;
    const count = this.wordCount;
    for (let index = 0; index < count; index++) this.words[index] = words[pointer + index]!;
  }

  /**
   * Returns true if `words` has the same bytes from `pointer` on; the caller has validated the
   * range.
   */
  equals(words: Uint32Array, pointer: number): boolean {
    const ownWords = this.words;
    const count = this.wordCount;
    for (let index = 0; index < count; index++) {
      if (ownWords[index] !== words[pointer + index]) return false;
    }
    return true;
  }

  startsWith(prefix: Uint8Array): boolean {
    if (prefix.length > this.bytes) return false;
    return this.#buffer.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
  }

  /** Copies the packed words to `pointer`. */
  copyTo(words: Uint32Array, pointer: number): void {
    const count = this.wordCount;
    for (let index = 0; index < count; index++) words[pointer + index] = this.words[index]!;
  }

  /** Returns the signed 32-bit hash. */
  hash(seed = 0): number {
    return hashWords(this.words, 0, this.bytes, seed);
  }

  /** Decodes the text; invalid UTF-8 becomes U+FFFD. */
  toText(): string {
    const count = this.wordCount;
    let seen = 0;
    for (let index = 0; index < count; index++) seen |= this.words[index]!;
    const encoding = (seen & NOT_ASCII) === 0 ? "latin1" : "utf8";
    return this.#buffer.toString(encoding, 0, this.bytes);
  }

  /** Returns a copy of the bytes. */
  toBytes(): Uint8Array {
    return new Uint8Array(this.#buffer.subarray(0, this.bytes));
  }

  #encode(text: string): void {
    this.#reserve(text.length * 3);
    this.bytes = this.#buffer.write(text, "utf8");
    this.#pad();
  }

  /** Zeroes the unused bytes of the last word. */
  #pad(): void {
    const over = this.bytes & 3;
    if (over !== 0) this.words[this.bytes >>> 2]! &= -1 >>> (32 - over * 8);
  }

  #reserve(bytes: number): void {
    if (bytes <= this.words.byteLength) return;
    this.words = new Uint32Array(2 ** Math.ceil(Math.log2(bytes)) / 4);
    this.#buffer = Buffer.from(this.words.buffer);
  }
}

/** Returns the hash of a packed text, as `PackedText.hash`. */
export function hashWords(words: Uint32Array, at: number, bytes: number, seed = 0): number {
  const end = at + wordsFor(bytes);
  let hash = seed | 0;
  for (let index = at; index < end; index++) {
    let word = Math.imul(words[index]!, 0xcc9e_2d51);
    word = (word << 15) | (word >>> 17);
    hash ^= Math.imul(word, 0x1b87_3593);
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe654_6b64) | 0;
  }
  hash ^= bytes;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return hash ^ (hash >>> 16);
}

/** Returns the number of words that hold `bytes` bytes. */
export function wordsFor(bytes: number): number {
  return (bytes + 3) >>> 2;
}
