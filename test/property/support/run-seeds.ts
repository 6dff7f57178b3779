// Runs a simulation under many seeds, and reports which one failed.

import { SEED } from "./random.js";

interface Outcome {
  readonly acknowledged: number;
  readonly takeovers: number;
  /** Whether the group could not change at the end. */
  readonly isStuck: boolean;
}

/**
 * Returns the sums of all outcomes; with `SIMULATE`, prints them with the CPU time.
 * @throws Error that names the seed to repeat
 */
export async function runSeeds(
  count: number,
  simulate: (seed: number) => Outcome | Promise<Outcome>,
) {
  let acknowledged = 0;
  let takeovers = 0;
  let stuck = 0;
  const startedAt = process.cpuUsage();
  for (let seed = SEED; seed < SEED + count; seed++) {
    try {
      const outcome = await simulate(seed);
      acknowledged += outcome.acknowledged;
      takeovers += outcome.takeovers;
      if (outcome.isStuck) stuck++;
    } catch (error) {
      throw new Error(`SEED=${seed}, of which SIMULATE=1: ${(error as Error).message}`);
    }
  }
  const { user, system } = process.cpuUsage(startedAt);
  const ms = (user + system) / 1000 / count;
  const text = `${acknowledged} acknowledged, ${takeovers} takeovers, ${stuck} stuck`;
  if (process.env.SIMULATE) console.error(`${count} seeds: ${text}, ${ms.toFixed(1)} ms each`);
  return { acknowledged, takeovers, stuck, text };
}
