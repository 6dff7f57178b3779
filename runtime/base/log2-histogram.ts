// Latency histograms for time-series monitors: monotonic counts by powers of two of 0.1 ms. Small
// enough for one per plugin and one per back-end.

const FLOOR_MS = 0.1;
/** Up to 0.1 ms * 2^20, almost two minutes; the last bucket is unbounded. */
const BOUNDS = 21;
export const LOG2_BUCKETS = BOUNDS + 1;

/** Counts by bucket, and the sum of all values. */
export interface HistogramRecord {
  readonly counts: readonly number[];
  readonly sumMs: number;
}

export class Log2Histogram {
  readonly #counts = new Float64Array(LOG2_BUCKETS);
  #sumMs = 0;

  add(latencyMs: number): void {
    this.#sumMs += latencyMs;
    const bucket = latencyMs <= FLOOR_MS ? 0 : Math.ceil(Math.log2(latencyMs / FLOOR_MS));
    this.#counts[Math.min(bucket, BOUNDS)]!++;
  }

  /** Returns the counts for another thread; see `fromRecord`. */
  record(): HistogramRecord {
    return { counts: [...this.#counts], sumMs: this.#sumMs };
  }

  static fromRecord({ counts, sumMs }: HistogramRecord): Log2Histogram {
    const histogram = new Log2Histogram();
    histogram.#counts.set(counts);
    histogram.#sumMs = sumMs;
    return histogram;
  }

  /**
   * Writes the counts since an earlier call, and returns whether there are any. Smaller
   * counts mean that they were cleared.
   * @param before counts of that call; replaced by the present ones
   */
  takeChanges(before: Float64Array, fresh: Float64Array): boolean {
    let isChanged = false;
    for (let bucket = 0; bucket < LOG2_BUCKETS; bucket++) {
      const count = this.#counts[bucket]!;
      const last = before[bucket]!;
      fresh[bucket] = count < last ? count : count - last;
      before[bucket] = count;
      isChanged ||= fresh[bucket] !== 0;
    }
    return isChanged;
  }

  get count(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0);
  }

  get sumSeconds(): number {
    return this.#sumMs / 1000;
  }

  /** Yields the upper bound of each bucket in seconds, and the cumulative count. */
  *cumulative(): Generator<readonly [bound: number, count: number]> {
    let below = 0;
    for (let bucket = 0; bucket < BOUNDS; bucket++) {
      below += this.#counts[bucket]!;
      yield [boundSeconds(bucket), below];
    }
  }
}

/** Returns the upper bound of a bucket other than the last. */
export function boundMs(bucket: number): number {
  return 2 ** bucket / 10;
}

/** Avoids the rounding errors of a product of fractions. */
function boundSeconds(bucket: number): number {
  return 2 ** bucket / 10_000;
}
