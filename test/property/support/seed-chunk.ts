// Runs a simulation under consecutive seeds, and sums its events.

import { simulateCluster } from "./interconnect/simulated-cluster.js";
import { simulateGroup } from "./leadership/simulated-group.js";

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

type Simulate = (seed: number) => Outcome | Promise<Outcome>;

const SIMULATIONS = {
  interconnect: simulateCluster,
  leadership: simulateGroup,
} satisfies Record<string, Simulate>;

export type Simulation = keyof typeof SIMULATIONS;

/** Consecutive seeds. */
export interface Chunk {
  readonly simulation: Simulation;
  readonly first: number;
  readonly count: number;
  /** It ends after as many seeds that fail. */
  readonly mostFailures: number;
}

/** Of several seeds. */
export interface Sums {
  readonly acknowledged: number;
  readonly takeovers: number;
  readonly stuck: number;
  readonly discards: number;
  readonly gapMs: number;
  readonly cpuMs: number;
  readonly failures: readonly { readonly seed: number; readonly message: string }[];
}

const NOTHING = { acknowledged: 0, takeovers: 0, stuck: 0, discards: 0, gapMs: 0, cpuMs: 0 };
export const NO_SEEDS: Sums = { ...NOTHING, failures: [] };

export async function runChunk(chunk: Chunk): Promise<Sums> {
  const { simulation, first, count, mostFailures } = chunk;
  const simulate: Simulate = SIMULATIONS[simulation];
  const startedAt = process.cpuUsage();
  let sums = NO_SEEDS;
  for (let seed = first; seed < first + count && sums.failures.length < mostFailures; seed++) {
    try {
      sums = add(sums, sumsOfOne(await simulate(seed)));
    } catch (error) {
      const failures = [{ seed, message: (error as Error).message }];
      sums = add(sums, { ...NO_SEEDS, failures });
    }
  }
  const { user, system } = process.cpuUsage(startedAt);
  return { ...sums, cpuMs: (user + system) / 1000 };
}

export function add(left: Sums, right: Sums): Sums {
  return {
    acknowledged: left.acknowledged + right.acknowledged,
    takeovers: left.takeovers + right.takeovers,
    stuck: left.stuck + right.stuck,
    discards: left.discards + right.discards,
    gapMs: Math.max(left.gapMs, right.gapMs),
    cpuMs: left.cpuMs + right.cpuMs,
    failures: [...left.failures, ...right.failures],
  };
}

function sumsOfOne(outcome: Outcome): Sums {
  const { acknowledged, takeovers, isStuck, discards = 0, longestGapMs: gapMs = 0 } = outcome;
  const stuck = isStuck ? 1 : 0;
  return { ...NO_SEEDS, acknowledged, takeovers, stuck, discards, gapMs };
}
