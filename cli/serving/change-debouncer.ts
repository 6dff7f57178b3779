// Collects changed files, and reports them when no more changes arrive.

import { statSync } from "node:fs";
import { join } from "node:path";

/** Pause after which changes are complete: editors write a file in several steps. */
const QUIET_MS = 15;
/** Maximum wait for an empty file: some editors truncate or remove a file first. */
const MAX_EMPTY_MS = 400;

export class ChangeDebouncer {
  readonly #folder: string;
  readonly #report: (files: string[]) => void;
  readonly #files = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Time since which one of the files has been empty. */
  #emptySince: number | null = null;

  /** @param report receives the files relative to `folder` */
  constructor(folder: string, report: (files: string[]) => void) {
    this.#folder = folder;
    this.#report = report;
  }

  add(file: string): void {
    this.#files.add(file);
    this.#wait();
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #wait(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#end(), QUIET_MS);
  }

  #end(): void {
    const now = performance.now();
    const isEmptied = [...this.#files].some((file) => isEmpty(join(this.#folder, file)));
    this.#emptySince = isEmptied ? (this.#emptySince ?? now) : null;
    if (this.#emptySince !== null && now - this.#emptySince < MAX_EMPTY_MS) return this.#wait();
    this.#emptySince = null;
    const files = [...this.#files].sort();
    this.#files.clear();
    this.#report(files);
  }
}

/** Returns whether a file is empty or missing. */
function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}
