// Maps the numbers that are used in one round to consecutive numbers from 0. Starting a new round
// takes constant time.

export class DenseNumbers {
  #denseOf = new Uint32Array(4096);
  #roundOf = new Uint32Array(4096);
  #round = 0;
  /** By dense number: the original number. */
  readonly used: number[] = [];

  /** Starts a round. */
  begin(): void {
    this.#round++;
    this.used.length = 0;
  }

  /** Call when the original numbers change their meaning. */
  forget(): void {
    this.#roundOf.fill(0);
  }

  denseOf(number: number): number {
    if (number >= this.#denseOf.length) this.#grow(number + 1);
    if (this.#roundOf[number] !== this.#round) {
      this.#roundOf[number] = this.#round;
      this.#denseOf[number] = this.used.length;
      this.used.push(number);
    }
    return this.#denseOf[number]!;
  }

  #grow(count: number): void {
    const size = Math.max(count, this.#denseOf.length * 2);
    const [dense, rounds] = [this.#denseOf, this.#roundOf];
    this.#denseOf = new Uint32Array(size);
    this.#roundOf = new Uint32Array(size);
    this.#denseOf.set(dense);
    this.#roundOf.set(rounds);
  }
}
