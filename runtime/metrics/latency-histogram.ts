// Latency histogram with logarithmic buckets, four per octave. Percentiles are accurate to 10 %
// for responses of ten microseconds to minutes.
//
//   bucket  0          [0, FLOOR_MS)
//   bucket  i          [FLOOR_MS * 2^((i-1)/4), FLOOR_MS * 2^(i/4))
//   bucket  BUCKETS-1  the same, without an upper bound

export const BUCKETS = 100;
const BUCKETS_PER_OCTAVE = 4;
/** On the grid of 0.1 ms * 2^(k/4), but starting four octaves lower, where most responses are. */
const FLOOR_MS = 0.1 / 16;

/** Mean and percentiles in milliseconds; keys are `mean` and percentiles such as `95.0`. */
export type Latency = Readonly<Record<string, number>>;

/** Returns the bucket of a latency. */
export function bucketIndex(latencyMs: number): number {
  if (!(latencyMs >= FLOOR_MS)) return 0;
  const bucket = 1 + Math.floor(Math.log2(latencyMs / FLOOR_MS) * BUCKETS_PER_OCTAVE);
  return bucket < BUCKETS ? bucket : BUCKETS - 1;
}

/**
 * Returns the latency in milliseconds below which `percentile` percent of the responses lie,
 * interpolated linearly within its bucket; 0 for an empty histogram.
 * @param weights count, or share of all responses, per bucket
 */
export function percentileMs(weights: Float64Array, percentile: number): number {
  let total = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) total += weights[bucket]!;
  if (total <= 0) return 0;
  const rank = (total * percentile) / 100;
  let below = 0;
  let last = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const weight = weights[bucket]!;
    if (weight <= 0) continue;
    if (below + weight >= rank) {
      const lowerMs = bucket === 0 ? 0 : upperBoundMs(bucket - 1);
      return lowerMs + ((upperBoundMs(bucket) - lowerMs) * (rank - below)) / weight;
    }
    below += weight;
    last = bucket;
  }
  // A rounding error of the sums may miss the rank.
  return upperBoundMs(last);
}

function upperBoundMs(bucket: number): number {
  return FLOOR_MS * 2 ** (bucket / BUCKETS_PER_OCTAVE);
}

/** Returns mean and percentiles, rounded to hundredths, in the given order. */
export function latencyRecord(
  mean: number,
  weights: Float64Array,
  percentiles: readonly number[],
): Latency {
  const record: Record<string, number> = { mean: round(mean) };
  for (const percentile of percentiles) {
    record[percentileKey(percentile)] = round(percentileMs(weights, percentile));
  }
  return record;
}

/** Formats `95.0`, `99.9`, with more decimals only if `percentile` has them: keys are unique. */
function percentileKey(percentile: number): string {
  return Number.isInteger(percentile) ? percentile.toFixed(1) : String(percentile);
}

function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}
