// State of jobs that survives a restart: until when their schedules were handled, and their last
// runs. A file in the data folder, replaced atomically. Writes never block the IO thread;
// a write that is in progress delays all further ones, which become one.

import { readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { replaceFile } from "../../base/durable-files.js";
import { log } from "../../base/log.js";
import { isPlainObject } from "../../base/plain-object.js";
import type { JobRun } from "../../builtin/job-status.js";

const FORMAT = 1;

/** Stored state of one job. */
export interface StoredJob {
  /** Earlier times of the schedule have been handled. */
  readonly handledMs: number;
  /** A run that had started and not ended. */
  readonly running: { readonly scheduledMs: number; readonly startedMs: number } | null;
  /** The newest first. */
  readonly runs: readonly JobRun[];
}

export class JobStore {
  readonly #file: string;
  readonly #content: () => Readonly<Record<string, StoredJob>>;
  #writing: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  /** @param content the jobs to store */
  constructor(file: string, content: () => Readonly<Record<string, StoredJob>>) {
    this.#file = file;
    this.#content = content;
  }

  /** Returns the stored jobs; none if there is no readable file. */
  read(): Readonly<Record<string, StoredJob>> {
    try {
      const stored = JSON.parse(readFileSync(this.#file, "utf8"));
      if (stored.format === FORMAT && isPlainObject(stored.jobs)) return stored.jobs;
      log(`jobs: ${this.#file} ignored: unknown format`, "warn");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") {
        log(`jobs: ${this.#file} ignored: ${(error as Error).message}`, "warn");
      }
    }
    return {};
  }

  /** Resolves when the present content is on disk, or could not be written. */
  save(): Promise<void> {
    if (this.#writing === null) return this.#start();
    this.#next ??= this.#writing.then(() => {
      this.#next = null;
      return this.#start();
    });
    return this.#next;
  }

  #start(): Promise<void> {
    const writing = this.#write().finally(() => {
      if (this.#writing === writing) this.#writing = null;
    });
    this.#writing = writing;
    return writing;
  }

  async #write(): Promise<void> {
    const text = `${JSON.stringify({ format: FORMAT, jobs: this.#content() })}\n`;
    try {
      await mkdir(dirname(this.#file), { recursive: true });
      await replaceFile(this.#file, text);
    } catch (error) {
      log(`jobs: ${this.#file} not written: ${(error as Error).message}`, "error");
    }
  }
}
