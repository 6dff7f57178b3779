// The right of one member of a group to run the jobs. The member that leads holds it, with the
// state of all jobs, in a record of the leadership engine. Each start replaces the record first.
// A member that another one has followed cannot replace it any more, so it starts nothing. It only
// adds that its runs have ended: the next leader waits for them.

import { answerInTime } from "../../base/answer-in-time.js";
import { explainLaterFormat } from "../../base/later-release.js";
import { isPlainObject } from "../../base/plain-object.js";
import type { JobRun } from "../../builtin/job-status.js";
import { type StoredJob, type StoredJobs, type StoredRun, soundJobs } from "./job-store.js";

const FORMAT = 1;
const MAX_RECORD_CHARACTERS = 200_000;
/** Runs of each job that the record contains, as many as fit. */
const MAX_RUNS = [5, 1, 0] as const;
const MAX_TEXT = 100;
/** Other members replace the record only to say that their runs have ended. */
const ATTEMPTS = 5;

/** A record that members replace only if no other one has. */
export interface LeaseRecord {
  read(): Promise<{ readonly revision: string; readonly text: string | null }>;
  /** Returns the new revision; null if another member has replaced it. */
  swap(revision: string, text: string): Promise<string | null>;
  close(): Promise<void>;
}

export interface LeaseParts {
  /** This member. */
  readonly id: string;
  /** Time after which a silent leader is replaced. */
  readonly ttlMs: number;
  /** Limit of one call of the engine. */
  readonly timeoutMs: number;
  /** Epoch in which this member leads; null: it does not. */
  readonly leads: () => number | null;
  /** @throws Error if the engine cannot be used */
  readonly open: () => LeaseRecord | Promise<LeaseRecord>;
}

/** Knowledge of a member about a run that it has begun; undefined: none. */
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
  /** Of the record that this member has written last; null: it does not hold the lease. */
  #revision: string | null = null;
  /** Content of the record, as last read. */
  #recorded: StoredJobs = {};
  /** Settles when no call of the engine is in progress. */
  #called: Promise<unknown> = Promise.resolve();

  constructor(parts: LeaseParts) {
    this.id = parts.id;
    this.ttlMs = parts.ttlMs;
    this.#parts = parts;
  }

  /** Whether this member leads; it holds the lease once it has taken it. */
  get isLeading(): boolean {
    return this.#parts.leads() !== null;
  }

  /**
   * Takes the lease of the present epoch.
   * @returns the state of the jobs; null: another member leads, or has just written
   * @throws Error if the engine does not answer
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
   * Reads what other members have said of their runs.
   * @returns null: the lease is lost, or may be
   * @throws Error if the engine does not answer
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
   * Says that runs of this member have ended, whichever member leads.
   * @param endOf returns what is known of a run of this member
   * @throws Error if the engine does not answer
   */
  release(endOf: (name: string, run: StoredRun) => RunEnd): Promise<void> {
    return this.#inTurn(() => this.#release(endOf));
  }

  async #release(endOf: (name: string, run: StoredRun) => RunEnd): Promise<void> {
    this.#record ??= await this.#parts.open();
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const { revision, text } = await this.#limited(this.#record.read());
      const { epoch, jobs } = parse(text);
      const ended = Object.entries(jobs).flatMap(([name, job]) => this.#ended(name, job, endOf));
      if (ended.length === 0) return;
      const content = { epoch, jobs: { ...jobs, ...Object.fromEntries(ended) } };
      if ((await this.#swap(this.#record, revision, content)) !== null) return;
    }
    throw new Error("the record is replaced again and again");
  }

  /** Returns the job without the run that this member has ended; none if there is no such run. */
  #ended(
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

  /** Stores the state of the jobs. Returns false if the lease is lost, or may be. */
  write(jobs: StoredJobs): Promise<boolean> {
    return this.#inTurn(() => this.#write(jobs)).catch(() => false);
  }

  async #write(jobs: StoredJobs): Promise<boolean> {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const revision = this.#revision;
      if (revision === null || this.#record === null) return false;
      const content = { epoch: this.#epoch, jobs: this.#withEnds(jobs) };
      // Until the outcome is known, it may be lost.
      this.#revision = null;
      const next = await this.#swap(this.#record, revision, content);
      // Otherwise, the record tells whether another member leads.
      this.#revision = next ?? revision;
      if (next !== null || !(await this.#reread())) return next !== null;
    }
    return false;
  }

  /** Of a run of another member, only that member knows the end. */
  #withEnds(jobs: StoredJobs): StoredJobs {
    const all = Object.entries(jobs).map(([name, job]) => {
      const { by = this.id } = job.running ?? {};
      const recorded = this.#recorded[name];
      if (by === this.id || recorded === undefined) return [name, job];
      return [name, { ...job, running: recorded.running, runs: recorded.runs }];
    });
    return Object.fromEntries(all);
  }

  async close(): Promise<void> {
    this.#revision = null;
    await this.#record?.close().catch(() => undefined);
  }

  #inTurn<T>(call: () => Promise<T>): Promise<T> {
    const called = this.#called.then(call);
    this.#called = called.catch(() => undefined);
    return called;
  }

  #swap(record: LeaseRecord, revision: string, content: Content): Promise<string | null> {
    return this.#limited(record.swap(revision, this.#encode(content)));
  }

  #limited<T>(answer: Promise<T>): Promise<T> {
    return answerInTime(answer, this.#parts.timeoutMs);
  }

  #encode({ epoch, jobs }: Content): string {
    const texts = MAX_RUNS.map((most) => () => {
      const shortened = Object.entries(jobs).map(([name, job]) => {
        const { handledMs, running, removedMs } = job;
        const kept = job.runs.slice(0, most);
        const last = kept.map((run) => ({ ...run, text: run.text.slice(0, MAX_TEXT) }));
        const by = running && { by: this.id, ...running };
        return [name, { handledMs, running: by, runs: last, removedMs }];
      });
      const content = { format: FORMAT, epoch, jobs: Object.fromEntries(shortened) };
      return JSON.stringify(content);
    });
    for (const text of texts) {
      const fitting = text();
      if (fitting.length <= MAX_RECORD_CHARACTERS) return fitting;
    }
    throw new Error("too many jobs");
  }
}

/**
 * Text that is no record counts as none.
 * @throws Error for a record of a later release, which is not replaced
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
