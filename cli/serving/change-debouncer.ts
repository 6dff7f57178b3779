// Changed files as one list, once nothing more happens to them.

import { statSync } from "node:fs";
import { join } from "node:path";

/** Editors write a file in several steps; a pause this long means that they are done. */
const QUIET_MS = 15;
/** Some empty or remove a file first and fill it later: so long it may stay like that. */
const FILLED_AFTER_MS = 400;

export class ChangeDebouncer {
  readonly #folder: string;
  readonly #report: (files: string[]) => void;
  readonly #files = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  /** Since when one of the files has been empty. */
  #emptySince: number | null = null;

  /** @param report gets the files relative to `folder` */
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
    if (this.#emptySince !== null && now - this.#emptySince < FILLED_AFTER_MS) return this.#wait();
    this.#emptySince = null;
    const files = [...this.#files].sort();
    this.#files.clear();
    this.#report(files);
  }
}

/** Whether a file has no content, or is not there. */
function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}
