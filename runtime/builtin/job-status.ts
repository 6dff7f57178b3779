// State of scheduled jobs, for operators.

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
  /** Time of the next run, seconds since 1970; null: none on this instance. */
  readonly next: number | null;
  /** Start of the current run, seconds since 1970; null: the job is not running. */
  readonly running: number | null;
  /** Runs by outcome, since the process started. */
  readonly counts: Readonly<Record<JobOutcome, number>>;
  /** Runs that were missed, since the process started. */
  readonly missed: number;
  /** Newest first. */
  readonly runs: readonly JobRun[];
}
