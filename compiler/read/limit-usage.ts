// Tracks which limits were read, and whether each applied to a shape. A limit that is read several
// times only has to apply once.

import type { ts } from "ts-morph";

/** Limits that the innermost `collectRead` has read; null outside of it. */
let current: Set<string> | null = null;

/** Records that a limit has been read. */
export function recordRead(tag: ts.JSDocTag): void {
  current?.add(tagLocation(tag));
}

/** Records the limits of a type that has been read before. */
export function recordReadLocations(locations: readonly string[]): void {
  for (const location of locations) current?.add(location);
}

/** Returns the locations of the limits that were read since the innermost `collectRead` began. */
export function readSoFar(): string[] {
  return [...(current ?? [])];
}

/** Returns the result of `read` and the locations of the limits that it reads. */
export function collectRead<T>(read: () => T): readonly [T, readonly string[]] {
  const outer = current;
  const locations = new Set<string>();
  current = locations;
  try {
    return [read(), [...locations]];
  } finally {
    current = outer;
    recordReadLocations([...locations]);
  }
}

/** Returns a key of a tag that stays valid when its file is parsed again. */
export function tagLocation(tag: ts.JSDocTag): string {
  return `${tag.getSourceFile().fileName}:${tag.pos}`;
}

export class LimitUsage {
  readonly #isApplied = new Map<ts.JSDocTag, boolean>();

  record(tag: ts.JSDocTag, isApplied: boolean): void {
    this.#isApplied.set(tag, isApplied || this.#isApplied.get(tag) === true);
  }

  /** Returns the tags that applied to no shape. Each tag is returned only once. */
  takeMisplaced(): ts.JSDocTag[] {
    const misplaced = [...this.#isApplied].filter(([, isTaken]) => !isTaken).map(([tag]) => tag);
    for (const tag of misplaced) this.#isApplied.set(tag, true);
    return misplaced;
  }
}
