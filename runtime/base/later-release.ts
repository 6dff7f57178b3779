// Versions of formats: each release reads its own formats and those of the release before.

/**
 * Returns why the format of a later release is rejected; null if the value is not the number of
 * such a format.
 */
export function explainLaterFormat(format: unknown, known: number): string | null {
  if (!Number.isSafeInteger(format) || (format as number) <= known) return null;
  const later = `format ${format} is of a later release`;
  return `${later}, this one reads up to ${known}: install the later release`;
}
