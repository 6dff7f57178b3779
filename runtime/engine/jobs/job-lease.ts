// The right of one member of a group to run the jobs. The member that leads holds it, with the
// state of all jobs, in a record of the leadership engine. Each start replaces the record first.
// A member that another one has followed cannot replace it any more, so it starts nothing.

import { answerInTime } from "../../base/answer-in-time.js";
import { explainLaterFormat } from "../../base/later-release.js";
import { isPlainObject } from "../../base/plain-object.js";
import type { StoredJobs } from "./job-store.js";

const FORMAT = 1;
const MAX_RECORD_CHARACTERS = 200_000;
/** Runs of each job that the record contains, as many as fit. */
const MOST_RUNS = [5, 1, 0] as const;
const MAX_TEXT = 100;

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
    this.#revision = await this.#swap(this.#record, revision, content.jobs);
    return this.#revision === null ? null : content.jobs;
  }

  /** Stores the state of the jobs. Returns false if the lease is lost, or may be. */
  write(jobs: StoredJobs): Promise<boolean> {
    return this.#inTurn(() => this.#write(jobs)).catch(() => false);
  }

  async #write(jobs: StoredJobs): Promise<boolean> {
    const revision = this.#revision;
    if (revision === null || this.#record === null) return false;
    // Until the outcome is known, it may be lost.
    this.#revision = null;
    this.#revision = await this.#swap(this.#record, revision, jobs);
    return this.#revision !== null;
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

  #swap(record: LeaseRecord, revision: string, jobs: StoredJobs): Promise<string | null> {
    return this.#limited(record.swap(revision, this.#encode(jobs)));
  }

  #limited<T>(answer: Promise<T>): Promise<T> {
    return answerInTime(answer, this.#parts.timeoutMs);
  }

  #encode(jobs: StoredJobs): string {
    const texts = MOST_RUNS.map((most) => () => {
      const shortened = Object.entries(jobs).map(([name, { handledMs, running, runs }]) => {
        const kept = runs.slice(0, most);
        const last = kept.map((run) => ({ ...run, text: run.text.slice(0, MAX_TEXT) }));
        return [name, { handledMs, running: running && { by: this.id, ...running }, runs: last }];
      });
      const content = { format: FORMAT, epoch: this.#epoch, jobs: Object.fromEntries(shortened) };
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
  return isContent ? { epoch: epoch as number, jobs: jobs as StoredJobs } : { epoch: 0, jobs: {} };
}

function parseText(text: string | null): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(text ?? "{}"));
  } catch {
    return {};
  }
}
