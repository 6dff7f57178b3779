// Progress line on a terminal; silent without one.

import { writeSync } from "node:fs";
import { isatty } from "node:tty";

const STDERR = 2;
const EVERY_MS = 250;

export class ProgressLine {
  readonly #title: string;
  readonly #begunAt = performance.now();
  #shownAt = this.#begunAt;
  #isShown = false;

  constructor(title: string) {
    this.#title = title;
  }

  /** @param done from 0 to 1 */
  show(done: number): void {
    const now = performance.now();
    if (now - this.#shownAt < EVERY_MS || !isatty(STDERR)) return;
    this.#shownAt = now;
    this.#isShown = true;
    writeSync(STDERR, `\r${this.#title}: ${Math.floor(done * 100)} % read, ${this.seconds()} s `);
  }

  end(): void {
    if (this.#isShown) writeSync(STDERR, `\r${" ".repeat(60)}\r`);
  }

  /** Returns the seconds since creation. */
  seconds(): string {
    return ((performance.now() - this.#begunAt) / 1000).toFixed(1);
  }
}
