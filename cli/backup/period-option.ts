// Periods on the command line: `10s`, `5m`, `2h`, `30d`.

import { PERIOD_FORM, parsePeriod } from "../../runtime/base/archive-config.js";
import { SvcError } from "../../runtime/base/errors.js";

/** Returns milliseconds. @throws SvcError SVC3003 */
export function periodOption(option: string, text: string): number {
  const ms = parsePeriod(text);
  if (!Number.isNaN(ms)) return ms;
  throw new SvcError("SVC3003", `--${option} must be ${PERIOD_FORM}: ${text}`);
}
