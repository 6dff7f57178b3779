// Algorithms in steps, so that a thread can do other work in between.

import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";

/** Yields the finished share of the work (0 to 1) after each step, or `PAUSE`. */
export type Steps<T> = Generator<number, T, void>;

/** Yielded instead of a share where the next step has to wait for others. */
export const PAUSE = -1;

export interface StepOptions {
  /** Called with the finished share of the work, 0 to 1. */
  readonly onProgress?: ((share: number) => void) | undefined;
  /** Ends the work with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** Longest time without a turn for other work of the thread. */
const SLICE_MS = 5;

/** Runs all steps at once. */
export function runAtOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Runs the steps in slices of 5 ms, between which the thread does other work.
 * @throws the reason of the signal, and what the steps throw
 */
export async function runInSlices<T>(
  steps: Steps<T>,
  { onProgress, signal }: StepOptions,
): Promise<T> {
  let share = 0;
  for (;;) {
    signal?.throwIfAborted();
    const endAt = performance.now() + SLICE_MS;
    let isPaused = false;
    while (!isPaused && performance.now() < endAt) {
      const step = steps.next();
      if (step.done === true) return step.value;
      isPaused = step.value === PAUSE;
      if (!isPaused) share = step.value;
    }
    onProgress?.(share);
    await (isPaused ? delay(SLICE_MS) : nextTurn());
  }
}
