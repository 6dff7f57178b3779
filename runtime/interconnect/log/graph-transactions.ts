// Reads the transactions of one graph from the log files while another thread writes them. A
// paused reader uses no memory except its buffer: unread transactions stay on the disk for as long
// as the log retains them.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { LOG_FOLDER, LOG_LOCAL_FOLDER } from "../../base/graph-names.js";
import { shortenIdentity } from "../../graph/log/change-position.js";
import { transactionWords } from "../../graph/log/transaction-format.js";
import type {
  LoggedGraphKey,
  OpenTransactionReader,
  ReadPosition,
  ReadStep,
  TransactionReader,
} from "../../graph/log/transaction-reader.js";
import type { CommitClock } from "../../graph/manager/logging-entry-points.js";
import { type Disk, realDisk } from "./disk.js";
import { LogCatalog } from "./log-catalog.js";
import { LogTailer, type TailedLog } from "./log-tailer.js";
import { segmentName } from "./segment-format.js";
import { type Frame, SegmentReader } from "./segment-reader.js";
import { listSegments, type Segment } from "./segments.js";
import { isControl, parseControl } from "./transactions.js";

/** Initial read buffer: many feeds may be open, and most frames are short. */
const WINDOW_BYTES = 2 ** 16;

/** Returns a function with which any thread of the process opens the log in a data folder. */
export function createTransactionOpener(root: string): OpenTransactionReader {
  const folder = join(root, LOG_FOLDER);
  return (graph) => {
    const logFolder = graph.isLocal ? join(folder, LOG_LOCAL_FOLDER) : folder;
    return new GraphTransactions(realDisk, logFolder, graph);
  };
}

class GraphTransactions implements TransactionReader {
  readonly #disk: Disk;
  readonly #log: SharedLog;
  readonly #identity: string;
  #start: ReadPosition = { logTag: "", sn: 0 };
  readonly #catalog = new LogCatalog();
  #tailer: LogTailer | null = null;
  logTag: string;
  /** Number of the graph in the log; 0: not assigned yet. */
  #number = 0;
  #frame: Frame | null = null;
  /** Offset and sequence number of the next transaction of the frame. */
  #next = 0;
  #nextSn = 0;
  at = 0;
  sn = 0;

  constructor(disk: Disk, folder: string, graph: LoggedGraphKey) {
    this.#disk = disk;
    this.#log = new SharedLog(disk, folder, graph.clock, graph.isLocal ? 1 : 0);
    this.#identity = graph.identity;
    this.logTag = this.#readTag(this.#log.list()[0]);
  }

  get lastSn(): number {
    return this.#log.durableSn;
  }

  start(position: ReadPosition): void {
    this.#start = position;
  }

  get words(): Uint32Array {
    return this.#frame!.words;
  }

  step(): ReadStep {
    if (this.#frame === null) {
      this.#frame = (this.#tailer ?? this.#open())?.next() ?? null;
      if (this.#frame === null) return "end";
      this.#next = this.#frame.at;
      this.#nextSn = this.#frame.header.sn;
    }
    if (this.#findNext(this.#frame)) return "transaction";
    this.#frame = null;
    return "more";
  }

  close(): void {
    this.#tailer?.close();
  }

  /** Returns null while the log is empty. */
  #open(): LogTailer | null {
    const [first] = this.#log.list();
    if (first === undefined) return null;
    this.logTag ||= this.#readTag(first);
    const isSameLog = this.logTag === this.#start.logTag;
    const segment = isSameLog ? this.#log.segmentOf(this.#start.sn) : undefined;
    // Reading starts at the table of a segment, which assigns the number of the graph. The caller
    // detects missing transactions by their operation counts.
    this.#tailer = new LogTailer(this.#disk, this.#log, (segment ?? first).firstSn, {
      windowBytes: WINDOW_BYTES,
      onTable: (frame) => this.#readTable(frame),
    });
    return this.#tailer;
  }

  /** Returns an empty string while the log is empty. */
  #readTag(segment: Segment | undefined): string {
    if (segment === undefined) return "";
    const file = this.#disk.open(join(this.#log.folder, segment.name), "read");
    const reader = new SegmentReader(file, WINDOW_BYTES);
    try {
      const header = reader.header();
      return header === null || typeof header === "number" ? "" : shortenIdentity(header.logId);
    } finally {
      reader.close();
    }
  }

  #readTable(frame: Frame): void {
    this.#catalog.readTable(frame);
    this.#findNumber();
  }

  #findNumber(): void {
    this.#number = this.#catalog.byIdentity(this.#identity)?.number ?? 0;
  }

  /** Finds the next transaction of the graph in the frame. */
  #findNext({ words, end }: Frame): boolean {
    while (this.#next < end) {
      const at = this.#next;
      this.sn = this.#nextSn++;
      if (isControl(words, at)) {
        this.#catalog.readControl(parseControl(words, at));
        this.#findNumber();
        this.#next = at + (words[at]! >>> 8);
        continue;
      }
      this.#next = at + transactionWords(words, at);
      this.at = at;
      if (words[at + 3] === this.#number) return true;
    }
    return false;
  }
}

/** A log that another thread writes. */
class SharedLog implements TailedLog {
  readonly folder: string;
  readonly #disk: Disk;
  readonly #clock: CommitClock;
  readonly #index: number;
  #current: Segment | undefined;

  constructor(disk: Disk, folder: string, clock: CommitClock, index: number) {
    this.folder = folder;
    this.#disk = disk;
    this.#clock = clock;
    this.#index = index;
  }

  get durableSn(): number {
    return this.#clock.durableSn(this.#index);
  }

  list(): Segment[] {
    return listSegments(this.#disk, this.folder);
  }

  segmentOf(sn: number): Segment | undefined {
    // Reading is sequential, so a later segment becomes current exactly at its first transaction.
    const name = segmentName(sn);
    if (existsSync(join(this.folder, name))) this.#current = { name, firstSn: sn };
    this.#current ??= this.list().findLast(({ firstSn }) => firstSn <= sn);
    return this.#current;
  }
}
