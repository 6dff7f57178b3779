// Gives memory back after a burst. What refers to large buffers is small and old, and in a thread
// that has little to do the collector would not look at it for hours: the memory of the busiest
// minute would be kept. So a thread that has had many bytes in its hands collects once it has none.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const MUCH_BYTES = 64 * 1024 * 1024;
/** Nothing large has come for so long. */
const QUIET_MS = 3000;

export class IdleGc {
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  /** Large memory that this thread has used, and will not use any more. */
  used(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < MUCH_BYTES) return;
    this.#timer ??= setTimeout(() => this.#collect(), QUIET_MS).unref();
    this.#timer.refresh();
  }

  #collect(): void {
    this.#bytes = 0;
    this.#timer = null;
    collectGarbage();
  }
}

/** Node offers no other way to call it. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
