// Versions of formats: each release reads its own formats and those of the release before.

/** Returns why a format is refused that only a later release can have written. */
export function describeLaterFormat(format: unknown, known: number): string {
  const later = `format ${String(format).slice(0, 20)} is of a later release`;
  return `${later}, this one reads up to ${known}: install the later release`;
}

/** Returns whether a value is the number of a format that this release does not know. */
export function isLaterFormat(format: unknown, known: number): boolean {
  return Number.isSafeInteger(format) && (format as number) > known;
}
