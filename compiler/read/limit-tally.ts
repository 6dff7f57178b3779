// Checks that limits end up in shapes. A limit may be read many times; one position that applies it
// suffices.

import type { ts } from "ts-morph";

/** Tags that were read. Unchanged files keep their tags when a program is read again. */
const read = new WeakSet<ts.JSDocTag>();

let latest = new Set<ts.JSDocTag>();

export function noteRead(tag: ts.JSDocTag): void {
  read.add(tag);
  latest.add(tag);
}

/** Returns the tags that were read since the last call. */
export function takeRead(): ts.JSDocTag[] {
  const tags = [...latest];
  latest = new Set();
  return tags;
}

/** Identifies a tag after its file was parsed again. */
export function tagPlace(tag: ts.JSDocTag): string {
  return `${tag.getSourceFile().fileName}:${tag.pos}`;
}

export function isRead(tag: ts.JSDocTag): boolean {
  return read.has(tag);
}

export class LimitTally {
  readonly #isTaken = new Map<ts.JSDocTag, boolean>();

  note(tag: ts.JSDocTag, isTaken: boolean): void {
    this.#isTaken.set(tag, isTaken || this.#isTaken.get(tag) === true);
  }

  /** Returns the tags that no shape has applied, without repetition. */
  takeMisplaced(): ts.JSDocTag[] {
    const misplaced = [...this.#isTaken].filter(([, isTaken]) => !isTaken).map(([tag]) => tag);
    for (const tag of misplaced) this.#isTaken.set(tag, true);
    return misplaced;
  }
}
