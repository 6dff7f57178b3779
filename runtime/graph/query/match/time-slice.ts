// Time slice of the queries of a thread, so that an expensive query does not delay other clients
// for long. A query is aborted at its next check of the clock if others wait for the thread, or if
// it has run too long. Another executor then repeats it from the beginning, which is safe because
// only queries without side effects have a time slice.

import { QUERY_SLICE_MS, YIELD_QUERY_AFTER_MS } from "../../../base/limits.js";
import { SearchError } from "../../model/errors.js";

export class TimeSlice {
  readonly #isAwaited: () => boolean;
  #beganAtMs = Number.POSITIVE_INFINITY;
  #isOver = false;

  /** @param isAwaited whether other queries wait for this thread */
  constructor(isAwaited: () => boolean) {
    this.#isAwaited = isAwaited;
  }

  /** Runs a query within a time slice; `takeOver` returns afterwards whether it was exceeded. */
  run<T>(query: () => T): T | null {
    this.#beganAtMs = performance.now();
    try {
      const result = query();
      if (!this.#isOver) return result;
      // An asynchronous query reports the error as a rejection, which must not stay unhandled.
      Promise.resolve(result).catch(() => {});
      return null;
    } catch (error) {
      // Layers in between may have replaced the error.
      if (this.#isOver) return null;
      throw error;
    } finally {
      this.#beganAtMs = Number.POSITIVE_INFINITY;
    }
  }

  /** Returns whether the last query was aborted, and resets the flag. */
  takeOver(): boolean {
    const isOver = this.#isOver;
    this.#isOver = false;
    return isOver;
  }

  /** @throws SearchError the time slice is over */
  check(nowMs: number): void {
    const ranMs = nowMs - this.#beganAtMs;
    if (ranMs < YIELD_QUERY_AFTER_MS) return;
    if (ranMs > QUERY_SLICE_MS || this.#isAwaited()) this.end();
  }

  /** @throws SearchError unless no query is running */
  end(): void {
    if (this.#beganAtMs === Number.POSITIVE_INFINITY) return;
    this.#isOver = true;
    throw new SearchError("the time slice of the query is over");
  }
}

let current: TimeSlice | null = null;

/** Limits the queries of this thread to a time slice. */
export function installTimeSlice(slice: TimeSlice): void {
  current = slice;
}

/** @throws SearchError the time slice of the running query is over */
export function checkTimeSlice(nowMs: number): void {
  current?.check(nowMs);
}

/**
 * Aborts the running query, so that the long-query executor repeats it.
 * @throws SearchError unless this thread has no time slice
 */
export function endTimeSlice(): void {
  current?.end();
}
