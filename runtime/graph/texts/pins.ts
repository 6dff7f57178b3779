// Epoch-based reclamation of segments. A reader stores the current epoch in the pin of its thread
// before it looks up segments. The memory of a segment retired in an epoch is not reused while any
// pin is older. Pins are in front of the arena and not part of snapshots.
//
// The builder makes the entry of the index odd before it raises the epoch. So a reader with the new
// epoch waits for the new segments, and the builder waits for readers with the old epoch.

import { sharedBuffer } from "../memory/arena.js";
import type { GraphMemory } from "../memory/graph-memory.js";
import { Header, KERNEL_SCRATCH_BYTES, KERNEL_THREADS } from "../memory/layout.js";

const NONE = 0;

/** Runs `read`, which must not keep references to segments. Pins of one thread can be nested. */
export function readPinned<T>(memory: GraphMemory, thread: number, read: () => T): T {
  const pin = pinOf(memory, thread);
  if (Atomics.load(pin, 0) !== NONE) return read();
  const { ints } = memory.header;
  let epoch = Atomics.load(ints, Header.TextEpoch);
  for (;;) {
    Atomics.store(pin, 0, epoch + 1);
    const now = Atomics.load(ints, Header.TextEpoch);
    if (now === epoch) break;
    epoch = now;
  }
  try {
    return read();
  } finally {
    Atomics.store(pin, 0, NONE);
  }
}

/** Returns whether a reader may still use a segment that was retired in an epoch. */
export function isPinnedBefore(memory: GraphMemory, epoch: number): boolean {
  for (let thread = 0; thread < KERNEL_THREADS; thread++) {
    const seen = Atomics.load(pinOf(memory, thread), 0);
    if (seen !== NONE && seen - 1 < epoch) return true;
  }
  return false;
}

/** Removes the pin of a dead thread. */
export function unpin(memory: GraphMemory, thread: number): void {
  Atomics.store(pinOf(memory, thread), 0, NONE);
}

function pinOf({ texts }: GraphMemory, thread: number): Int32Array {
  return new Int32Array(sharedBuffer(texts.memory), thread * KERNEL_SCRATCH_BYTES, 1);
}
