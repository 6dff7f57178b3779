// Runs the jobs of a build by their schedules; runs of a job never overlap. They run in executors,
// in the slots of the admin port, like requests without a client: with the same limits, deadlines
// and supervision. The executor of a job that does not end is replaced.

import { JOB_GRACE_MS } from "../../base/limits.js";
import { log } from "../../base/log.js";
import { RESULT_ERROR, RESULT_ERROR_FIELDS, RESULT_STREAM } from "../../base/wire/batch.js";
import type { JobStatus } from "../../builtin/job-status.js";
import { JOB_PATH, type JobFacts } from "../../plugin/contract/job-schedule.js";
import { hasJobs, type Routes } from "../../plugin/contract/plugin-table.js";
import { latin1Text, latin1ToUtf8 } from "../../plugin/contract/wire-text.js";
import type { PluginCall, PluginRoute, ResultPayload } from "../plugin-call.js";
import type { ResponseWriter } from "../response-writer.js";
import type { Failure, SchedulerEvents } from "../scheduler.js";
import { dropStream, type StreamPayload } from "../streams.js";
import { JobExchange } from "./job-exchange.js";
import { readJobs, writeJobs } from "./job-file.js";
import type { JobLease } from "./job-lease.js";
import { forgetRemoved, JobStore, type StoredJobs } from "./job-store.js";
import { loadCron } from "./job-times.js";
import { ScheduledJob } from "./scheduled-job.js";

/** Maximum sleep, so that changes of the system clock are detected. */
const MAX_SLEEP_MS = 30_000;
/** Interval at which missed runs check for Service-IN. */
const MIN_SLEEP_MS = 250;
/** Number of checks per `ttl` whether the instance leads. */
const CHECKS_PER_TTL = 10;
/** Time that another member needs to replace an executor, after the grace period. */
const REPLACEMENT_MS = 5_000;
const ERROR_LOG_MS = 30_000;
const TOO_FEW_MEMBERS = "too few members of the group respond to store changes";

/** A job of a build: its route and its schedule. */
export interface JobRoute {
  readonly route: PluginRoute;
  readonly facts: JobFacts;
}

export type JobLocation = "here" | "elsewhere" | JobLease;

export interface JobRunnerParts {
  /** File with the state of jobs. */
  readonly file: string;
  /** Where schedules run: always here, never here, or here while this member holds the lease. */
  readonly location: JobLocation;
  /** Returns whether the instance is Service-IN. */
  readonly canRun: () => boolean;
  /** Returns whether the group accepts no changes: those of a run would wait for a member. */
  readonly isReadonly: () => boolean;
  /** Sends a run to an executor. */
  readonly submit: (exchange: JobExchange, route: PluginRoute) => void;
}

type Outcomes = Pick<SchedulerEvents, "result" | "onFailure" | "onDrop">;

/** Callbacks that answer requests. */
type Answers = Pick<ResponseWriter, "call" | "failedCall" | "droppedCall">;

const FAILURES: Readonly<Record<Failure, string>> = {
  timeout: "deadline exceeded",
  "executor-died": "its executor died",
  "not-durable": "its changes could not be written to the transaction log",
};

export class JobRunner {
  readonly #parts: JobRunnerParts;
  readonly #lease: JobLease | null;
  readonly #store: JobStore;
  #stored: StoredJobs | null = null;
  #jobs: ReadonlyMap<string, ScheduledJob> = new Map();
  /** Jobs missing in this build: runs may continue, and a later build may have them again. */
  #dropped: ReadonlyMap<string, ScheduledJob> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #watch: NodeJS.Timeout | undefined;
  /** Whether schedules run on this instance now. */
  #isHere: boolean;
  /** A call of the lease is in progress; after a failure, further calls wait. */
  #isCalling = false;
  #callsAfterMs = 0;
  /** Runs of this member, also in an earlier process, may have ended without a record of it. */
  #hasUnrecordedEnds = true;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #isStopped = false;

  constructor(parts: JobRunnerParts) {
    this.#parts = parts;
    const { file, location } = parts;
    this.#isHere = location === "here";
    this.#lease = typeof location === "string" ? null : location;
    this.#store = new JobStore(async () => {
      if (this.#lease !== null) return this.#lease.write(this.#content());
      await writeJobs(file, this.#content());
      return true;
    });
  }

  /**
   * Reads the stored jobs, if a build has any and no group keeps them.
   * @throws SvcError SVC2506
   */
  async load(routes: Routes): Promise<void> {
    if (!hasJobs(routes)) return;
    await loadCron();
    if (this.#lease === null) this.#stored ??= readJobs(this.#parts.file);
  }

  /** Replaces the jobs by those of a loaded build; running ones continue. */
  setJobs(routes: ReadonlyMap<string, JobRoute>): void {
    const former = this.#allJobs;
    this.#jobs = new Map(
      [...routes].map(([name, jobRoute]) => [name, this.#job(name, jobRoute, former)]),
    );
    this.#dropped = new Map([...former].filter(([name]) => !routes.has(name)));
    if (routes.size > 0 && this.#lease !== null && !this.#isStopped) {
      this.#watch ??= setInterval(() => this.#follow(), this.#lease.ttlMs / CHECKS_PER_TTL).unref();
    }
    if (routes.size > 0) void this.#save();
    this.#schedule();
  }

  get #allJobs(): ReadonlyMap<string, ScheduledJob> {
    return new Map([...this.#dropped, ...this.#jobs]);
  }

  /** Takes over the jobs when this member becomes the leader, and stops when it no longer leads. */
  #follow(): void {
    const lease = this.#lease!;
    if (this.#isStopped) return;
    if (!lease.isLeading) this.#stopSchedules();
    if (this.#isCalling || performance.now() < this.#callsAfterMs) return;
    if (!lease.isLeading) {
      if (this.#hasUnrecordedEnds) void this.#call(lease, () => this.#release(lease));
    } else if (!this.#isHere) {
      void this.#call(lease, () => this.#take(lease));
    } else if ([...this.#jobs.values()].some(({ isAwaited }) => isAwaited)) {
      void this.#call(lease, () => this.#readEnds(lease));
    }
  }

  #stopSchedules(): void {
    for (const job of this.#allJobs.values()) job.cancel();
    if (this.#isHere) log("jobs: schedules stopped: this instance no longer leads");
    this.#isHere = false;
  }

  async #call({ ttlMs }: JobLease, call: () => Promise<void>): Promise<void> {
    this.#isCalling = true;
    try {
      await call();
    } catch (error) {
      const now = performance.now();
      this.#callsAfterMs = now + ttlMs;
      if (now - this.#loggedAtMs >= ERROR_LOG_MS) {
        log(`jobs: lease not read or taken: ${(error as Error).message}`, "warn");
        this.#loggedAtMs = now;
      }
    }
    this.#isCalling = false;
  }

  async #take(lease: JobLease): Promise<void> {
    const jobs = await lease.take();
    if (jobs !== null && lease.isLeading && !this.#isStopped) this.#takeOver(jobs, lease);
  }

  /** Unblocks jobs as soon as the former leader has recorded the ends of their runs. */
  async #readEnds(lease: JobLease): Promise<void> {
    const recorded = await lease.read();
    if (recorded === null) this.#isHere = false;
    const jobs = this.#allJobs;
    for (const [name, stored] of Object.entries(recorded ?? {}))
      jobs.get(name)?.applyRecordedEnd(stored);
    this.#schedule();
  }

  /** Records the ends of runs for which the next leader waits. */
  async #release(lease: JobLease): Promise<void> {
    this.#hasUnrecordedEnds = false;
    try {
      await lease.release((name, run) => this.#allJobs.get(name)?.endOf(run));
    } catch (error) {
      this.#hasUnrecordedEnds = true;
      throw error;
    }
  }

  #takeOver(jobs: StoredJobs, { id, ttlMs }: JobLease): void {
    this.#stored = jobs;
    const freeMs = performance.now() + JOB_GRACE_MS + REPLACEMENT_MS + 2 * ttlMs;
    for (const job of this.#allJobs.values()) job.takeOver(jobs[job.name], { id, freeMs });
    this.#isHere = true;
    log("jobs: schedules started: this instance leads");
    this.#schedule();
  }

  #job(
    name: string,
    { facts, route }: JobRoute,
    former: ReadonlyMap<string, ScheduledJob>,
  ): ScheduledJob {
    const formerJob = former.get(name);
    if (formerJob === undefined) return new ScheduledJob(name, facts, route, this.#stored?.[name]);
    formerJob.replace(facts, route);
    return formerJob;
  }

  /** Returns the state to store, for some time also that of jobs of other builds. */
  #content(): StoredJobs {
    const current = [...this.#allJobs].map(([name, job]) => {
      const former = this.#jobs.has(name) ? {} : this.#stored?.[name];
      return [name, { ...former, ...job.stored() }] as const;
    });
    const stored = { ...this.#stored, ...Object.fromEntries(current) };
    this.#stored = forgetRemoved(stored, (name) => this.#jobs.has(name), Date.now());
    return this.#stored;
  }

  status(): readonly JobStatus[] {
    const statuses = [...this.#jobs.values()].map((job) => job.status(this.#isHere));
    return statuses.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /**
   * Runs a job now, whatever its schedule.
   * @throws Error if it is unknown or already running
   */
  runNow(name: string): void {
    const job = this.#jobs.get(name);
    if (job === undefined) throw new Error(`unknown job ${JSON.stringify(name)}`);
    if (job.isRunning) throw new Error(`job ${name} is running`);
    if (this.#isStopped) throw new Error("server is shutting down");
    if (this.#lease !== null && !this.#isHere) {
      throw new Error("this instance does not lead its group: run the job on the leader");
    }
    if (this.#parts.isReadonly()) throw new Error(TOO_FEW_MEMBERS);
    void this.#run(job, Date.now());
  }

  /** Starts no more runs and aborts the signals of running ones. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
    for (const job of this.#allJobs.values()) job.cancel();
  }

  /** Resolves when the outcomes of all runs are stored. */
  async close(): Promise<void> {
    const isStored = this.#allJobs.size === 0 || (await this.#save());
    if (!isStored && this.#lease !== null) await this.#release(this.#lease).catch(() => undefined);
    await this.#lease?.close();
  }

  /** Stores the state of the jobs; returns false if a run in it must not start. */
  async #save(): Promise<boolean> {
    if (this.#parts.location === "elsewhere") return true;
    const isStored = await this.#store.save();
    // The lease is lost, or is taken again once the leadership engine responds.
    if (!isStored) this.#isHere = false;
    return isStored;
  }

  /** Passes the outcomes of jobs to them, and all others to `answers`. */
  intercept({ call: respond, failedCall, droppedCall }: Answers): Outcomes {
    return {
      result: (call, executor, status, kind, payload) => {
        if (!isJob(call)) return respond(call, executor, status, kind, payload);
        this.#recordResult(call, kind, payload);
      },
      onFailure: (call, executor, failure) => {
        if (!isJob(call)) return failedCall(call, executor, failure);
        this.#find(call)?.recordEnd(
          failure === "timeout" ? "timeout" : "failed",
          FAILURES[failure],
        );
        this.#afterRun();
      },
      onDrop: (call) => {
        if (!isJob(call)) return droppedCall(call);
        this.#find(call)?.recordEnd("failed", "no executor was free");
        this.#afterRun();
      },
    };
  }

  #recordResult(call: PluginCall, kind: number, payload: ResultPayload): void {
    if (kind === RESULT_STREAM) dropStream(payload as unknown as StreamPayload);
    const isError = kind === RESULT_ERROR || kind === RESULT_ERROR_FIELDS;
    const text = typeof payload === "string" ? payload : latin1Text(payload as Uint8Array);
    const outcome = isError ? "failed" : "ok";
    this.#find(call)?.recordEnd(outcome, isError ? errorText(text) : latin1ToUtf8(text));
    this.#afterRun();
  }

  #afterRun(): void {
    this.#hasUnrecordedEnds = true;
    void this.#save();
    this.#schedule();
  }

  #find({ exchange }: PluginCall): ScheduledJob | undefined {
    return this.#allJobs.get(exchange.target.slice(JOB_PATH.length));
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#isStopped || !this.#isHere || this.#jobs.size === 0) return;
    const dueMs = Math.min(...[...this.#jobs.values()].map((job) => job.dueMs ?? Infinity));
    const sleepMs = Math.min(MAX_SLEEP_MS, Math.max(dueMs - Date.now(), 0));
    // A run that makes up for a missed one waits for Service-IN.
    const minSleepMs = dueMs === 0 ? MIN_SLEEP_MS : 0;
    this.#timer = setTimeout(() => this.#wake(), Math.max(minSleepMs, sleepMs)).unref();
  }

  #wake(): void {
    if (this.#lease !== null) this.#follow();
    if (!this.#isHere) return;
    const now = Date.now();
    const obstacle = this.#obstacle();
    for (const job of this.#jobs.values()) {
      const scheduledMs = job.takeDue(now, obstacle);
      if (scheduledMs !== null) void this.#run(job, scheduledMs);
    }
    this.#schedule();
  }

  /** Returns why no run may start now; null: runs may. */
  #obstacle(): string | null {
    if (!this.#parts.canRun()) return "Service-OUT";
    return this.#parts.isReadonly() ? TOO_FEW_MEMBERS : null;
  }

  /** Stores the start before the run, so that an interrupted run is known after a crash. */
  async #run(job: ScheduledJob, scheduledMs: number): Promise<void> {
    job.recordStart(scheduledMs);
    const isStored = await this.#save();
    const { name, route } = job;
    if (!isStored) return job.recordEnd("failed", "its start could not be stored by the group");
    if (this.#isStopped) return job.recordEnd("interrupted", "server is shutting down");
    if (this.#lease?.isLeading === false)
      return job.recordEnd("interrupted", "another member leads");
    // A newer build has removed the job meanwhile.
    if (route.number < 0) return job.recordEnd("failed", "the build has no such job any more");
    const exchange = new JobExchange(name, scheduledMs, () => {
      job.recordEnd("interrupted", "server shut down");
    });
    job.recordSubmission(exchange);
    try {
      this.#parts.submit(exchange, route);
    } catch (error) {
      log(`internal error: ${(error as Error).stack}`, "error");
      job.recordEnd("failed", (error as Error).message);
    }
  }
}

function isJob({ plugin }: PluginCall): boolean {
  return plugin.isJob === true;
}

/** Returns `TypeError: message` of the envelope's error. */
function errorText(json: string): string {
  const start = json.indexOf("\r\n\r\n");
  const text = latin1ToUtf8(start < 0 ? json : json.slice(start + 4));
  try {
    const message = JSON.parse(text) as unknown;
    if (typeof message === "string") return message;
    const [detail] = Object.values(message as Record<string, { exception: string; value: string }>);
    return `${/'(.*)'/.exec(detail!.exception)?.[1] ?? "Error"}: ${detail!.value}`;
  } catch {
    return text;
  }
}
