// The exclusive right of one group member, its leader, to run the jobs. It is a record of the
// leadership engine that contains the state of all jobs. Each start of a run replaces the record
// first. A former leader can no longer replace it, so it starts no run. It only records the ends of
// its runs, for which the next leader waits.

import { explainLaterFormat } from "../../base/later-release.js";
import { isPlainObject } from "../../base/plain-object.js";
import { responseInTime } from "../../base/response-in-time.js";
import type { JobRun } from "../../builtin/job-status.js";
import { type StoredJob, type StoredJobs, type StoredRun, soundJobs } from "./job-store.js";

const FORMAT = 1;
const MAX_RECORD_CHARACTERS = 200_000;
/** Number of runs per job in the record: the first of these that fits. */
const MAX_RUNS = [5, 1, 0] as const;
const MAX_TEXT = 100;
/** A few attempts suffice: other members replace the record only when their runs end. */
const ATTEMPTS = 5;

/** A record with compare-and-swap. */
export interface LeaseRecord {
  read(): Promise<{ readonly revision: string; readonly text: string | null }>;
  /** Returns the new revision; null if another member has replaced the record. */
  swap(revision: string, text: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface LeaseParts {
  /** This member. */
  readonly id: string;
  /** Time without renewal after which a leader is replaced. */
  readonly ttlMs: number;
  /** Timeout of a call of the leadership engine. */
  readonly timeoutMs: number;
  /** Returns the epoch in which this member leads; null: it does not lead. */
  readonly leads: () => number | null;
  /** @throws Error if the engine cannot be used */
  readonly open: () => LeaseRecord | Promise<LeaseRecord>;
}

/** State of a run in the member that started it; undefined: unknown. */
type RunEnd = JobRun | "running" | undefined;

interface Content {
  readonly epoch: number;
  readonly jobs: StoredJobs;
}

export class JobLease {
  readonly id: string;
  readonly ttlMs: number;
  readonly #parts: LeaseParts;
  #record: LeaseRecord | null = null;
  #epoch = 0;
  /** Revision that this member has written; null: it does not hold the lease. */
  #revision: string | null = null;
  /** Jobs in the record when it was last read. */
  #recorded: StoredJobs = {};
  /** Settles when no call of the engine is in progress. */
  #lastCall: Promise<unknown> = Promise.resolve();

  constructor(parts: LeaseParts) {
    this.id = parts.id;
    this.ttlMs = parts.ttlMs;
    this.#parts = parts;
  }

  /** True if this member leads, and may take the lease. */
  get isLeading(): boolean {
    return this.#parts.leads() !== null;
  }

  /**
   * Takes the lease of the current epoch.
   * @returns the state of the jobs; null: another member leads, or has just replaced the record
   * @throws Error if the engine does not respond
   */
  take(): Promise<StoredJobs | null> {
    return this.#inTurn(() => this.#take());
  }

  async #take(): Promise<StoredJobs | null> {
    this.#revision = null;
    const epoch = this.#parts.leads();
    if (epoch === null) return null;
    this.#record ??= await this.#parts.open();
    const { revision, text } = await this.#limited(this.#record.read());
    const content = parse(text);
    if (content.epoch > epoch) return null;
    this.#epoch = epoch;
    this.#recorded = content.jobs;
    this.#revision = await this.#swap(this.#record, revision, { epoch, jobs: content.jobs });
    return this.#revision === null ? null : content.jobs;
  }

  /**
   * Reads the record, to which other members add the ends of their runs.
   * @returns the state of the jobs; null: the lease is lost, or may be
   * @throws Error if the engine does not respond
   */
  read(): Promise<StoredJobs | null> {
    return this.#inTurn(async () => ((await this.#reread()) ? this.#recorded : null));
  }

  /** Returns false if another member has taken the lease. */
  async #reread(): Promise<boolean> {
    if (this.#revision === null || this.#record === null) return false;
    const { revision, text } = await this.#limited(this.#record.read());
    const { epoch, jobs } = parse(text);
    const isOwn = epoch === this.#epoch;
    this.#revision = isOwn ? revision : null;
    if (isOwn) this.#recorded = jobs;
    return isOwn;
  }

  /**
   * Records the ends of runs of this member, even if another member leads.
   * @param endOf returns the state of a run of this member
   * @throws Error if the engine does not respond
   */
  release(endOf: (name: string, run: StoredRun) => RunEnd): Promise<void> {
    return this.#inTurn(() => this.#release(endOf));
  }

  async #release(endOf: (name: string, run: StoredRun) => RunEnd): Promise<void> {
    this.#record ??= await this.#parts.open();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { revision, text } = await this.#limited(this.#record.read());
      const { epoch, jobs } = parse(text);
      const ended = Object.entries(jobs).flatMap(([name, job]) =>
        this.#markEnded(name, job, endOf),
      );
      if (ended.length === 0) return;
      const content = { epoch, jobs: { ...jobs, ...Object.fromEntries(ended) } };
      if ((await this.#swap(this.#record, revision, content)) !== null) return;
    }
    throw new Error(`the record was replaced by other members during ${ATTEMPTS} attempts`);
  }

  /** Returns the job with its run marked as ended; empty without an ended run. */
  #markEnded(
    name: string,
    job: StoredJob,
    endOf: (name: string, run: StoredRun) => RunEnd,
  ): [string, StoredJob][] {
    const { running, runs } = job;
    if (running === null || running.by !== this.id || running.hasEnded === true) return [];
    const end = endOf(name, running);
    if (end === "running") return [];
    if (end === undefined) return [[name, { ...job, running: { ...running, hasEnded: true } }]];
    return [[name, { ...job, running: null, runs: [end, ...runs] }]];
  }

  /** Stores the state of the jobs; returns false if the lease is lost, or may be. */
  write(jobs: StoredJobs): Promise<boolean> {
    return this.#inTurn(() => this.#write(jobs)).catch(() => false);
  }

  async #write(jobs: StoredJobs): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const revision = this.#revision;
      if (revision === null || this.#record === null) return false;
      const content = { epoch: this.#epoch, jobs: this.#keepOtherRuns(jobs) };
      // The lease may be lost until the outcome of the swap is known.
      this.#revision = null;
      const next = await this.#swap(this.#record, revision, content);
      // After a failed swap, the record shows whether another member leads.
      this.#revision = next ?? revision;
      if (next !== null || !(await this.#reread())) return next !== null;
    }
    return false;
  }

  /** Keeps the recorded state of runs of other members, which only they update. */
  #keepOtherRuns(jobs: StoredJobs): StoredJobs {
    const entries = Object.entries(jobs).map(([name, job]) => {
      const { by = this.id } = job.running ?? {};
      const recorded = this.#recorded[name];
      if (by === this.id || recorded === undefined) return [name, job];
      return [name, { ...job, running: recorded.running, runs: recorded.runs }];
    });
    return Object.fromEntries(entries);
  }

  async close(): Promise<void> {
    this.#revision = null;
    await this.#record?.close().catch(() => undefined);
  }

  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const called = this.#lastCall.then(call);
    this.#lastCall = called.catch(() => undefined);
    return called;
  }

  #swap(record: LeaseRecord, revision: string, content: Content): Promise<string | null> {
    return this.#limited(record.swap(revision, this.#encode(content)));
  }

  #limited<T>(response: Promise<T>): Promise<T> {
    return responseInTime(response, this.#parts.timeoutMs);
  }

  #encode({ epoch, jobs }: Content): string {
    for (const maxRuns of MAX_RUNS) {
      const shortened = Object.entries(jobs).map(([name, job]) => {
        const { handledMs, running, removedMs } = job;
        const runs = job.runs.slice(0, maxRuns);
        const shortRuns = runs.map((run) => ({ ...run, text: run.text.slice(0, MAX_TEXT) }));
        const startedBy = running && { by: this.id, ...running };
        return [name, { handledMs, running: startedBy, runs: shortRuns, removedMs }];
      });
      const content = { format: FORMAT, epoch, jobs: Object.fromEntries(shortened) };
      const text = JSON.stringify(content);
      if (text.length <= MAX_RECORD_CHARACTERS) return text;
    }
    throw new Error("too many jobs");
  }
}

/**
 * Parses a record; an invalid one counts as empty.
 * @throws Error for a record of a later release, which must not be replaced
 */
function parse(text: string | null): Content {
  const { format, epoch, jobs } = parseText(text);
  const reason = explainLaterFormat(format, FORMAT);
  if (reason !== null) throw new Error(reason);
  const isContent = format === FORMAT && Number.isSafeInteger(epoch) && isPlainObject(jobs);
  return isContent ? { epoch: epoch as number, jobs: soundJobs(jobs) } : { epoch: 0, jobs: {} };
}

function parseText(text: string | null): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}
