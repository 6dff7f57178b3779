// Copies the log of this instance to a dump folder while attached. `svc log check` can check the
// copy, and an instance can start from it. Any failure ends the dump, because a shorter dump is
// consistent, but one with a gap is not.

import { SvcError } from "../../base/errors.js";
import type { RepairAction } from "../../graph/manager/graph-source.js";
import type { SubscriberReport } from "../../metrics/traffic.js";
import { LogTailer } from "../log/log-tailer.js";
import type { LogSender, LogTransport, SenderParts } from "../log-transport.js";
import { InterruptibleSleep } from "../retry-loop.js";
import { checkDumpFolder, dumpFolderFromUri, dumpUri, FILE_SCHEME } from "./dump-folder.js";
import { DumpWriter } from "./dump-writer.js";

const IDLE_MS = 1_000;

interface DumpProviderParts
  extends Pick<SenderParts, "log" | "snapshots" | "gate" | "warn" | "onEnded"> {
  readonly folder: string;
}

class DumpProvider implements LogSender {
  readonly #parts: DumpProviderParts;
  readonly #writer: DumpWriter;
  readonly #unlisten: () => void;
  /** Last durable transaction of the dump; null: the dump is not complete yet. */
  #durableSn: number | null = null;
  /** Last durable transaction when the snapshots were complete. */
  #goal = Number.POSITIVE_INFINITY;
  #repairGoal = 0;
  #isStopped = false;
  /** Woken when there may be more to write. */
  readonly #sleep = new InterruptibleSleep();

  /** @throws SvcError SVC3340 */
  constructor(parts: DumpProviderParts) {
    checkDumpFolder(parts.folder);
    this.#parts = parts;
    this.#writer = new DumpWriter(parts.folder, parts.log);
    this.#unlisten = parts.log.onFlushed(() => this.#sleep.wake());
  }

  get uri(): string {
    return dumpUri(this.#parts.folder);
  }

  get firstNeededSn(): number {
    if (this.#isStopped) return Number.POSITIVE_INFINITY;
    return this.#durableSn === null ? this.#parts.log.channel.log.first : this.#durableSn + 1;
  }

  hasAcknowledged(sn: number): boolean {
    return (this.#durableSn ?? -1) >= sn;
  }

  /** Waits for the dump to catch up: a byte copy of the log cannot diverge. */
  repair(repair: RepairAction | null): void {
    this.#repairGoal = repair === null ? 0 : this.#parts.log.channel.log.durableSn;
  }

  get isRepairing(): boolean {
    return !this.#isStopped && !this.hasAcknowledged(this.#repairGoal);
  }

  wake(): void {
    this.#sleep.wake();
  }

  report(): SubscriberReport {
    const lagTransactions = Math.max(
      0,
      this.#parts.log.channel.log.durableSn - (this.#durableSn ?? 0),
    );
    return {
      ...{ uri: this.uri, host: "", ip: "", adminPort: 0, txPort: 0, digest: "", serial: 0 },
      isConnected: this.hasAcknowledged(this.#goal),
      isSynchronizing: !this.hasAcknowledged(this.#goal),
      lagMs: 0,
      lagTransactions,
    };
  }

  stop(): void {
    this.#isStopped = true;
    this.#unlisten();
    this.#sleep.wake();
  }

  async run(): Promise<void> {
    const { log, snapshots, warn, onEnded } = this.#parts;
    try {
      await this.#writer.begin(snapshots);
      this.#goal = log.channel.log.durableSn;
      const sn = this.#writer.resume();
      this.#durableSn = sn - 1;
      warn(`replication: ${this.uri} attached`);
      await this.#follow(sn);
    } catch (error) {
      const code = error instanceof SvcError ? error.code : "SVC3340";
      warn(`${code}: ${(error as Error).message} (${this.uri})`, "error");
      this.stop();
      onEnded();
    } finally {
      this.#writer.close();
    }
  }

  async #follow(sn: number): Promise<void> {
    const { log, gate } = this.#parts;
    const tailer = new LogTailer(log.disk, log.channel.log, sn);
    let written = sn - 1;
    try {
      while (!this.#isStopped) {
        const frame = gate.isOpen ? tailer.next() : null;
        if (frame === null) {
          await this.#writer.flush();
          this.#durableSn = written;
          await this.#sleep.wait(IDLE_MS);
          continue;
        }
        const { sn: first, transactions } = frame.header;
        this.#writer.write(frame);
        written = first + transactions - 1;
        await gate.pass(frame.bytes.length, transactions, transactions);
      }
      await this.#writer.flush();
    } finally {
      tailer.close();
    }
  }
}

/** Log transport to a dump folder of this instance. */
export const dumpTransport: LogTransport = {
  scheme: FILE_SCHEME,
  canonicalUri: (uri, root) => dumpUri(dumpFolderFromUri(uri, root)),
  createSender: (uri, parts) =>
    new DumpProvider({ ...parts, folder: dumpFolderFromUri(uri, parts.root) }),
};
