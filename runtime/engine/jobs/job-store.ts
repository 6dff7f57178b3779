// State of jobs that survives a restart: how far their schedules were handled, and their last runs.
// Stored in a file, or by the leadership engine of a group. Writes during a write in progress are
// combined into one.

import { isPlainObject } from "../../base/plain-object.js";
import type { JobRun } from "../../builtin/job-status.js";

const OUTCOMES: readonly unknown[] = ["ok", "failed", "timeout", "interrupted"];
/** Maximum time of a `Date`. */
const MAX_TIME_MS = 8.64e15;
/** How long the state of a removed job is retained: 30 days. */
const RETAINED_MS = 30 * 24 * 3_600_000;

/** Stored state of one job. */
export interface StoredJob {
  /** All earlier times of the schedule were handled. */
  readonly handledMs: number;
  /** A run that has started and not ended. */
  readonly running: StoredRun | null;
  /** Newest first. */
  readonly runs: readonly JobRun[];
  /** When a build without the job was first seen; undefined: the last build has it. */
  readonly removedMs?: number;
}

export interface StoredRun {
  readonly scheduledMs: number;
  readonly startedMs: number;
  /** The group member that started the run. */
  readonly by?: string;
  /** That member has recorded the end of the run, but does not know the outcome. */
  readonly hasEnded?: true;
}

/** Jobs by name. */
export type StoredJobs = Readonly<Record<string, StoredJob>>;

/** Returns the jobs with valid state: other software may have written the record. */
export function soundJobs(jobs: Readonly<Record<string, unknown>>): StoredJobs {
  const sound = Object.entries(jobs).filter(([, job]) => {
    if (!isPlainObject(job) || !isTime(job.handledMs) || !Array.isArray(job.runs)) return false;
    if (job.removedMs !== undefined && !isTime(job.removedMs)) return false;
    return (job.running === null || isRun(job.running)) && job.runs.every(isEnded);
  });
  return Object.fromEntries(sound) as unknown as StoredJobs;
}

/** Records when jobs were removed from the build, and drops those removed long ago. */
export function forgetRemoved(
  jobs: StoredJobs,
  isInBuild: (name: string) => boolean,
  now: number,
): StoredJobs {
  const retained = Object.entries(jobs).flatMap(([name, job]) => {
    if (isInBuild(name)) return [[name, job] as const];
    // The clock may have been set back since.
    const removedMs = Math.min(job.removedMs ?? now, now);
    return now - removedMs < RETAINED_MS ? [[name, { ...job, removedMs }] as const] : [];
  });
  return Object.fromEntries(retained);
}

function isTime(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value <= MAX_TIME_MS;
}

function isRun(run: unknown): run is Readonly<Record<string, unknown>> {
  return isPlainObject(run) && isTime(run.scheduledMs) && isTime(run.startedMs);
}

function isEnded(run: unknown): boolean {
  if (!isRun(run) || typeof run.durationMs !== "number") return false;
  return OUTCOMES.includes(run.outcome) && typeof run.text === "string";
}

export class JobStore {
  readonly #write: () => Promise<boolean>;
  #writing: Promise<boolean> | null = null;
  #next: Promise<boolean> | null = null;

  /** @param write stores the current state; false: jobs must not run */
  constructor(write: () => Promise<boolean>) {
    this.#write = write;
  }

  /** Resolves when the current state is stored; false: jobs must not run. */
  save(): Promise<boolean> {
    if (this.#writing === null) return this.#start();
    this.#next ??= this.#writing.then(() => {
      this.#next = null;
      return this.#start();
    });
    return this.#next;
  }

  #start(): Promise<boolean> {
    const writing = this.#write().finally(() => {
      if (this.#writing === writing) this.#writing = null;
    });
    this.#writing = writing;
    return writing;
  }
}
