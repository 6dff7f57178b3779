// Append-only stream of messages at a broker, which stores a copy of the transaction log.

/** State of a stream after one of its messages. */
export interface StreamState {
  readonly log: string;
  readonly epoch: number;
  /** Protocol of the message. */
  readonly protocol: number;
  /** Position in the log that the stream has reached; null: its snapshots are incomplete. */
  readonly reached: { readonly sn: number; readonly chain: number } | null;
}

/** A part of a message, which is split if it exceeds the limit of the broker. */
export interface StreamPart {
  /** Number of the part, from 1. */
  readonly part: number;
  readonly parts: number;
  readonly bytes: Uint8Array;
}

export interface ReceivedPart extends StreamPart {
  /** Protocol of its message. */
  readonly protocol: number;
}

export interface LogStream {
  /** Maximum bytes of a part. */
  readonly maxPartBytes: number;
  readonly isClosed: boolean;
  /**
   * Returns the state after the last message; null: the stream is empty.
   * @throws SvcError SVC3363 if another program wrote the message
   */
  readLastState(): Promise<StreamState | null>;
  /** Returns the sequence of the table that precedes the latest snapshots; null: none. */
  findSnapshotTable(): Promise<number | null>;
  /**
   * Appends a part directly after the last part that this writer has read or appended; fails if the
   * stream contains a later one. Calls may overlap; if a call fails, the later ones fail, too.
   * @returns the sequence of the part, once the broker has stored it
   */
  append(kind: "table" | "data", part: StreamPart, state: StreamState): Promise<number>;
  /** Yields parts from a sequence on, until the connection closes. */
  read(seq: number): AsyncGenerator<ReceivedPart, void, void>;
  /** Removes messages before a sequence. */
  truncateHead(seq: number): Promise<void>;
  close(): Promise<void>;
}

/** Connects to a stream. @param isWriter create the stream if it is missing */
export type OpenStream = (isWriter: boolean) => Promise<LogStream>;
