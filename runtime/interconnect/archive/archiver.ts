// Backs up the instance that it belongs to, all the time. The log keeps what the backup lacks, as
// for a subscriber. A failure is logged once, and the next step tries again.

import { SvcError } from "../../base/errors.js";
import type { LogLine } from "../../base/log-settings.js";
import type { ArchiveReport } from "../../metrics/traffic.js";
import type { DurableLog } from "../durable-log.js";
import { InterruptibleSleep } from "../retry-loop.js";
import { type ArchiveOptions, ArchiveWriter } from "./archive-writer.js";
import type { GraphCheckpoint, Manifest } from "./manifest.js";
import { openStore } from "./open-store.js";

const DAY_MS = 86_400_000;
const EVERY_MS = 10_000;
/** Longest delay of a shutdown; the next start adds what is missing then. */
const STOP_MS = 5_000;
const PERIODS: ArchiveOptions = { fullMs: DAY_MS, keepMs: 30 * DAY_MS };

export interface ArchiverParts {
  /** Folder, or `s3://bucket/prefix`. */
  readonly place: string;
  readonly root: string;
  readonly isReplica: boolean;
  readonly log: DurableLog;
  readonly checkpoints: () => readonly GraphCheckpoint[];
  /** Returns whether the graphs are complete: those of a replica may not be yet. */
  readonly isReady: () => boolean;
  readonly warn: LogLine;
}

export class Archiver {
  readonly #parts: ArchiverParts;
  readonly #more = new InterruptibleSleep();
  readonly #running: Promise<void>;
  #writer: ArchiveWriter | null = null;
  #isStopped = false;
  /** Millisecond from which changes may be missing. */
  #completeAt = Date.now();
  #lastLogged = "";

  constructor(parts: ArchiverParts) {
    this.#parts = parts;
    this.#running = this.#run();
  }

  /** First transaction that the backup lacks. */
  get keptSn(): number {
    const { log } = this.#parts.log.channel;
    const tail = this.#writer?.tail ?? null;
    return tail === null || tail.id !== log.logId ? log.first : tail.sn + 1;
  }

  report(): ArchiveReport {
    const { safe } = this.#parts.log.channel.log;
    return {
      place: this.#parts.place,
      ageMs: Math.max(0, Date.now() - this.#completeAt),
      lagUnits: Math.max(0, safe - this.keptSn + 1),
    };
  }

  /** Adds the last changes. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#more.ring();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([this.#running, late]);
    clearTimeout(timer);
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#step();
      await this.#more.wait(EVERY_MS);
    }
    await this.#step();
  }

  async #step(): Promise<void> {
    const { log, warn, place, isReady } = this.#parts;
    try {
      await log.settled();
      // An empty log gets another id with the next start.
      if (log.channel.log.safe === 0 || !isReady()) return;
      this.#writer ??= await this.#open();
      const time = Date.now();
      this.#report(await this.#writer.step());
      this.#completeAt = time;
      if (this.#lastLogged !== "") warn(`backup: ${place}: continues`);
      this.#lastLogged = "";
    } catch (error) {
      const { message } = error as Error;
      if (message === this.#lastLogged) return;
      this.#lastLogged = message;
      const code = error instanceof SvcError ? error.code : "SVC3422";
      warn(`${code}: backup: ${message}`, "error");
    }
  }

  async #open(): Promise<ArchiveWriter> {
    const { place, root, log, checkpoints, isReplica } = this.#parts;
    const { disk, channel } = log;
    return new ArchiveWriter(
      await openStore(place, root),
      {
        ...{ root, disk, checkpoints, isReplica, safe: () => channel.log.safe },
        settle: () => log.settled(),
      },
      PERIODS,
    );
  }

  #report(manifest: Manifest | null): void {
    if (manifest === null || manifest.full !== manifest.number) return;
    const { place, warn } = this.#parts;
    const isGap = !manifest.continues && manifest.number > 1;
    const gap = isGap ? "; changes before it are missing" : "";
    warn(`backup: ${place}: full backup ${manifest.number}${gap}`, isGap ? "warn" : "info");
  }
}
