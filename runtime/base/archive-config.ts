// Configuration of a continuous backup in settings and descriptors, with periods such as `10s`.

/** Location and periods of a continuous backup; omitted periods have the defaults of PERIODS. */
export interface ArchiveConfig {
  /** Folder, or `s3://bucket/prefix`. */
  readonly to: string;
  /** Time between additions. Default 10s. */
  readonly every?: string | null;
  /** Time between full backups. Default 1d. */
  readonly full?: string | null;
  /** How far back graphs can be restored to any moment. Default 30d. */
  readonly keep?: string | null;
  /** Time between verifications. Default 7d. */
  readonly verify?: string | null;
}

export const PERIODS = { every: "10s", full: "1d", keep: "30d", verify: "7d" } as const;

/** A configuration with all defaults, and periods in milliseconds. */
export interface ArchivePlan {
  readonly place: string;
  readonly everyMs: number;
  readonly fullMs: number;
  readonly keepMs: number;
  readonly verifyMs: number;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
export const PERIOD = /^([1-9][0-9]{0,5})([smhd])$/;
export const PERIOD_FORM = "a period such as 10s, 5m, 2h or 30d";

/** Returns the milliseconds of a text such as `10s`, NaN for other texts. */
export function parsePeriod(text: string): number {
  const [, count, unit = ""] = PERIOD.exec(text) ?? [];
  return Number(count) * (UNIT_MS[unit] ?? Number.NaN);
}

/** Minimum pause between two additions, as a share of the period. */
const MIN_PAUSE_SHARE = 0.1;

/**
 * Returns the pause after an addition to a backup. The next addition, if it takes as long, ends
 * within the period, so that the backup lags by at most one period. If the location is too slow
 * for that, the minimum pause applies.
 * @param sinceMs its start, monotonic milliseconds
 */
export function pauseAfter(sinceMs: number, everyMs: number): number {
  return Math.max(MIN_PAUSE_SHARE * everyMs, everyMs - 2 * (performance.now() - sinceMs));
}

/** @param value valid values; a text is the location */
export function planArchive(value: string | ArchiveConfig): ArchivePlan {
  const config: ArchiveConfig = typeof value === "string" ? { to: value } : value;
  const ms = (name: keyof typeof PERIODS): number => parsePeriod(config[name] ?? PERIODS[name]);
  return {
    ...{ place: config.to, everyMs: ms("every"), fullMs: ms("full") },
    ...{ keepMs: ms("keep"), verifyMs: ms("verify") },
  };
}
