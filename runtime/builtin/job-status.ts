// State of scheduled jobs, as operators see it.

export type JobOutcome = "ok" | "failed" | "timeout" | "interrupted";

/** A run that has ended. */
export interface JobRun {
  /** Milliseconds since 1970. */
  readonly scheduledMs: number;
  readonly startedMs: number;
  readonly durationMs: number;
  readonly outcome: JobOutcome;
  /** The result as JSON, or the error; shortened. */
  readonly text: string;
}

/** State of a job for operators. */
export interface JobStatus {
  readonly name: string;
  readonly schedule: string;
  readonly catchup: boolean;
  /** Seconds since 1970; null: it does not run here, or never again. */
  readonly next: number | null;
  /** Seconds since 1970; null: it does not run now. */
  readonly running: number | null;
  /** Runs by outcome, since the process started. */
  readonly counts: Readonly<Record<JobOutcome, number>>;
  /** Runs that were missed, since the process started. */
  readonly missed: number;
  /** The newest first. */
  readonly runs: readonly JobRun[];
}
