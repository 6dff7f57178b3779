// A log of units, wherever it lies: in segment files, or with a broker.

import type { Frame } from "./segment-reader.js";

export interface TxLog {
  /** Number of the first unit that is still there, and of the last one. */
  readonly first: number;
  readonly last: number;
  readonly epoch: number;
  /**
   * @param frame units, behind room for a frame's header
   * @returns number of the first one
   */
  append(frame: Buffer, units: number): number;
  /** Resolves when all that was appended is safe. */
  flush(): Promise<void>;
  /** Frames from the one on that holds a unit. */
  read(sn: number): Iterable<Frame>;
  /** Removes what comes before a unit, as far as that is possible. */
  truncateHead(sn: number): void;
}
