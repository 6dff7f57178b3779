// Collects garbage after a burst. Large buffers are referenced by small, old objects, which an idle
// thread's collector would not visit for hours, so the peak memory would be retained. A thread that
// has used many bytes therefore collects once it is idle.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

const THRESHOLD_BYTES = 64 * 1024 * 1024;
/** Idle time before the collection. */
const QUIET_MS = 3000;

export class IdleGc {
  #bytes = 0;
  #timer: NodeJS.Timeout | null = null;

  /** Records memory that this thread used and released. */
  used(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < THRESHOLD_BYTES) return;
    this.#timer ??= setTimeout(() => this.#collect(), QUIET_MS).unref();
    this.#timer.refresh();
  }

  #collect(): void {
    this.#bytes = 0;
    this.#timer = null;
    collectGarbage();
  }
}

/** Node has no other way to trigger it. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}
