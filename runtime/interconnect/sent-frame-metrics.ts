// Metrics of sent frames.

import { recordCount } from "../graph/log/transaction-format.js";
import type { Traffic } from "../metrics/traffic.js";
import type { Frame } from "./log/segment-reader.js";
import { forEachTransaction } from "./log/transactions.js";

/** @returns the number of operations */
export function recordSentFrames(frame: Frame, traffic: Traffic): number {
  let records = 0;
  const unit = (words: Uint32Array, at: number): void => {
    records += recordCount(words, at);
  };
  forEachTransaction(frame, { unit, control: () => undefined });
  traffic.count(traffic.out, frame.bytes.length, frame.header.units, records);
  return records;
}
