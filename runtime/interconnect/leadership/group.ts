// Driver of the state machine of a member: executes its calls of the engine, and switches the
// instance between providing and following. Runs in the interconnect thread, which user code cannot
// block.

import { setTimeout as delay } from "node:timers/promises";
import { SvcError } from "../../base/errors.js";
import type { LogLine } from "../../base/log-settings.js";
import { responseInTime } from "../../base/response-in-time.js";
import type { GroupRole } from "../../graph/manager/logging-entry-points.js";
import type { GroupReport } from "../../metrics/traffic.js";
import type { LeadershipSettings } from "../../settings/server-settings.js";
import type { MemberProgress } from "../log-transport.js";
import { InterruptibleSleep } from "../retry-loop.js";
import {
  callTimeoutMs,
  encodeRecord,
  type Incarnation,
  type LeadershipEngine,
  parseRecord,
} from "./leadership.js";
import { explainRefusal, LossReport, type MemberPositions } from "./loss-report.js";
import { Member } from "./member.js";
import type { MemberFile } from "./member-file.js";

/** Fractions of the `ttl`. */
const TICK = 0.025;
const ACK = 0.2;
const MAX_RECONNECT_MS = 1000;
const POLL_MS = 2;
/** Time limit of a handover at shutdown. */
const STOP_HANDOVER_MS = 2000;
const FORCE_MS = 10_000;
const ERROR_LOG_MS = 30_000;
/** Number of `ttl` between two reports while the group cannot choose a leader. */
const LOSS_REPORT = 5;

export interface GroupParts {
  readonly settings: LeadershipSettings;
  readonly engine: LeadershipEngine;
  readonly file: MemberFile;
  /** Highest epoch of the data folder. */
  readonly epoch: number;
  readonly warn: LogLine;
  /** Last written transaction of the log. */
  readonly lastSn: () => number;
  /** Lag of this replica in milliseconds. */
  readonly lag: () => number;
  /** When its provider last sent anything, by `performance.now()`. */
  readonly heardAtMs: () => number;
  /** False while snapshots of the provider are missing in the data folder. */
  readonly isComplete: () => boolean;
  /** Returns whether one of these members has more of the leader's log. */
  readonly isBehind: (ids: readonly string[]) => Promise<boolean>;
  readonly fetchPositions: () => Promise<MemberPositions>;
  readonly lead: (epoch: number) => Promise<void>;
  readonly follow: () => Promise<void>;
  /** Rejects providers of lower epochs from now on. */
  readonly rejectEpochsBelow: (epoch: number) => void;
  /** Waits for changes in progress, then refuses changes. Resolves when all are in the log. */
  readonly freeze: (deadline: number) => Promise<void>;
  readonly thaw: () => void;
  /** Responds to the requests whose changes all required members have acknowledged. */
  readonly confirm: () => void;
  readonly publish: (role: GroupRole, epoch: number) => void;
  /** Called when the role, the epoch or the leader has changed. */
  readonly onChange: () => void;
}

const TOO_FEW_MEMBERS = "leadership: changes are refused, because too few members respond";
const ENOUGH_MEMBERS = "leadership: enough members respond: changes are accepted again";

export class Group implements MemberProgress {
  readonly maxDelayMs = MAX_RECONNECT_MS;
  readonly #parts: GroupParts;
  readonly #member: Member;
  readonly #sleep = new InterruptibleSleep();
  readonly #timer: NodeJS.Timeout;
  readonly #loss: LossReport;
  /** Epoch in which this instance provides; 0: it follows. */
  #providedEpoch = 0;
  #isStopped = false;
  #running: Promise<void> | null = null;
  #published = "";
  /** Whether the log says that changes are refused. */
  #isReadonly = false;
  #loggedAtMs = Number.NEGATIVE_INFINITY;
  #isEngineDown = false;

  constructor(parts: GroupParts) {
    this.#parts = parts;
    const { settings, file, epoch } = parts;
    const { id, ttl: ttlMs, minSynced, whenAlone, group, engine } = settings;
    const [, incarnation] = file.incarnation;
    const mayCreateRecord = id === group && file.epoch === 0;
    this.#member = new Member({
      ...{ id, incarnation, ttlMs, minSynced, whenAlone, mayCreateRecord },
      epoch: Math.max(epoch, file.epoch),
    });
    this.#loss = new LossReport({
      ...{ group, engine, warn: parts.warn, fetchPositions: parts.fetchPositions },
      intervalMs: ttlMs * LOSS_REPORT,
    });
    this.#timer = setInterval(() => this.#tick(), ttlMs * TICK).unref();
    this.#publish();
  }

  get ackMs(): number {
    return this.#parts.settings.ttl * ACK;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Stops. A leader first hands over to a synced member. */
  async stop(): Promise<void> {
    const successor = this.#member.required().find(({ isSynced }) => isSynced)?.id;
    // Only a leader has required members, and so a successor.
    if (successor !== undefined) {
      await this.handOver(successor, STOP_HANDOVER_MS).catch(() => undefined);
    }
    this.#isStopped = true;
    clearInterval(this.#timer);
    this.#sleep.wake();
    await this.#running;
    await this.#parts.engine.close().catch(() => undefined);
  }

  /** Returns the last transaction that all required members have on disk; -1 if it follows. */
  confirmedSn(): number {
    return this.#providedEpoch > 0 ? this.#member.confirmedSn() : -1;
  }

  onAcknowledged(member: Incarnation, sn: number): void {
    this.#member.onAcknowledged(performance.now(), member, sn);
    if (this.#member.isHandingOver) this.#sleep.wake();
    this.#parts.confirm();
  }

  onLost(member: Incarnation): void {
    this.#member.onLost(performance.now(), member);
  }

  /** Handles contact with a provider of a higher epoch. */
  onSuperseded(epoch: number): void {
    this.#member.onSuperseded(epoch);
    this.#sleep.wake();
  }

  /** Reads the record at once, because the connection to the provider broke. */
  readNow(): void {
    this.#member.readNow();
    this.#sleep.wake();
  }

  /**
   * Hands over to another member once all required members have the whole log.
   * @throws SvcError SVC3403; this instance then continues to lead, unless the outcome is unknown
   * @throws SvcError SVC3408 if the engine does not respond; no request has waited then
   */
  async handOver(id: string, timeoutMs: number): Promise<void> {
    await this.#expectEngine();
    const epoch = this.#providedEpoch;
    if (epoch === 0) throw new SvcError("SVC3403", "handover: this instance does not lead");
    if (!this.#member.beginHandover(id)) {
      const synced = this.#member.required().filter(({ isSynced }) => isSynced);
      const names = synced.map((member) => member.id).join(", ") || "none";
      const text = `handover: ${id} is not synced; synced members: ${names}`;
      throw new SvcError("SVC3403", text);
    }
    this.#publish();
    const deadline = performance.now() + timeoutMs;
    await this.#parts.freeze(deadline);
    if (this.#providedEpoch !== epoch) {
      // Another member has led meanwhile. If this one leads again, it must accept changes.
      if (this.#providedEpoch > 0) this.#parts.thaw();
      return;
    }
    this.#member.completeHandover(performance.now(), this.#parts.lastSn());
    this.#sleep.wake();
    // If the engine fails, changes must not wait until the deadline.
    const mayWait = (): boolean =>
      performance.now() < deadline && (this.#member.isGivingUp || !this.#isEngineDown);
    while (this.#providedEpoch === epoch && mayWait()) await delay(POLL_MS);
    if (this.#providedEpoch !== epoch) return;
    this.#member.cancelHandover();
    if (!(await this.#isDecided())) {
      const { engine } = this.#parts.settings;
      throw new SvcError(
        "SVC3403",
        `handover: outcome unknown, because ${engine} does not respond`,
      );
    }
    if (!this.#member.isLeading) return;
    this.#parts.thaw();
    this.#publish();
    if (this.#isEngineDown) throw this.#engineDown("handover");
    const text = `handover: ${id} did not get everything within ${timeoutMs} ms`;
    throw new SvcError("SVC3403", text);
  }

  async #expectEngine(): Promise<void> {
    const { engine, settings } = this.#parts;
    try {
      await this.#limited(engine.read());
    } catch (error) {
      const text = `handover: ${settings.engine} does not respond: ${(error as Error).message}`;
      throw new SvcError("SVC3408", text, { cause: error });
    }
  }

  /**
   * Waits for the outcome of a swap that ends its leadership, and returns whether it is known. The
   * wait ends: each call has a time limit, a read follows a failed swap, and `stop` ends it, too.
   */
  async #isDecided(): Promise<boolean> {
    while (this.#member.isGivingUp && !this.#isStopped) await delay(POLL_MS);
    return !this.#member.isGivingUp;
  }

  /**
   * Claims leadership although other members may have more changes.
   * @param acceptsLoss true if the operator accepts the loss of those changes
   * @returns the new epoch
   * @throws SvcError SVC3402 without `acceptsLoss`, SVC3408 if the engine does not respond
   */
  async force(acceptsLoss: boolean): Promise<number> {
    if (!acceptsLoss) {
      const positions = await this.#parts.fetchPositions();
      const text = explainRefusal(positions, this.#member.recorded);
      throw new SvcError("SVC3402", `promote: ${text}`);
    }
    this.#member.force();
    this.#sleep.wake();
    const deadline = performance.now() + FORCE_MS;
    while (this.#providedEpoch === 0 && performance.now() < deadline) await delay(POLL_MS);
    // A later claim could replace a leader with more changes.
    this.#member.cancelForce();
    if (this.#providedEpoch > 0) return this.#providedEpoch;
    throw this.#engineDown("leadership");
  }

  #engineDown(topic: string): SvcError {
    return new SvcError("SVC3408", `${topic}: ${this.#parts.settings.engine} does not respond`);
  }

  report(): GroupReport {
    const { group, minSynced } = this.#parts.settings;
    const member = this.#member;
    const required = member.required();
    const synced = required.filter(({ isSynced }) => isSynced).map(({ id }) => id);
    const role = this.#role();
    const isAtRisk = member.isLeading && synced.length < minSynced;
    const { leader, epoch } = member;
    return { group, role, leader, epoch, synced, isAtRisk, isEngineDown: this.#isEngineDown };
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#observe();
      await this.#reportLoss();
      const now = performance.now();
      // A follower that is admitted now must first receive what was confirmed without it.
      this.#member.recordLogEnd(now, this.#parts.lastSn());
      const call = this.#member.next(now);
      if (call.do === "wait") {
        await this.#sleep.wait(Math.max(1, call.untilMs - now));
        continue;
      }
      const { engine } = this.#parts;
      const isClaim = call.do === "swap" && !this.#member.isLeading;
      // The record may still name this member although a snapshot has begun to replace its graphs.
      if (isClaim && !this.#member.isForced && !this.#parts.isComplete()) {
        this.#member.resign(now);
        continue;
      }
      if (isClaim && ((await this.#mustYield()) || this.#isStopped)) continue;
      try {
        if (call.do === "read") {
          const { revision, text } = await this.#limited(engine.read());
          this.#member.onRead(performance.now(), { revision, record: parseRecord(text) });
        } else {
          // The swap may end the leadership, so respond to requests with confirmed changes first.
          this.#parts.confirm();
          const revision = await this.#limited(
            engine.swap(call.revision, encodeRecord(call.record)),
          );
          this.#member.onSwapped(performance.now(), revision);
        }
      } catch (error) {
        this.#member.onFailed();
        this.#logFailure(error as Error);
      }
    }
  }

  /** Returns whether a member with more changes should claim first. */
  async #mustYield(): Promise<boolean> {
    const { rivals, isForced } = this.#member;
    if (isForced || rivals.length === 0) return false;
    // It claims even if rivals cannot be asked: a group without a leader would be worse.
    const isBehind = await this.#parts.isBehind(rivals).catch((error: Error) => {
      this.#parts.warn(`leadership: cannot ask other members: ${error.message}`, "warn");
      return false;
    });
    this.#member.onRivalsCompared(performance.now(), isBehind);
    return isBehind;
  }

  async #reportLoss(): Promise<void> {
    const { isAbandoned, recorded } = this.#member;
    const hasRecord = recorded.length > 0;
    // The first member of a new group may start late; nothing is lost then.
    const isNew = this.#parts.file.epoch === 0;
    if (!isAbandoned || isNew) return this.#loss.reset();
    await this.#loss.check(hasRecord ? recorded : null);
  }

  /** Switches the instance to the role of the state machine. */
  async #observe(): Promise<void> {
    const { isLeading, epoch } = this.#member;
    this.#publish();
    if (this.#providedEpoch > 0 && (!isLeading || epoch !== this.#providedEpoch)) {
      this.#providedEpoch = 0;
      this.#publish();
      await this.#parts.follow();
      this.#parts.warn(`leadership: this instance follows; leader: ${this.#member.leader}`);
    }
    if (isLeading && this.#providedEpoch === 0) await this.#lead(epoch);
    if (!isLeading) this.#recordEpoch(this.#member.groupEpoch);
    this.#publish();
  }

  /** Records the epoch of a leader; from then on, this instance rejects lower epochs. */
  #recordEpoch(epoch: number): void {
    this.#parts.file.recordEpoch(epoch);
    this.#parts.rejectEpochsBelow(epoch);
  }

  async #lead(epoch: number): Promise<void> {
    try {
      this.#parts.file.recordEpoch(epoch);
      await this.#parts.lead(epoch);
      this.#providedEpoch = epoch;
    } catch (error) {
      this.#parts.warn(`SVC3400: leadership: cannot lead: ${(error as Error).message}`, "error");
      this.#member.resign(performance.now());
    }
  }

  #tick(): void {
    const now = performance.now();
    this.#member.lag = this.#parts.lag();
    this.#member.leaderHeardAtMs = this.#parts.heardAtMs();
    this.#member.recordLogEnd(now, this.#parts.lastSn());
    this.#parts.confirm();
    this.#publish();
  }

  #role(): GroupRole {
    const mode = this.#member.mode(performance.now());
    return this.#providedEpoch === 0 ? "following" : mode;
  }

  #publish(): void {
    const [role, { epoch, leader }] = [this.#role(), this.#member];
    this.#parts.publish(role, epoch);
    const published = `${role} ${epoch} ${leader}`;
    if (published === this.#published) return;
    this.#logRefusals(role);
    this.#published = published;
    this.#parts.onChange();
  }

  /** Logs when changes begin and end to be refused while this instance leads. */
  #logRefusals(role: GroupRole): void {
    if (role === "readonly" && !this.#isReadonly) this.#parts.warn(TOO_FEW_MEMBERS, "warn");
    if (role === "leading" && this.#isReadonly) this.#parts.warn(ENOUGH_MEMBERS);
    if (role !== "refusing") this.#isReadonly = role === "readonly";
  }

  async #limited<T>(response: Promise<T>): Promise<T> {
    const limited = responseInTime(response, callTimeoutMs(this.#parts.settings));
    await limited.then(
      () => this.#setEngineDown(false),
      () => this.#setEngineDown(true),
    );
    return limited;
  }

  #setEngineDown(isDown: boolean): void {
    if (isDown === this.#isEngineDown) return;
    this.#isEngineDown = isDown;
    this.#parts.onChange();
  }

  #logFailure(error: Error): void {
    const now = performance.now();
    if (now - this.#loggedAtMs < ERROR_LOG_MS) return;
    this.#loggedAtMs = now;
    if (error instanceof SvcError) {
      this.#parts.warn(`${error.code}: ${error.message}`, "error");
      return;
    }
    const { engine } = this.#parts.settings;
    const meanwhile = this.#member.isLeading
      ? "this instance leads on while all synced members acknowledge"
      : "this instance follows, and cannot take the lead";
    const text = `leadership: ${engine} does not respond: ${error.message}`;
    this.#parts.warn(`SVC3408: ${text}; meanwhile, ${meanwhile}`, "warn");
  }
}
