// Periods on the command line: `10s`, `5m`, `2h`, `30d`.

import { SvcError } from "../../runtime/base/errors.js";

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** Returns milliseconds. @throws SvcError SVC3003 */
export function parsePeriod(option: string, text: string): number {
  const [, count, unit] = /^([1-9][0-9]{0,5})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return Number(count) * UNIT_MS[unit!]!;
  throw new SvcError("SVC3003", `--${option} must be a period such as 10s, 5m, 2h or 30d: ${text}`);
}
