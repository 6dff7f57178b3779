// Runs a simulation under many seeds, and reports which one failed.

import { SEED } from "./random.js";

interface Outcome {
  readonly acknowledged: number;
  readonly takeovers: number;
  /** How often a member had more than its leader; missing: not counted. */
  readonly discards?: number;
  /** Longest time between acknowledged changes, virtual milliseconds; missing: not measured. */
  readonly longestGapMs?: number;
  /** Whether the group could not change at the end. */
  readonly isStuck: boolean;
}

/** More would say little. */
const MOST_FAILURES = 10;

/**
 * Returns the sums of all outcomes; with `SIMULATE`, prints them with the CPU time, and goes on
 * after a seed that fails.
 * @throws Error that names the seeds to repeat
 */
export async function runSeeds(
  count: number,
  simulate: (seed: number) => Outcome | Promise<Outcome>,
) {
  let acknowledged = 0;
  let takeovers = 0;
  let stuck = 0;
  let discards = 0;
  let gapMs = 0;
  const most = process.env.SIMULATE ? MOST_FAILURES : 1;
  const failed: { readonly seed: number; readonly message: string }[] = [];
  const startedAt = process.cpuUsage();
  for (let seed = SEED; seed < SEED + count && failed.length < most; seed++) {
    try {
      const outcome = await simulate(seed);
      acknowledged += outcome.acknowledged;
      takeovers += outcome.takeovers;
      if (outcome.isStuck) stuck++;
      discards += outcome.discards ?? 0;
      gapMs = Math.max(gapMs, outcome.longestGapMs ?? 0);
    } catch (error) {
      failed.push({ seed, message: (error as Error).message });
    }
  }
  const { user, system } = process.cpuUsage(startedAt);
  const ms = (user + system) / 1000 / count;
  const measured = `, longest gap ${Math.round(gapMs)} ms, ${discards} discards`;
  const figures = `${takeovers} takeovers, ${stuck} stuck${gapMs > 0 ? measured : ""}`;
  const text = `${acknowledged} acknowledged, ${figures}`;
  if (process.env.SIMULATE) console.error(`${count} seeds: ${text}, ${ms.toFixed(1)} ms each`);
  if (failed.length > 0) {
    const seeds = failed.map(({ seed }) => `SEED=${seed}`).join(", ");
    throw new Error(`${seeds}, of which SIMULATE=1: ${failed[0]!.message}`);
  }
  return { acknowledged, takeovers, stuck, text };
}
