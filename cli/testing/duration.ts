// Durations in tests.

import { SvcError } from "../../runtime/base/errors.js";

/** Parses milliseconds, or a number with a unit: `20ms`, `5s`, `2m`, `1h`. */
export type Duration = number | `${number}${"ms" | "s" | "m" | "h"}`;

const MS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
/** Longer durations are errors of the test. */
const MAX_MS = 366 * 24 * MS.h;

/** @throws SvcError SVC3300 */
export function milliseconds(duration: Duration): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(String(duration)) ?? [];
  const ms = typeof duration === "number" ? duration : Number(number) * MS[unit as keyof typeof MS];
  if (ms >= 0 && ms <= MAX_MS) return ms;
  const text = `invalid duration ${JSON.stringify(duration)}: pass milliseconds or text like "5s"`;
  throw new SvcError("SVC3300", text);
}
