// Transactions of one graph in the transaction log, as change feeds read them. The log is
// implemented in another folder of the runtime, so a thread with graphs receives a function that
// opens it.

import type { CommitClock } from "../memory/commit-clock.js";

/** Result of a step: a transaction, a section of the log without one, or the durable end. */
export type ReadStep = "transaction" | "more" | "end";

/** Reads the durable transactions of one graph in order. */
export interface TransactionReader {
  /** The current transaction, valid until the next step: its words and its offset. */
  readonly words: Uint32Array;
  readonly at: number;
  /** Its sequence number in the log. */
  readonly sn: number;
  /** Digits that distinguish the log from others; an empty string while the log is empty. */
  readonly logTag: string;
  /** Sequence number of the last durable transaction. */
  readonly lastSn: number;
  /** Sets the position of the first step; one in another log means the start of this log. */
  start(position: ReadPosition): void;
  /**
   * Advances by at most one frame of the log.
   * @throws PositionExpiredError if the log was truncated before the next transaction
   */
  step(): ReadStep;
  close(): void;
}

/** Position in a log from which a graph is read. */
export interface ReadPosition {
  readonly logTag: string;
  /** Sequence number of the last transaction that was read. */
  readonly sn: number;
}

export interface LoggedGraphKey {
  readonly identity: string;
  readonly isLocal: boolean;
  readonly clock: CommitClock;
}

/** Opens the log of this process. */
export type OpenTransactionReader = (graph: LoggedGraphKey) => TransactionReader;
