// Change feed of a graph: its changes in the order of their commits, read from the transaction log.
// A reader that pauses needs no buffer, and one that continues from a position misses or repeats no
// change. Gaps are detected by operation counts.
//
//   open ──► known operations found in the log? ──no──► expired
//                         │ yes
//                         ▼
//            read a frame ──end──► wait for a flush ──┐
//                 ▲───────────────────────────────────┘

import { setImmediate as nextTurn } from "node:timers/promises";
import { SvcError } from "../../base/errors.js";
import { keepAlive } from "../../base/keep-alive.js";
import type { PullSource } from "../../base/pull-iterator.js";
import type { GraphAccess } from "../changes/sessions/graph-access.js";
import { countAtRest } from "../changes/view.js";
import { ChangeDecoder } from "../log/change-decoder.js";
import { PreparedFilter } from "../log/change-filter.js";
import {
  type ChangePosition,
  formatPosition,
  parsePosition,
  positionPrefix,
} from "../log/change-position.js";
import { isForeignChange } from "../log/foreign-change.js";
import type { ChangeFilter, GraphChange } from "../log/graph-change.js";
import { operationCountAfter, operationCountBefore } from "../log/transaction-format.js";
import type { TransactionReader } from "../log/transaction-reader.js";
import { requireIdentity } from "../manager/logging-entry-points.js";
import { threadGraphs } from "../manager/thread-graphs.js";
import type { CommitClock } from "../memory/commit-clock.js";
import { checkOptions, checkText } from "../model/check-argument.js";
import { AccessError, PositionError, PositionExpiredError } from "../model/errors.js";
import type { GraphStore } from "../store/graph-store.js";
import { type GraphHandle, getAccess } from "./graph-handle.js";

export interface ChangeOptions {
  /** Position after which changes are delivered; default: those made from now on. */
  readonly since?: string | undefined;
  readonly filter?: ChangeFilter | undefined;
}

const OPTIONS = new Set(["since", "filter"]);
/** Interval of the checks whether the graph still exists. */
const WAIT_MS = 1000;
const ANOTHER_LEADS = "another member of the group leads now";

/**
 * Reads changes without waiting:
 *
 *   for (;;) { const change = reader.pull(); if (change === null) await reader.wait(); … }
 */
export class ChangeReader implements PullSource<GraphChange> {
  readonly #store: GraphStore;
  readonly #clock: CommitClock;
  readonly #identity: string;
  readonly #decoder: ChangeDecoder;
  readonly #transactions: TransactionReader;
  /** Operation count up to which all changes were delivered or filtered out. */
  #deliveredCount: number;
  /** Positions in the current transaction, without the operation count at their end. */
  #prefix: string;
  #isContinuous = false;
  /** Operation count that the log must contain to be continuous; null: not read yet. */
  #requiredCount: number | null = null;
  #isInTransaction = false;
  #isAtEnd = false;
  /** Last flush before the most recent read of the log. */
  #seenFlush = 0;
  /** On the leader of a group: transactions up to here are confirmed and may be delivered. */
  #confirmedSn = Number.NEGATIVE_INFINITY;
  /** The flush whose confirmation covers transactions up to `sn`; null: none is awaited. */
  #confirmation: { readonly sn: number; readonly flush: number } | null = null;
  /** True if the current transaction waits for `#confirmation`. */
  #isAwaitingConfirmation = false;
  readonly #isLocal: boolean;
  readonly #endsAtMoves: boolean;
  /** True if this instance was the leader of its group at any time since the feed began. */
  #hasLed = false;

  /**
   * @param endsAtMoves whether the feed ends at a change of a vertex that another group owns
   * @throws SvcError SVC2416 without a log; PositionError; TypeError or ValueError for options
   */
  constructor(access: GraphAccess, options: ChangeOptions, endsAtMoves = false) {
    checkOptions(options, OPTIONS);
    const { since, filter = {} } = options;
    if (since !== undefined) checkText(since, "since");
    this.#store = access.store;
    this.#identity = requireIdentity(access.store);
    this.#decoder = new ChangeDecoder(access.store, new PreparedFilter(filter));
    this.#isLocal = access.isLocal;
    this.#endsAtMoves = endsAtMoves;
    const log = openLog(access);
    this.#clock = log.clock;
    this.#checkRole();
    this.#transactions = log.reader;
    const position = since === undefined ? log.readPosition() : this.#parse(since);
    this.#deliveredCount = position.count;
    this.#decoder.rememberNames(position.count);
    this.#prefix = positionPrefix(this.#identity, position);
    this.#transactions.start(position);
  }

  /** Position up to which all changes were delivered or filtered out. */
  get position(): string {
    return formatPosition(this.#prefix, this.#deliveredCount);
  }

  /** True once the log is known to contain all changes after the position. */
  get isContinuous(): boolean {
    return this.#isContinuous;
  }

  /**
   * Returns the next change; null if `wait` has to be called first.
   * @throws PositionExpiredError if changes are missing, or slots have moved; AccessError if the
   *   graph was removed, or another member of the group leads now
   */
  pull(): GraphChange | null {
    if (this.#store.memory.isRemoved) throw new AccessError("Graph cannot be accessed");
    this.#checkRole();
    for (;;) {
      if (this.#isInTransaction) {
        const change = this.#decoder.next(this.#deliveredCount);
        if (change !== null && this.#endsAtMoves) this.#requireOwn(change);
        this.#deliveredCount = Math.max(this.#deliveredCount, this.#decoder.count);
        if (change !== null) return change;
        this.#isInTransaction = false;
      }
      if (!this.#isAwaitingConfirmation) {
        this.#seenFlush = this.#clock.lastDone;
        const step = this.#transactions.step();
        this.#isAtEnd = step === "end";
        if (step !== "transaction") return null;
      }
      this.#isAwaitingConfirmation = this.#mustAwaitConfirmation();
      if (this.#isAwaitingConfirmation) return null;
      this.#beginTransaction();
    }
  }

  /**
   * Resolves when there may be more: in another turn of the event loop, or after a flush.
   * @throws PositionExpiredError; AccessError if another member of the group leads now
   */
  async wait(): Promise<void> {
    if (this.#isAwaitingConfirmation) await this.#confirm(this.#confirmation!);
    else if (!this.#isAtEnd) await nextTurn();
    else if (this.#isContinuous) {
      await keepAlive(this.#clock.afterFlush(this.#seenFlush, WAIT_MS));
    } else await this.#verify();
  }

  close(): void {
    this.#transactions.close();
  }

  /**
   * Returns whether the transaction must not be delivered yet: a leader that fails takes changes
   * with it that no other member has.
   */
  #mustAwaitConfirmation(): boolean {
    // The role may have changed while the transaction was read.
    this.#checkRole();
    const { sn, lastSn } = this.#transactions;
    if (sn <= this.#confirmedSn || !this.#hasLed) return false;
    this.#confirmation ??= { sn: lastSn, flush: this.#clock.nextFlush };
    return true;
  }

  async #confirm({ sn, flush }: { readonly sn: number; readonly flush: number }): Promise<void> {
    const isConfirmed = await keepAlive(this.#clock.waitConfirmed(flush));
    if (!isConfirmed) throw new AccessError(ANOTHER_LEADS);
    this.#confirmedSn = sn;
    this.#confirmation = null;
  }

  /** @throws AccessError on a former leader: the end of its log may exist nowhere else */
  #checkRole(): void {
    if (this.#isLocal || !this.#clock.isInGroup) return;
    const isFollowing = this.#clock.group.role === "following";
    if (isFollowing && this.#hasLed) throw new AccessError(ANOTHER_LEADS);
    this.#hasLed = !isFollowing;
  }

  #parse(since: string): ChangePosition {
    const position = parsePosition(since, this.#identity);
    const { operationCount, name } = this.#store;
    if (position.count <= operationCount) return position;
    throw new PositionError(
      `position is ahead of graph '${name}', which was restored to an earlier state: '${since}'`,
    );
  }

  #beginTransaction(): void {
    const { words, at, sn, logTag } = this.#transactions;
    const before = operationCountBefore(words, at);
    if (before > this.#deliveredCount) throw this.#expired();
    if (operationCountAfter(words, at) <= this.#deliveredCount) return;
    this.#prefix = positionPrefix(this.#identity, { logTag, sn });
    this.#decoder.begin(words, at, this.#prefix);
    this.#isInTransaction = true;
  }

  /**
   * Checks that the log contains all changes made so far, when its end is reached for the first
   * time. It lacks the changes that an earlier process made while logging was off.
   * @throws PositionExpiredError
   */
  async #verify(): Promise<void> {
    if (this.#requiredCount === null) {
      this.#requiredCount = countAtRest(this.#store);
      const isDurable = await keepAlive(this.#clock.wait(this.#clock.nextFlush));
      if (!isDurable) throw unavailable(this.#store.name);
    } else if (this.#requiredCount > this.#deliveredCount) throw this.#expired();
    else this.#isContinuous = true;
  }

  /**
   * A client that merges the feeds of several groups would take the removal of moved vertices for
   * their deletion, and could see their earlier changes after later ones.
   * @throws PositionExpiredError
   */
  #requireOwn(change: GraphChange): void {
    if (!isForeignChange(this.#store, change)) return;
    throw new PositionExpiredError(
      `slots of graph '${this.#store.name}' have moved after position '${this.position}'`,
    );
  }

  #expired(): PositionExpiredError {
    return new PositionExpiredError(
      `changes of graph '${this.#store.name}' after position '${this.position}' are no longer ` +
        "in the transaction log",
    );
  }
}

/** Access of this thread to the log of a graph. */
interface OpenLog {
  readonly clock: CommitClock;
  readonly reader: TransactionReader;
  /** Returns the position after all changes so far. */
  readPosition(): ChangePosition;
}

/** @throws SvcError SVC2416 */
function openLog({ store, isLocal }: GraphAccess): OpenLog {
  const { log } = store.memory;
  const { openTransactions } = threadGraphs();
  if (log?.isOn !== true || openTransactions === null) throw unavailable(store.name);
  const { clock } = log;
  const reader = openTransactions({ identity: requireIdentity(store), isLocal, clock });
  const readPosition = (): ChangePosition => {
    // Read the position in the log first. Changes committed before the count is read are then
    // skipped by their counts.
    const { logTag, lastSn: sn } = reader;
    return { logTag, sn, count: countAtRest(store) };
  };
  return { clock, reader, readPosition };
}

function unavailable(name: string): SvcError {
  return new SvcError("SVC2416", `changes of graph '${name}' are not available: it is not logged`);
}

/**
 * Returns the position after all changes so far.
 * @throws SvcError SVC2416
 */
export function readChangePosition(access: GraphAccess): string {
  const position = openLog(access).readPosition();
  return formatPosition(positionPrefix(requireIdentity(access.store), position), position.count);
}

/**
 * Returns a reader for code that renders many changes at once.
 * @param endsAtMoves as for `ChangeReader`
 * @throws as `ChangeReader`
 */
export function openChanges(
  graph: GraphHandle,
  options: ChangeOptions,
  endsAtMoves = false,
): ChangeReader {
  return new ChangeReader(getAccess(graph), options, endsAtMoves);
}
