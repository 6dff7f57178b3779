// Tracks limits: the limits that were read, and whether each limit applied to a shape. If a limit
// is read several times, it only has to apply once.

import type { ts } from "ts-morph";

/** Limits that the innermost `collectRead` has read; null outside of it. */
let latest: Set<string> | null = null;

/** Records that a limit has been read. */
export function recordRead(tag: ts.JSDocTag): void {
  latest?.add(tagPlace(tag));
}

/** Records the limits of a type that has been read before. */
export function recordReadPlaces(places: readonly string[]): void {
  for (const place of places) latest?.add(place);
}

/** Returns the places of the limits that were read since the innermost `collectRead` began. */
export function readSoFar(): string[] {
  return [...(latest ?? [])];
}

/** Returns the result of `read` and the places of the limits that it reads. */
export function collectRead<T>(read: () => T): readonly [T, readonly string[]] {
  const outer = latest;
  const places = new Set<string>();
  latest = places;
  try {
    return [read(), [...places]];
  } finally {
    latest = outer;
    recordReadPlaces([...places]);
  }
}

/** Returns a key of a tag that stays valid when its file is parsed again. */
export function tagPlace(tag: ts.JSDocTag): string {
  return `${tag.getSourceFile().fileName}:${tag.pos}`;
}

export class LimitUsage {
  readonly #isTaken = new Map<ts.JSDocTag, boolean>();

  record(tag: ts.JSDocTag, isTaken: boolean): void {
    this.#isTaken.set(tag, isTaken || this.#isTaken.get(tag) === true);
  }

  /** Returns the tags that applied to no shape. Each tag is returned only once. */
  takeMisplaced(): ts.JSDocTag[] {
    const misplaced = [...this.#isTaken].filter(([, isTaken]) => !isTaken).map(([tag]) => tag);
    for (const tag of misplaced) this.#isTaken.set(tag, true);
    return misplaced;
  }
}
