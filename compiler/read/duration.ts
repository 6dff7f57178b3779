// Durations in tags: `500ms`, `2s`, `1min`, `2h`.

const DURATION = /^(\d+(?:\.\d+)?)\s*(ms|s|min|h)$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, min: 60_000, h: 3_600_000 };

/** Returns rounded milliseconds; null if the text is not a duration. */
export function parseDuration(text: string): number | null {
  const [, number, unit] = DURATION.exec(text) ?? [];
  return unit === undefined ? null : Math.round(Number(number) * UNIT_MS[unit]!);
}
