// Detects repeated signatures. Each signer numbers its signatures; a sliding window of bits records
// the numbers that were used, as in IPsec. Numbers below the window count as used. Only numbers of
// valid signatures get here, so clients without the key cannot fill the memory.

const WINDOW = 1 << 20;
const WORD_BITS = 32;
const MAX_SIGNERS = 256;

/** Numbers that one signer has used. */
class UsedNumbers {
  usedAtMs = 0;
  #highest = -1;
  readonly #bits = new Uint32Array(WINDOW / WORD_BITS);

  /** Returns false if the number was used before. */
  use(number: number): boolean {
    if (number <= this.#highest - WINDOW) return false;
    if (number > this.#highest) this.#slide(number);
    const at = number % WINDOW;
    const word = Math.floor(at / WORD_BITS);
    const bit = 1 << (at % WORD_BITS);
    if ((this.#bits[word]! & bit) !== 0) return false;
    this.#bits[word]! |= bit;
    return true;
  }

  #slide(number: number): void {
    if (number - this.#highest >= WINDOW) this.#bits.fill(0);
    else for (let next = this.#highest + 1; next <= number; next++) this.#clear(next % WINDOW);
    this.#highest = number;
  }

  #clear(at: number): void {
    this.#bits[Math.floor(at / WORD_BITS)]! &= ~(1 << (at % WORD_BITS));
  }
}

export class ReplayWindow {
  readonly #signers = new Map<string, UsedNumbers>();
  readonly #validMs: number;

  /** @param validMs how long a signature can stay valid after its use */
  constructor(validMs: number) {
    this.#validMs = validMs;
  }

  /** Returns whether a signer uses a number for the first time. */
  use(signer: string, number: number, nowMs: number): boolean {
    let used = this.#signers.get(signer);
    if (used === undefined) {
      if (this.#signers.size >= MAX_SIGNERS) this.#forget(nowMs);
      // Forgetting a signer while its signatures are valid would allow them to be replayed.
      if (this.#signers.size >= MAX_SIGNERS) return false;
      used = new UsedNumbers();
      this.#signers.set(signer, used);
    }
    used.usedAtMs = nowMs;
    return used.use(number);
  }

  #forget(nowMs: number): void {
    for (const [signer, { usedAtMs }] of this.#signers) {
      if (nowMs - usedAtMs > this.#validMs) this.#signers.delete(signer);
    }
  }
}
