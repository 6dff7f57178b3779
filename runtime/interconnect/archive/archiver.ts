// Backs up its instance continuously. As for a subscriber, the log retains transactions until the
// backup has them. A failure is logged once, and the next step tries again.

import { type ArchivePlan, pauseAfter } from "../../base/archive-config.js";
import { SvcError } from "../../base/errors.js";
import type { LogLine } from "../../base/log-settings.js";
import type { ArchiveReport } from "../../metrics/traffic.js";
import type { DurableLog } from "../durable-log.js";
import { InterruptibleSleep } from "../retry-loop.js";
import { ArchiveWriter } from "./archive-writer.js";
import { type GraphCheckpoint, type Manifest, VERIFIED } from "./manifest.js";
import type { ObjectStore } from "./object-store.js";
import { openStore } from "./open-store.js";
import { verifyInProcess } from "./verify-apart.js";

const DAY_MS = 86_400_000;
/** Maximum delay of a shutdown; the next start adds the missing changes. */
const STOP_MS = 5_000;
const MAX_VERIFIED_BYTES = 1000;

/** Last successful verification; without one, the first run of the archiver. */
interface Verified {
  readonly time: number;
  readonly isVerified: boolean;
}

export interface ArchiverParts {
  readonly plan: ArchivePlan;
  readonly root: string;
  readonly isReplica: boolean;
  readonly log: DurableLog;
  readonly checkpoints: () => readonly GraphCheckpoint[];
  /** Returns whether the graphs are complete, which they are not before a replica's first sync. */
  readonly isReady: () => boolean;
  readonly warn: LogLine;
  /** Rejects if the backup cannot be restored. */
  readonly verify?: (location: string, signal: AbortSignal) => Promise<void>;
}

export class Archiver {
  readonly #parts: ArchiverParts;
  readonly #sleep = new InterruptibleSleep();
  readonly #running: Promise<void>;
  #writer: ArchiveWriter | null = null;
  #store: ObjectStore | null = null;
  #isStopped = false;
  /** Aborts a verification at shutdown. */
  readonly #stopping = new AbortController();
  #verifying: Promise<void> | null = null;
  /** Null: not read yet. */
  #verified: Verified | null = null;
  #verifyAtMs = 0;
  readonly #startedAtMs = Date.now();
  /** The backup contains all changes up to this time. */
  #completeAtMs = this.#startedAtMs;
  #lastLogged = "";

  constructor(parts: ArchiverParts) {
    this.#parts = parts;
    this.#running = this.#run();
  }

  /** First transaction that the backup lacks. */
  get firstNeededSn(): number {
    const { log } = this.#parts.log.channel;
    const tail = this.#writer?.tail ?? null;
    return tail === null || tail.id !== log.logId ? log.first : tail.sn + 1;
  }

  report(): ArchiveReport {
    const { durableSn } = this.#parts.log.channel.log;
    return {
      place: this.#parts.plan.place,
      verifiedMs: Math.max(0, Date.now() - (this.#verified?.time ?? this.#startedAtMs)),
      ageMs: Math.max(0, Date.now() - this.#completeAtMs),
      lagTransactions: Math.max(0, durableSn - this.firstNeededSn + 1),
    };
  }

  /** Stops after adding the last changes to the backup. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping.abort();
    this.#sleep.wake();
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([this.#running, timeout]);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const startedAtMs = performance.now();
      await this.#step();
      await this.#sleep.wait(pauseAfter(startedAtMs, this.#parts.plan.everyMs));
    }
    await this.#step();
    await this.#verifying;
  }

  async #step(): Promise<void> {
    const { log, warn, plan, isReady } = this.#parts;
    try {
      await log.settled();
      if (!isReady()) return;
      const time = Date.now();
      if (log.channel.log.durableSn === 0) {
        // An empty log gets another id with the next start, so it is not backed up. It has no
        // changes that could be missing.
        this.#completeAtMs = time;
        return;
      }
      this.#writer ??= await this.#open();
      const isFirst = this.#writer.tail === null;
      this.#report(await this.#writer.step(), isFirst);
      this.#completeAtMs = time;
      this.#reportRemoval(this.#writer.removalError);
      if (this.#lastLogged !== "") warn(`backup: ${plan.place}: continues`);
      this.#lastLogged = "";
      await this.#verifyWhenDue();
    } catch (error) {
      const { message } = error as Error;
      if (message === this.#lastLogged) return;
      this.#lastLogged = message;
      warn(`${codeOf(error)}: backup: ${message}`, "error");
    }
  }

  /** The backup is complete nevertheless; a later one tries to remove them again. */
  #reportRemoval(error: Error | null): void {
    if (error === null) return;
    const { plan, warn } = this.#parts;
    const text = `expired parts remain in ${plan.place}: ${error.message}`;
    warn(`${codeOf(error)}: backup: ${text}`, "warn");
  }

  async #open(): Promise<ArchiveWriter> {
    const { plan, root, log, checkpoints, isReplica } = this.#parts;
    const { disk, channel } = log;
    this.#store ??= await openStore(plan.place, root);
    const safe = (): number => channel.log.durableSn;
    const source = { root, disk, checkpoints, isReplica, safe, settle: () => log.settled() };
    return new ArchiveWriter(this.#store, source, plan);
  }

  /** Starts a verification if one is due, without waiting for it: it takes longer than a step. */
  async #verifyWhenDue(): Promise<void> {
    const { verifyMs } = this.#parts.plan;
    const retryMs = Math.min(verifyMs, DAY_MS);
    if (this.#verified === null) {
      this.#verified = readVerified(await this.#store!.get(VERIFIED, MAX_VERIFIED_BYTES));
      if (this.#verified === null) await this.#setVerified({ time: Date.now(), isVerified: false });
      const { time, isVerified } = this.#verified!;
      this.#verifyAtMs = time + (isVerified ? verifyMs : retryMs);
    }
    if (this.#isStopped || this.#verifying !== null || Date.now() < this.#verifyAtMs) return;
    this.#verifyAtMs = Date.now() + retryMs;
    this.#verifying = this.#verify().finally(() => {
      this.#verifying = null;
    });
  }

  async #verify(): Promise<void> {
    const { plan, warn, verify = verifyInProcess } = this.#parts;
    const time = Date.now();
    try {
      await verify(plan.place, this.#stopping.signal);
      await this.#setVerified({ time, isVerified: true });
      this.#verifyAtMs = time + plan.verifyMs;
      warn(`backup: ${plan.place}: verified`, "info");
    } catch (error) {
      if (this.#isStopped) return;
      warn(`SVC3424: backup: ${plan.place}: ${(error as Error).message}`, "error");
    }
  }

  async #setVerified(verified: Verified): Promise<void> {
    await this.#store!.put(VERIFIED, Buffer.from(`${JSON.stringify(verified)}\n`));
    this.#verified = verified;
  }

  #report(manifest: Manifest | null, isFirst: boolean): void {
    if (manifest === null || manifest.full !== manifest.number) return;
    const { plan, warn } = this.#parts;
    const isGap = !manifest.continues && (manifest.number > 1 || !isFirst);
    // The location may have been emptied, so an earlier verification no longer counts.
    if (isGap) this.#verified = null;
    const gap = isGap ? "; changes before it are missing" : "";
    warn(`backup: ${plan.place}: full backup ${manifest.number}${gap}`, isGap ? "warn" : "info");
  }
}

function codeOf(error: unknown): string {
  return error instanceof SvcError ? error.code : "SVC3422";
}

/** Returns null if the record is missing or unreadable. */
function readVerified(bytes: Buffer | null): Verified | null {
  try {
    const { time, isVerified } = JSON.parse(bytes!.toString()) as Partial<Verified>;
    const isPast = typeof time === "number" && time <= Date.now();
    return isPast ? { time, isVerified: isVerified === true } : null;
  } catch {
    return null;
  }
}
