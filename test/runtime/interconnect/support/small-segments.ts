// A transaction log in small segments, whose frames have texts for content.

import { FRAME_HEADER_BYTES } from "../../../../runtime/interconnect/log/segment-format.js";
import { SegmentLog } from "../../../../runtime/interconnect/log/segment-log.js";
import type { FrameVisitor } from "../../../../runtime/interconnect/log/segments.js";
import type { SimulatedDisk } from "./simulated-disk.js";

export const LOG = "/log";
export const SEGMENT_BYTES = 1024;

export function openSegments(disk: SimulatedDisk, visit?: FrameVisitor): SegmentLog {
  return recoverSegments(disk, visit).log;
}

/** The same, with the number of torn bytes. */
export function recoverSegments(disk: SimulatedDisk, visit: FrameVisitor = () => undefined) {
  const options = { segmentBytes: SEGMENT_BYTES, table: () => Buffer.from("[]  ") };
  return SegmentLog.open(disk, LOG, options, visit);
}

/** Space for a header, and a text. */
export function textFrame(text: string): Buffer {
  const rest = Buffer.alloc(-text.length & 3);
  return Buffer.concat([Buffer.alloc(FRAME_HEADER_BYTES), Buffer.from(text, "latin1"), rest]);
}

/** Fills segments with two frames each; returns their paths. */
export function fillSegments(log: SegmentLog, count = 3): string[] {
  while (log.last < 2 * count) {
    log.append(textFrame(`${log.last + 1}`.padEnd(280, ".")), 1);
    log.flushNow();
  }
  return log.segments.map(({ name }) => `${LOG}/${name}`);
}

export function readTexts(log: SegmentLog, sn: number): string[] {
  return [...log.read(sn)].map(({ bytes }) =>
    bytes.toString("latin1", FRAME_HEADER_BYTES).replace(/[.\0]+$/, ""),
  );
}
