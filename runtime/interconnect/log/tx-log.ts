// Interface of a transaction log.

import type { Frame } from "./segment-reader.js";

export interface TxLog {
  /** Sequence numbers of the first retained and of the last transaction. */
  readonly first: number;
  readonly last: number;
  readonly epoch: number;
  /**
   * @param frame transactions, after space for a frame header
   * @returns sequence number of the first one
   */
  append(frame: Buffer, units: number): number;
  /** Resolves when all appended frames are durable. */
  flush(): Promise<void>;
  /** Yields frames from the one that contains a transaction. */
  read(sn: number): Iterable<Frame>;
  /** Removes what precedes a transaction, as far as possible. */
  truncateHead(sn: number): void;
}
