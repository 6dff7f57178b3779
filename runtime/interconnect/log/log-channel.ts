// One log with the graphs whose changes go into it: their numbers, their rings, and how what waits
// in these becomes the next frame.

import {
  type DrainedTransactions,
  drainTransactions,
  type NumberedRing,
} from "../../graph/log/drain-transactions.js";
import {
  type CommitClock,
  identityOfStore,
  startLogging,
} from "../../graph/log/logging-entry-points.js";
import {
  operationCountAfter,
  operationCountBefore,
  TRANSACTION_HEAD_WORDS,
} from "../../graph/log/transaction-format.js";
import type { GraphStore } from "../../graph/store/graph-store.js";
import type { Disk } from "./disk.js";
import { type Control, LogCatalog, type LoggedGraph } from "./log-catalog.js";
import { FRAME_HEADER_BYTES, MAX_FRAME_BYTES, MAX_UNITS } from "./segment-format.js";
import { SegmentLog } from "./segment-log.js";
import { encodeControlRecord } from "./transactions.js";

interface OpenGraph extends NumberedRing {
  readonly store: GraphStore;
}

export class LogChannel {
  readonly graphs = new LogCatalog();
  readonly log: SegmentLog;
  /** Bytes that a crash had left at the end of the log, and that were cut off. */
  readonly tornBytes: number;
  readonly #open = new Map<number, OpenGraph>();
  /** What the log is to say of itself with the next frame. */
  readonly #controls: Uint32Array[] = [];
  readonly #frame = Buffer.alloc(FRAME_HEADER_BYTES + MAX_FRAME_BYTES);
  readonly #words = new Uint32Array(this.#frame.buffer, FRAME_HEADER_BYTES, MAX_FRAME_BYTES / 4);
  #length = 0;
  #units = 0;
  /** By segment: operation counts of the graphs behind their last units in it. */
  readonly #reached = new Map<number, Map<number, number>>();
  /** The same of the frame under way. */
  readonly #reachedNow = new Map<number, number>();
  #taken: DrainedTransactions | null = null;

  /** @throws LogCorruptionError */
  constructor(disk: Disk, folder: string) {
    const { graphs } = this;
    const options = { table: () => graphs.table() };
    const opened = SegmentLog.open(disk, folder, options, (frame, segment) =>
      graphs.readFrame(frame, (graph, after) => this.#reach(segment.firstSn, graph, after)),
    );
    this.log = opened.log;
    this.tornBytes = opened.tornBytes;
  }

  /** Bytes that wait to be written. */
  get waitingBytes(): number {
    let words = 0;
    for (const { ring } of this.#open.values()) words += ring.waiting;
    return words * 4 + (this.#controls.length > 0 ? 1 : 0);
  }

  /** The graphs that are logged. */
  stores(): GraphStore[] {
    return [...this.#open.values()].map(({ store }) => store);
  }

  /** From now on what is done to a graph is logged. */
  open(store: GraphStore, path: string): LoggedGraph {
    const identity = identityOfStore(store);
    const graph = this.graphs.byIdentity(identity) ?? this.#add(identity, store.name, path);
    // What was done while nothing was logged is missing: the log begins anew behind it.
    if (graph.after !== store.operationCount || graph.before === null) {
      graph.before = store.operationCount;
    }
    this.#open.set(graph.number, { store, ring: startLogging(store), number: graph.number });
    return graph;
  }

  /** The log says with its next frame that a graph is not there any more. */
  erase(identity: string): void {
    const graph = this.graphs.byIdentity(identity);
    if (graph === undefined || graph.isErased) return;
    graph.isErased = true;
    this.#open.delete(graph.number);
    this.#control({ erased: graph.number });
  }

  /**
   * Writes what waits, as one frame at most; it is not safe before `log.flush`, and stays in the
   * rings until `release`.
   * @returns how many bytes
   */
  write(clock: CommitClock): number {
    this.#length = 0;
    this.#units = 0;
    for (const control of this.#controls.splice(0)) this.#put(control, 0, control.length);
    this.#taken = drainTransactions(this.#open.values(), clock, (words, at, length, number) =>
      this.#take(words, at, length, number),
    );
    if (this.#units === 0) return 0;
    const bytes = FRAME_HEADER_BYTES + this.#length * 4;
    this.log.append(this.#frame.subarray(0, bytes), this.#units);
    const { firstSn } = this.log.segments.at(-1)!;
    for (const [number, after] of this.#reachedNow) this.#reach(firstSn, number, after);
    this.#reachedNow.clear();
    return bytes;
  }

  /**
   * Removes the segments that nobody needs any more.
   * @param safeCount of a graph: operation count up to which it is safe without the log
   * @param keptSn units from there on stay
   * @returns graphs that the oldest segment is kept for
   */
  trim(safeCount: (graph: LoggedGraph) => number, keptSn = this.log.last + 1): LoggedGraph[] {
    const counts = new Map<number, number>();
    const isSafe = ([number, after]: readonly [number, number]): boolean => {
      const graph = this.graphs.byNumber(number)!;
      if (graph.isErased) return true;
      if (!counts.has(number)) counts.set(number, safeCount(graph));
      return counts.get(number)! >= after;
    };
    for (;;) {
      const [oldest, next] = this.log.segments;
      if (oldest === undefined) return [];
      const needed = [...(this.#reached.get(oldest.firstSn) ?? [])].filter(
        (entry) => !isSafe(entry),
      );
      if (needed.length > 0) return needed.map(([number]) => this.graphs.byNumber(number)!);
      if (next === undefined || next.firstSn > keptSn) return [];
      for (const [number, after] of this.#reached.get(oldest.firstSn) ?? []) {
        const graph = this.graphs.byNumber(number)!;
        graph.before = Math.max(graph.before ?? 0, after);
      }
      this.#reached.delete(oldest.firstSn);
      this.log.truncateHead(next.firstSn);
    }
  }

  /**
   * First unit that is needed by somebody who has so many operations of each graph, as far as
   * segments tell.
   */
  firstNeeded(counts: ReadonlyMap<number, number>): number {
    const needed = this.log.segments.find(({ firstSn }) =>
      [...(this.#reached.get(firstSn) ?? [])].some(([number, after]) => {
        return after > (counts.get(number) ?? 0);
      }),
    );
    return needed?.firstSn ?? this.log.last + 1;
  }

  /** What was written need not be kept in the rings any more. */
  release(): void {
    this.#taken?.release();
    this.#taken = null;
    for (const { store, ring, number } of this.#open.values()) {
      if (store.memory.isRemoved && ring.waiting === 0) this.#open.delete(number);
    }
  }

  #add(identity: string, name: string, path: string): LoggedGraph {
    const graph = this.graphs.add({ identity, name, path });
    const { number } = graph;
    this.#control({ opened: { number, identity, name, path } });
    return graph;
  }

  #control(control: Control): void {
    this.#controls.push(encodeControlRecord(control));
  }

  #take(words: Uint32Array, at: number, length: number, number: number): boolean {
    const graph = this.graphs.byNumber(number)!;
    const after = operationCountAfter(words, at);
    // A thread that died had written it, and not said so.
    if (after <= graph.after) return true;
    if (this.#units === MAX_UNITS || this.#length + length > this.#words.length) return false;
    graph.before ??= operationCountBefore(words, at);
    graph.after = after;
    this.#reachedNow.set(number, after);
    this.#put(words, at, length);
    this.#words[this.#length - length + TRANSACTION_HEAD_WORDS - 1] = number;
    return true;
  }

  #put(words: Uint32Array, at: number, length: number): void {
    const to = this.#length;
    // Most units are so short that a view would cost more than the copy.
    if (length > 64) this.#words.set(words.subarray(at, at + length), to);
    else for (let word = 0; word < length; word++) this.#words[to + word] = words[at + word]!;
    this.#length += length;
    this.#units++;
  }

  #reach(segment: number, number: number, after: number): void {
    let reached = this.#reached.get(segment);
    if (reached === undefined) {
      reached = new Map();
      this.#reached.set(segment, reached);
    }
    reached.set(number, after);
  }
}
