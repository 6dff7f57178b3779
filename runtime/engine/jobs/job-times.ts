// The times of a cron schedule, computed by croner. At changes to and from daylight saving time, a
// run in the skipped hour happens after it, and a run in the repeated hour happens once.

import type { Cron } from "croner";
import type { CronSchedule } from "../../plugin/contract/job-schedule.js";

/** Maximum count; further times are ignored. */
export const MAX_COUNTED_TIMES = 1000;

/** Times of a schedule in a period. */
export interface PassedTimes {
  /** Limited to MAX_COUNTED_TIMES. */
  readonly count: number;
  /** The last counted one; null for none. */
  readonly lastMs: number | null;
}

/** Null: not loaded. */
let croner: typeof import("croner") | null = null;

/** Loads croner; required before the first `JobTimes`. */
export async function loadCron(): Promise<void> {
  croner ??= await import("croner");
}

/** Times of one cron expression, in milliseconds since 1970. */
export class JobTimes {
  readonly #cron: Cron;

  /** @throws Error for an invalid expression or time zone */
  constructor({ cron, timeZone }: CronSchedule) {
    this.#cron = new croner!.Cron(cron, { timezone: timeZone, paused: true });
  }

  /** Returns the first time after another one; null if there is none. */
  next(afterMs: number): number | null {
    return this.#cron.nextRun(new Date(afterMs))?.getTime() ?? null;
  }

  /** Returns the times from `firstMs` until `untilMs`, both included. */
  passed(firstMs: number, untilMs: number): PassedTimes {
    let count = 0;
    let lastMs: number | null = null;
    for (
      let at: number | null = firstMs;
      at !== null && at <= untilMs && count < MAX_COUNTED_TIMES;
      at = this.next(at)
    ) {
      count++;
      lastMs = at;
    }
    return { count, lastMs };
  }
}
