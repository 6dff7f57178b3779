// Append-only stream of messages at a broker, which holds a copy of the transaction log.

/** Position of a log in a stream. */
export interface StreamState {
  readonly log: string;
  readonly epoch: number;
  /** Protocol of the message. */
  readonly protocol: number;
  /** Position reached; null: snapshots are incomplete. */
  readonly reached: { readonly sn: number; readonly chain: number } | null;
}

/** Part of a message longer than the broker's limit. */
export interface StreamPart {
  /** From 1. */
  readonly part: number;
  readonly parts: number;
  readonly bytes: Uint8Array;
}

export interface ReceivedPart extends StreamPart {
  /** Of its message. */
  readonly protocol: number;
}

export interface LogStream {
  /** Maximum bytes of a part. */
  readonly maxPartBytes: number;
  readonly isClosed: boolean;
  /**
   * Returns the position in the last message; null: the stream is empty.
   * @throws SvcError SVC3363 if svc has not written it
   */
  last(): Promise<StreamState | null>;
  /** Returns the sequence of the message that starts the latest snapshots; null: none. */
  first(): Promise<number | null>;
  /**
   * Appends a part directly after the message that this writer expects to be last, or fails. Calls
   * may overlap; a failed one fails those after it.
   * @returns its sequence, when the broker has stored it
   */
  append(kind: "table" | "data", part: StreamPart, state: StreamState): Promise<number>;
  /** Yields parts from a sequence on, until the connection closes. */
  read(seq: number): AsyncGenerator<ReceivedPart, void, void>;
  /** Removes messages before a sequence. */
  truncateHead(seq: number): Promise<void>;
  close(): Promise<void>;
}

/** Connects to the stream. @param isWriter create the stream if it is missing */
export type OpenStream = (isWriter: boolean) => Promise<LogStream>;
