// Rows with the revision of their last change, so that a client gets only rows that changed.

import type { Row } from "./short-rows.js";

interface Revised {
  readonly row: Row;
  readonly text: string;
  readonly revision: number;
}

export class RevisedRows {
  /** By key, in the order of their first appearance. */
  readonly #rows = new Map<string, Revised>();

  /** Returns the last row of a key; empty if there is none. */
  last(key: string): Row {
    return this.#rows.get(key)?.row ?? [];
  }

  /**
   * Stores a row under a new revision, unless it equals the current one.
   * @returns whether it differs
   */
  set(key: string, row: Row, revision: number): boolean {
    const text = JSON.stringify(row);
    if (this.#rows.get(key)?.text === text) return false;
    this.#rows.set(key, { row, text, revision });
    return true;
  }

  /** Returns the rows that changed after a revision. */
  after(revision: number): readonly Row[] {
    const changed: Row[] = [];
    for (const revised of this.#rows.values())
      if (revised.revision > revision) changed.push(revised.row);
    return changed;
  }
}
