// Priority of a thread in the system: long computations must not delay responses to clients, even
// if there are fewer processors than busy threads.

import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";

/** About a tenth of the processor time of a thread with normal priority, if both compete. */
const LOW = 10;

/** Lowers the priority of the calling thread. Has no effect except on Linux. */
export function lowerThreadPriority(): void {
  if (process.platform !== "linux") return;
  try {
    // On other systems, this call would change the priority of the whole process.
    const [, thread] = /\/task\/(\d+)$/.exec(readlinkSync("/proc/thread-self")) ?? [];
    if (thread !== undefined) setPriority(Number(thread), LOW);
  } catch {
    // Containers may hide /proc or forbid it: the thread then keeps its priority.
  }
}
