// Checks that each limit is applied to a shape. A limit may be read several times, but one
// application suffices.

import type { ts } from "ts-morph";

/** Places of the limits that the innermost `collectRead` has read; null outside of one. */
let latest: Set<string> | null = null;

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

/** Identifies a tag after its file was parsed again. */
export function tagPlace(tag: ts.JSDocTag): string {
  return `${tag.getSourceFile().fileName}:${tag.pos}`;
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
