// Growing arrays of numbers, for the construction of segments.

export class GrowingWords {
  words = new Uint32Array(1024);
  length = 0;

  push(word: number): void {
    if (this.length === this.words.length) this.reserve(1);
    this.words[this.length++] = word;
  }

  /** Reserves room for `count` more words. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.words.length) return;
    const larger = new Uint32Array(Math.max(needed, this.words.length * 2));
    larger.set(this.words.subarray(0, this.length));
    this.words = larger;
  }
}

export class GrowingBytes {
  bytes = new Uint8Array(4096);
  length = 0;

  /** Appends a number of up to 32 bits in 7-bit groups. */
  pushNumber(value: number): void {
    if (this.length + 5 > this.bytes.length) {
      const larger = new Uint8Array(this.bytes.length * 2);
      larger.set(this.bytes);
      this.bytes = larger;
    }
    let rest = value;
    while (rest >= 0x80) {
      this.bytes[this.length++] = (rest & 0x7f) | 0x80;
      rest >>>= 7;
    }
    this.bytes[this.length++] = rest;
  }
}
