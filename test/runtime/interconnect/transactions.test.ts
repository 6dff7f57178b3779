// Contents of a frame that are invalid although its checksums are correct.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  decodeFrameHeader,
  putFrameHeader,
} from "../../../runtime/interconnect/log/segment-format.js";
import type { Frame } from "../../../runtime/interconnect/log/segment-reader.js";
import {
  encodeControlRecord,
  forEachTransaction,
} from "../../../runtime/interconnect/log/transactions.js";

const test = suite("transactions of a frame");

function frame(units: number, words: Uint32Array): Frame {
  const bytes = Buffer.alloc(32 + words.length * 4);
  Buffer.from(words.buffer).copy(bytes, 32);
  putFrameHeader(bytes, { isTable: false, chain: 0, sn: 1, units, epoch: 1 });
  const all = new Uint32Array(bytes.length / 4);
  new Uint8Array(all.buffer).set(bytes);
  const header = decodeFrameHeader(bytes)!;
  return { header, offset: 0, words: all, at: 8, end: all.length, bytes };
}

function controls(given: Frame): unknown[] {
  const found: unknown[] = [];
  forEachTransaction(given, { unit: () => undefined, control: (json) => found.push(json) });
  return found;
}

test("compares the number of transactions with the header", () => {
  const record = encodeControlRecord({ erased: 1 });
  const two = new Uint32Array([...record, ...record]);
  assert.equal(controls(frame(2, two)), [{ erased: 1 }, { erased: 1 }]);
  assert.throws(() => controls(frame(1, two)), /not as many units/);
  assert.throws(() => controls(frame(3, two)), /not as many units/);
});

test("rejects lengths beyond the frame, below a head, and unknown kinds", () => {
  const record = encodeControlRecord({ erased: 1 });
  const change = (at: number, value: number): Frame => {
    const copy = Uint32Array.from(record);
    copy[at] = value;
    return frame(1, copy);
  };
  const head = record[0]!;
  assert.throws(() => controls(change(0, head + 0x100)), /corrupt log unit/);
  assert.throws(() => controls(change(0, (head & 0xff) | (3 << 8))), /corrupt log unit/);
  assert.throws(() => controls(change(0, head & 0xff)), /corrupt log unit/);
  assert.throws(() => controls(change(0, head | 0x80)), /unknown kind of log unit/);
  assert.throws(() => controls(change(1, record[1]! - 4)), /corrupt log unit/);
});

test.run();
