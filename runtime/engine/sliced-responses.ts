// Renders large service responses, such as the details of all connections, in time slices. A slice
// blocks the IO thread no longer than a request does. Responses are rendered one after the other.

import { setImmediate as nextTurn } from "node:timers/promises";
import { MAX_RENDER_SLICE_BYTES, MAX_RENDER_SLICE_MS } from "../base/limits.js";

interface Job {
  readonly pieces: Iterator<string>;
  readonly rendered: Buffer[];
  /** Receives the bytes of all chunks. */
  readonly done: (rendered: Buffer[]) => void;
}

export class SlicedResponses {
  readonly #jobs: Job[] = [];
  #isWorking = false;

  render(pieces: Iterable<string>, done: (rendered: Buffer[]) => void): void {
    this.#jobs.push({ pieces: pieces[Symbol.iterator](), rendered: [], done });
    if (this.#isWorking) return;
    this.#isWorking = true;
    // The first slice runs at once, because most responses fit into it.
    if (this.#turn()) void this.#work();
    else this.#isWorking = false;
  }

  async #work(): Promise<void> {
    do await nextTurn();
    while (this.#turn());
    this.#isWorking = false;
  }

  /** @returns whether work remains */
  #turn(): boolean {
    const job = this.#jobs[0]!;
    const untilMs = performance.now() + MAX_RENDER_SLICE_MS;
    for (let bytes = 0; bytes < MAX_RENDER_SLICE_BYTES && performance.now() < untilMs; ) {
      const { done, value } = job.pieces.next();
      if (done) {
        this.#jobs.shift();
        job.done(job.rendered);
        break;
      }
      const piece = Buffer.from(value, "utf8");
      job.rendered.push(piece);
      bytes += piece.length;
    }
    return this.#jobs.length > 0;
  }
}
