// Schedules of jobs, functions that svc runs by itself: `@cron 0 3 * * *` and `@every 30s`. The
// compiler reads them, and the routes of a build carry them.

/** Path prefix of jobs, which have routes like plugins, but cannot be called by clients. */
export const JOB_PATH = "/svc/job/";

export interface CronSchedule {
  readonly cron: string;
  readonly timeZone: string;
}

export type JobSchedule = CronSchedule | { readonly everyMs: number };

export interface JobFacts {
  readonly schedule: JobSchedule;
  /** Tagged `@catchup`: svc makes up for missed runs by one run. */
  readonly isCaughtUp: boolean;
}

/** Returns `0 3 * * * (UTC)` or `every 30 s`. */
export function scheduleText(schedule: JobSchedule): string {
  if ("cron" in schedule) return `${schedule.cron} (${schedule.timeZone})`;
  return `every ${schedule.everyMs / 1000} s`;
}
