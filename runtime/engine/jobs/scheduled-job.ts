// One job: its next run, its current run, and the outcomes of its last runs. Times are milliseconds
// since 1970 by the system clock, which schedules follow. That clock may jump, so the wait for a
// run of another member uses the monotonic clock.

import { log } from "../../base/log.js";
import type { JobOutcome, JobRun, JobStatus } from "../../builtin/job-status.js";
import { type JobFacts, scheduleText } from "../../plugin/contract/job-schedule.js";
import type { PluginRoute } from "../plugin-call.js";
import type { JobExchange } from "./job-exchange.js";
import type { StoredJob, StoredRun } from "./job-store.js";
import { JobTimes, MAX_COUNTED_TIMES } from "./job-times.js";

/** A run that cannot start within this time counts as missed. */
const MAX_LATE_MS = 60_000;
const MAX_RUNS = 20;
const MAX_TEXT = 500;

interface Running extends StoredRun {
  exchange: JobExchange | null;
  /**
   * Deadline of a run of another group member, by the monotonic clock: it has ended by then. Null:
   * the run is in this instance.
   */
  readonly freeMs: number | null;
}

/** Parameters for taking over jobs from another group member. */
export interface Takeover {
  /** The member that takes over. */
  readonly id: string;
  /** Deadline by which runs of other members have ended, by the monotonic clock. */
  readonly freeMs: number;
}

export class ScheduledJob {
  readonly name: string;
  facts: JobFacts;
  route: PluginRoute;
  #times: JobTimes | null;
  #nextMs: number | null;
  #handledMs: number;
  #running: Running | null = null;
  /** Scheduled time of a missed run that `@catchup` makes up for; null for none. */
  #owedMs: number | null = null;
  #missed = 0;
  /** The last ended run that was started by this instance. */
  #lastEnd: JobRun | null = null;
  readonly #counts = { ok: 0, failed: 0, timeout: 0, interrupted: 0 };
  #runs: readonly JobRun[];
  readonly #clock: () => number;
  readonly #monotonic: () => number;

  /** @param stored state from an earlier process */
  constructor(
    name: string,
    facts: JobFacts,
    route: PluginRoute,
    stored: StoredJob | undefined,
    clock: () => number = Date.now,
    monotonic: () => number = () => performance.now(),
  ) {
    this.name = name;
    this.#clock = clock;
    this.#monotonic = monotonic;
    this.facts = facts;
    this.route = route;
    this.#times = createTimes(facts);
    this.#runs = stored?.runs ?? [];
    const now = this.#clock();
    this.#handledMs = Math.min(stored?.handledMs ?? now, now);
    if (stored?.running != null) {
      this.#recordInterruption(stored.running, "the process ended during the run");
    }
    // An interval continues from the interrupted run.
    this.#nextMs = this.#firstMs(now);
  }

  /** Continues with the state recorded by the former leader. */
  takeOver(stored: StoredJob | undefined, { id, freeMs }: Takeover): void {
    const now = this.#clock();
    const handledMs = stored?.handledMs ?? now;
    // Clocks of several machines differ.
    const isPlausible = handledMs - now <= MAX_LATE_MS;
    const isRunningHere = this.#running !== null && this.#running.freeMs === null;
    const minMs = isRunningHere ? this.#handledMs : 0;
    this.#handledMs = Math.max(isPlausible ? handledMs : now, minMs);
    const running = stored?.running ?? null;
    const isOwn = running !== null && (running.by ?? id) === id;
    // The run has ended in this instance, but its end could not be stored.
    const end = isOwn && !isRunningHere ? this.#knownEnd(running) : undefined;
    const runs = stored?.runs ?? [];
    this.#takeOverRuns(end === undefined ? runs : [end, ...runs], now);
    if (!isRunningHere) this.#takeOverRun(end === undefined ? running : null, isOwn, freeMs);
    const { schedule } = this.facts;
    // An interval continues from the former leader's last run.
    this.#nextMs = "everyMs" in schedule ? this.#handledMs + schedule.everyMs : this.#firstMs(now);
  }

  /** Combines the recorded runs with older ones of this instance. */
  #takeOverRuns(runs: readonly JobRun[], now: number): void {
    const oldestMs = runs.at(-1)?.startedMs ?? now;
    const olderRuns = this.#runs.filter(({ startedMs }) => startedMs < oldestMs);
    this.#runs = [...runs, ...olderRuns].slice(0, MAX_RUNS);
  }

  #takeOverRun(running: StoredRun | null, isOwn: boolean, freeMs: number): void {
    this.#running = null;
    this.#owedMs = null;
    if (running === null) return;
    if (isOwn || running.hasEnded)
      this.#recordInterruption(running, "the process ended during the run");
    else this.#running = { ...running, exchange: null, freeMs };
  }

  /** Replaces the schedule after a reload. */
  replace(facts: JobFacts, route: PluginRoute): void {
    this.route = route;
    if (JSON.stringify(facts) === JSON.stringify(this.facts)) return;
    this.facts = facts;
    this.#times = createTimes(facts);
    this.#handledMs = this.#clock();
    this.#nextMs = this.#firstMs(this.#handledMs);
    this.#owedMs = null;
  }

  /** True if a run of another member may still be in progress. */
  get isAwaited(): boolean {
    return this.#running !== null && this.#running.freeMs !== null;
  }

  /** Ends the wait for a run of a former leader if that has recorded its end. */
  applyRecordedEnd({ running, runs }: StoredJob): void {
    const awaited = this.#running;
    if (awaited === null || awaited.freeMs === null) return;
    if (running !== null && running.hasEnded !== true) return;
    this.#running = null;
    this.#takeOverRuns(runs, this.#clock());
    if (running !== null) this.#recordInterruption(awaited, "the process ended during the run");
  }

  /** Returns the state of a run that this instance has started; undefined: unknown. */
  endOf(run: StoredRun): JobRun | "running" | undefined {
    if (this.#running !== null && this.#running.freeMs === null) return "running";
    return this.#knownEnd(run);
  }

  #knownEnd({ startedMs, scheduledMs }: StoredRun): JobRun | undefined {
    const end = this.#lastEnd;
    const isSameRun = end?.startedMs === startedMs && end.scheduledMs === scheduledMs;
    return isSameRun ? end : undefined;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Time of the next call of `takeDue`; null: never. */
  get dueMs(): number | null {
    if (this.#owedMs !== null && this.#running === null) return 0;
    const freeMs = this.#running?.freeMs ?? null;
    if (freeMs === null) return this.#nextMs;
    const dueMs = this.#clock() + freeMs - this.#monotonic();
    return Math.min(dueMs, this.#nextMs ?? dueMs);
  }

  stored(): StoredJob {
    let running: StoredRun | null = null;
    if (this.#running !== null) {
      const { scheduledMs, startedMs, by } = this.#running;
      running = { scheduledMs, startedMs, ...(by !== undefined && { by }) };
    }
    return { handledMs: this.#handledMs, running, runs: this.#runs };
  }

  /**
   * Returns the scheduled time of a run that is due now, and marks it as handled.
   * @param obstacle why no run may start now; null: runs may
   * @returns null if no run is due
   */
  takeDue(now: number, obstacle: string | null): number | null {
    this.#freeFromOther();
    this.#followClock(now);
    const isDue = this.#nextMs !== null && this.#nextMs <= now;
    const due = isDue ? this.#takeTimes(this.#nextMs!, now, obstacle) : null;
    if (due !== null) return due;
    if (this.#owedMs === null || obstacle !== null || this.#running !== null) return null;
    const owed = this.#owedMs;
    this.#owedMs = null;
    return owed;
  }

  /** Limits the wait to one interval if the clock was set back. */
  #followClock(now: number): void {
    const { schedule } = this.facts;
    if (this.#nextMs === null || !("everyMs" in schedule)) return;
    this.#nextMs = Math.min(this.#nextMs, now + schedule.everyMs);
  }

  /** Ends the wait for a run of another member at its deadline, when it can no longer run. */
  #freeFromOther(): void {
    const running = this.#running;
    if (running === null || running.freeMs === null || this.#monotonic() < running.freeMs) return;
    this.#running = null;
    this.#recordInterruption(running, `${running.by} did not complete the run`);
  }

  /** Handles all times of the schedule until now. */
  #takeTimes(firstMs: number, now: number, obstacle: string | null): number | null {
    if (this.#times === null) return this.#takeInterval(now, obstacle);
    const { count, lastMs } = this.#times.passed(firstMs, now);
    this.#handledMs = now;
    this.#nextMs = this.#times.next(now);
    const isLate = lastMs === null || now - lastMs > MAX_LATE_MS;
    const canStart = obstacle === null && !isLate && this.#running === null;
    const missed = canStart ? count - 1 : count;
    const reason = isLate ? "server was not running" : (obstacle ?? "still running");
    if (missed > 0) this.#miss(missed, lastMs ?? now, reason);
    if (!canStart) return null;
    this.#owedMs = null;
    return lastMs;
  }

  /** Handles an interval, which restarts with each run, so that no run can be missed. */
  #takeInterval(now: number, obstacle: string | null): number | null {
    const { everyMs } = this.facts.schedule as { readonly everyMs: number };
    const due = this.#nextMs!;
    const next = due + everyMs;
    this.#nextMs = next > now ? next : now + everyMs;
    this.#handledMs = now;
    if (obstacle !== null || this.#running !== null) return null;
    // This run also makes up for an interrupted one.
    this.#owedMs = null;
    return due;
  }

  #miss(count: number, lastMs: number, reason: string): void {
    this.#missed += count;
    if (this.facts.isCaughtUp) this.#owedMs = lastMs;
    const number = count >= MAX_COUNTED_TIMES ? `${MAX_COUNTED_TIMES} or more` : String(count);
    const suffix = this.facts.isCaughtUp ? "; one run makes up for them" : "";
    log(`job ${this.name}: missed runs: ${number}, ${reason}${suffix}`, "warn", {
      job: this.name,
      missed: count,
      last: new Date(lastMs).toISOString(),
    });
  }

  recordStart(scheduledMs: number): void {
    this.#running = { scheduledMs, startedMs: this.#clock(), exchange: null, freeMs: null };
    log(`job ${this.name} started`, this.#level, { job: this.name });
  }

  /** Called when the run was submitted to the executors. */
  recordSubmission(exchange: JobExchange): void {
    if (this.#running !== null) this.#running.exchange = exchange;
  }

  /** @param text the result or the error */
  recordEnd(outcome: JobOutcome, text: string): void {
    const running = this.#running;
    if (running === null || running.freeMs !== null) return;
    this.#running = null;
    const durationMs = this.#clock() - running.startedMs;
    this.#record({ ...running, durationMs, outcome, text });
    if (running.exchange !== null) this.#lastEnd = this.#runs[0]!;
    const isGood = outcome === "ok";
    const ending = isGood ? `completed in ${durationMs} ms` : `${outcome}: ${text}`;
    log(`job ${this.name} ${ending}`, isGood ? this.#level : "error", {
      job: this.name,
      ms: durationMs,
    });
  }

  /** Runs by interval are logged at level debug: frequent ones would fill the log. */
  get #level(): "info" | "debug" {
    return this.#times === null ? "debug" : "info";
  }

  #recordInterruption({ scheduledMs, startedMs }: StoredRun, text: string): void {
    this.#record({ scheduledMs, startedMs, durationMs: 0, outcome: "interrupted", text });
    log(`job ${this.name} interrupted: ${text}`, "warn", { job: this.name });
    if (this.facts.isCaughtUp) this.#owedMs = this.#clock();
  }

  #record({ scheduledMs, startedMs, durationMs, outcome, text }: JobRun): void {
    this.#counts[outcome]++;
    const run = { scheduledMs, startedMs, durationMs, outcome, text: text.slice(0, MAX_TEXT) };
    this.#runs = [run, ...this.#runs].slice(0, MAX_RUNS);
  }

  /** Aborts the signal of the run, which must end within `JOB_GRACE_MS`. */
  cancel(): void {
    this.#running?.exchange?.cancel();
  }

  /** @param isHere whether the schedule runs on this instance */
  status(isHere: boolean): JobStatus {
    return {
      name: this.name,
      schedule: scheduleText(this.facts.schedule),
      catchup: this.facts.isCaughtUp,
      next: isHere && this.#nextMs !== null ? this.#nextMs / 1000 : null,
      running: this.#running === null ? null : this.#running.startedMs / 1000,
      counts: { ...this.#counts },
      missed: this.#missed,
      runs: this.#runs,
    };
  }

  /** Returns the time of the first run; `takeDue` reports times that have passed as missed. */
  #firstMs(now: number): number | null {
    if (this.#times !== null) return this.#times.next(this.#handledMs);
    const { everyMs } = this.facts.schedule as { readonly everyMs: number };
    const [last] = this.#runs;
    if (!this.facts.isCaughtUp || last === undefined) return now + everyMs;
    return Math.min(last.startedMs + everyMs, now + everyMs);
  }
}

function createTimes({ schedule }: JobFacts): JobTimes | null {
  return "cron" in schedule ? new JobTimes(schedule) : null;
}
