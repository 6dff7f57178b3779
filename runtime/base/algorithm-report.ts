// Which algorithms over whole graphs run in an instance, for its status and for operators.

/** An algorithm over a whole graph in execution. */
export interface RunningAlgorithm {
  /** Identifies it for a cancellation. */
  readonly id: number;
  readonly algorithm: string;
  readonly graph: string;
  /** Start, milliseconds since 1970. */
  readonly sinceMs: number;
  /** Finished share of the work, 0 to 1. */
  readonly progress: number;
}

/** Outcome of an algorithm. */
export type AlgorithmOutcome = "completed" | "failed" | "cancelled";

/** Algorithms over whole graphs: running ones, and counts by outcome. */
export interface AlgorithmReport {
  /** By start. */
  readonly running: readonly RunningAlgorithm[];
  readonly counts: Readonly<Record<AlgorithmOutcome, number>>;
  /** Deaths of the thread that runs them. */
  readonly restarts: number;
}

export const NO_ALGORITHMS: AlgorithmReport = {
  running: [],
  counts: { completed: 0, failed: 0, cancelled: 0 },
  restarts: 0,
};
