// Log channel: one transaction log, the graphs logged to it, and the draining of their rings into
// frames.

import { assert } from "../../base/assert.js";
import {
  type DrainedTransactions,
  drainTransactions,
  type Joint,
  type NumberedRing,
} from "../../graph/log/drain-transactions.js";
import {
  JOINED_TRANSACTION,
  operationCountAfter,
  operationCountBefore,
  TRANSACTION_HEAD_WORDS,
} from "../../graph/log/transaction-format.js";
import type { GraphStore } from "../../graph/manager/logging-entry-points.js";
import {
  type CommitClock,
  requireIdentity,
  startLogging,
} from "../../graph/manager/logging-entry-points.js";
import type { Disk } from "./disk.js";
import { type ControlRecord, LogCatalog, type LoggedGraph } from "./log-catalog.js";
import { FRAME_HEADER_BYTES, MAX_FRAME_BYTES, MAX_TRANSACTIONS } from "./segment-format.js";
import { SegmentLog } from "./segment-log.js";
import { encodeControlRecord } from "./transactions.js";

const MAX_FRAME_WORDS = MAX_FRAME_BYTES / 4;
const FIRST_FRAME_WORDS = 2 ** 14;

interface OpenGraph extends NumberedRing {
  readonly store: GraphStore;
}

export class LogChannel {
  readonly graphs = new LogCatalog();
  readonly log: SegmentLog;
  /** Length of the torn write at the end of the log, which opening discarded. */
  readonly tornBytes: number;
  readonly #open = new Map<number, OpenGraph>();
  /** Control records of the next frame. */
  readonly #controls: Uint32Array[] = [];
  #frame = frameOf(FIRST_FRAME_WORDS);
  #words = wordsOf(this.#frame);
  #length = 0;
  #transactions = 0;
  /** Operation counts of the graphs after their last transaction in each segment. */
  readonly #reached = new Map<number, Map<number, number>>();
  /** Operation counts after their last transaction in the frame being written. */
  readonly #reachedInFrame = new Map<number, number>();
  #drained: DrainedTransactions | null = null;
  /** The frame must be written, again if necessary, before the next one is filled. */
  #isUnwritten = false;
  #hasMore = false;

  /** @throws LogCorruptionError */
  constructor(disk: Disk, folder: string) {
    const { graphs } = this;
    const options = { table: () => graphs.table() };
    const opened = SegmentLog.open(disk, folder, options, (frame, segment) =>
      graphs.readFrame(frame, (graph, after) => this.#recordReached(segment.firstSn, graph, after)),
    );
    this.log = opened.log;
    this.tornBytes = opened.tornBytes;
  }

  /** Bytes waiting to be written. */
  get waitingBytes(): number {
    let words = 0;
    for (const { ring } of this.#open.values()) words += ring.waiting;
    return words * 4 + (this.#controls.length > 0 || this.#isUnwritten ? 1 : 0);
  }

  /** True if the last frame had no room for all waiting transactions. */
  get hasMore(): boolean {
    return this.#hasMore;
  }

  /** Returns the graphs being logged. */
  stores(): GraphStore[] {
    return [...this.#open.values()].map(({ store }) => store);
  }

  /** Starts logging the changes of a graph. */
  open(store: GraphStore, path: string): LoggedGraph {
    const identity = requireIdentity(store);
    const graph = this.graphs.byIdentity(identity) ?? this.#add(identity, store.name, path);
    // The log lacks changes made while logging was off, so it is complete only from here on.
    if (graph.after !== store.operationCount || graph.before === null) {
      graph.before = store.operationCount;
    }
    this.#open.set(graph.number, { store, ring: startLogging(store), number: graph.number });
    return graph;
  }

  /** Records in the next frame that a graph was erased. */
  erase(identity: string): void {
    const graph = this.graphs.byIdentity(identity);
    if (graph === undefined || graph.isErased) return;
    graph.isErased = true;
    this.#open.delete(graph.number);
    this.#queueControl({ erased: graph.number });
  }

  /** Continues after a failure: the next call of `write` repeats the frame that is not durable. */
  reopen(): void {
    const { log } = this;
    const lost = log.last - log.durableSn;
    assert(lost === 0 || lost === this.#transactions, "at most one frame is not durable");
    if (lost > 0) this.#isUnwritten = true;
    log.reopen();
  }

  /**
   * Writes the waiting transactions as at most one frame. They become durable with `log.flush` and
   * stay in the rings until `release`. After an error, the next call writes the same frame.
   * @returns bytes written
   */
  write(clock: CommitClock, last?: number): number {
    if (!this.#isUnwritten) this.#fill(clock, last);
    if (this.#transactions === 0) return 0;
    this.#isUnwritten = true;
    const bytes = FRAME_HEADER_BYTES + this.#length * 4;
    this.log.append(this.#frame.subarray(0, bytes), this.#transactions);
    this.#isUnwritten = false;
    const { firstSn } = this.log.segments.at(-1)!;
    for (const [number, after] of this.#reachedInFrame) this.#recordReached(firstSn, number, after);
    return bytes;
  }

  /**
   * Removes the segments that are no longer needed.
   * @param snapshotCount returns the operation count up to which a graph is durable without the log
   * @param firstNeededSn first transaction to retain
   * @returns graphs that need the oldest segment
   */
  trim(
    snapshotCount: (graph: LoggedGraph) => number,
    firstNeededSn = this.log.last + 1,
  ): LoggedGraph[] {
    const counts = new Map<number, number>();
    const isCovered = ([number, after]: readonly [number, number]): boolean => {
      const graph = this.graphs.byNumber(number)!;
      if (graph.isErased) return true;
      if (!counts.has(number)) counts.set(number, snapshotCount(graph));
      return counts.get(number)! >= after;
    };
    for (;;) {
      const [oldest, next] = this.log.segments;
      if (oldest === undefined) return [];
      const needed = [...(this.#reached.get(oldest.firstSn) ?? [])].filter(
        (entry) => !isCovered(entry),
      );
      if (needed.length > 0) return needed.map(([number]) => this.graphs.byNumber(number)!);
      if (next === undefined || next.firstSn > firstNeededSn) return [];
      for (const [number, after] of this.#reached.get(oldest.firstSn) ?? []) {
        const graph = this.graphs.byNumber(number)!;
        graph.before = Math.max(graph.before ?? 0, after);
      }
      this.#reached.delete(oldest.firstSn);
      this.log.truncateHead(next.firstSn);
    }
  }

  /**
   * Returns the first transaction that a subscriber with these operation counts needs, rounded
   * down to the start of its segment.
   */
  firstNeeded(counts: ReadonlyMap<number, number>): number {
    const needed = this.log.segments.find(({ firstSn }) =>
      [...(this.#reached.get(firstSn) ?? [])].some(([number, after]) => {
        return after > (counts.get(number) ?? 0);
      }),
    );
    return needed?.firstSn ?? this.log.last + 1;
  }

  /** Frees the space of written transactions in the rings. */
  release(): void {
    this.#drained?.release();
    this.#drained = null;
    for (const { store, ring, number } of this.#open.values()) {
      if (store.memory.isRemoved && ring.waiting === 0) this.#open.delete(number);
    }
  }

  /** Copies waiting transactions into the frame until it is full. */
  #fill(clock: CommitClock, last: number | undefined): void {
    this.#hasMore = false;
    this.#length = 0;
    this.#transactions = 0;
    this.#reachedInFrame.clear();
    for (const control of this.#controls.splice(0)) this.#appendWords(control, 0, control.length);
    this.#drained = drainTransactions(
      this.#open.values(),
      clock,
      (words, at, length, number, joint) => {
        const hasFit = this.#addTransaction(words, at, length, number, joint);
        this.#hasMore = !hasFit;
        return hasFit;
      },
      last,
    );
  }

  #add(identity: string, name: string, path: string): LoggedGraph {
    const graph = this.graphs.add({ identity, name, path });
    const { number } = graph;
    this.#queueControl({ opened: { number, identity, name, path } });
    return graph;
  }

  #queueControl(control: ControlRecord): void {
    this.#controls.push(encodeControlRecord(control));
  }

  /** Returns false if the frame has no room. */
  #addTransaction(
    words: Uint32Array,
    at: number,
    length: number,
    number: number,
    joint: Joint,
  ): boolean {
    const graph = this.graphs.byNumber(number)!;
    const after = operationCountAfter(words, at);
    // A log thread wrote it and died before it released the ring.
    if (after <= graph.after) return true;
    const before = operationCountBefore(words, at);
    assert(before >= graph.after, "transactions of a graph do not overlap");
    const hasSpace = this.#transactions + joint.left < MAX_TRANSACTIONS;
    const isFirst = joint.left === joint.transactions - 1;
    const needed = isFirst ? joint.words : length;
    if (!hasSpace || this.#length + needed > MAX_FRAME_WORDS) return false;
    graph.after = after;
    this.#reachedInFrame.set(number, after);
    this.#appendWords(words, at, length);
    const head = this.#length - length;
    this.#words[head + TRANSACTION_HEAD_WORDS - 1] = number;
    if (joint.left > 0) this.#words[head] = (JOINED_TRANSACTION | (length << 8)) >>> 0;
    return true;
  }

  #appendWords(words: Uint32Array, at: number, length: number): void {
    const to = this.#length;
    if (to + length > this.#words.length) this.#enlarge(to + length);
    // Creating a view takes longer than copying a short transaction.
    if (length > 64) this.#words.set(words.subarray(at, at + length), to);
    else for (let word = 0; word < length; word++) this.#words[to + word] = words[at + word]!;
    this.#length += length;
    this.#transactions++;
  }

  #enlarge(words: number): void {
    assert(words <= MAX_FRAME_WORDS, "a frame has room for its transactions");
    const frame = frameOf(Math.min(MAX_FRAME_WORDS, 2 * words));
    this.#frame.copy(frame);
    this.#frame = frame;
    this.#words = wordsOf(frame);
  }

  #recordReached(segment: number, number: number, after: number): void {
    let reached = this.#reached.get(segment);
    if (reached === undefined) {
      reached = new Map();
      this.#reached.set(segment, reached);
    }
    reached.set(number, after);
  }
}

function frameOf(words: number): Buffer {
  return Buffer.alloc(FRAME_HEADER_BYTES + words * 4);
}

/** Returns a view of the transactions in a frame. */
function wordsOf(frame: Buffer): Uint32Array {
  return new Uint32Array(frame.buffer, FRAME_HEADER_BYTES, (frame.length - FRAME_HEADER_BYTES) / 4);
}
