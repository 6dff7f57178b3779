// Contents of a frame that are invalid although its checksums are correct.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  JOINED_TRANSACTION,
  TRANSACTION,
  TRANSACTION_HEAD_WORDS,
} from "../../../runtime/graph/log/transaction-format.js";
import { RECORDS_SHIFT } from "../../../runtime/graph/memory/commit-ring.js";
import { LogCatalog } from "../../../runtime/interconnect/log/log-catalog.js";
import {
  decodeFrameHeader,
  putFrameHeader,
} from "../../../runtime/interconnect/log/segment-format.js";
import type { Frame } from "../../../runtime/interconnect/log/segment-reader.js";
import {
  countRecords,
  encodeControlRecord,
  forEachTransaction,
  isControl,
} from "../../../runtime/interconnect/log/transactions.js";

const test = suite("transactions of a frame");

function frame(units: number, words: Uint32Array): Frame {
  const bytes = Buffer.alloc(32 + words.length * 4);
  Buffer.from(words.buffer).copy(bytes, 32);
  putFrameHeader(bytes, { isTable: false, chain: 0, sn: 1, transactions: units, epoch: 1 });
  const allWords = new Uint32Array(bytes.length / 4);
  new Uint8Array(allWords.buffer).set(bytes);
  const header = decodeFrameHeader(bytes)!;
  return { header, offset: 0, words: allWords, at: 8, end: allWords.length, bytes };
}

function controls(frame: Frame): unknown[] {
  const records: unknown[] = [];
  forEachTransaction(frame, {
    transaction: () => undefined,
    control: (json) => records.push(json),
  });
  return records;
}

test("compares the number of transactions with the header", () => {
  const record = encodeControlRecord({ erased: 1 });
  const two = new Uint32Array([...record, ...record]);
  assert.equal(controls(frame(2, two)), [{ erased: 1 }, { erased: 1 }]);
  assert.throws(() => controls(frame(1, two)), /another number of transactions/);
  assert.throws(() => controls(frame(3, two)), /another number of transactions/);
});

test("rejects lengths beyond the frame, below a head, and unknown kinds", () => {
  const record = encodeControlRecord({ erased: 1 });
  const change = (offset: number, value: number): Frame => {
    const copy = Uint32Array.from(record);
    copy[offset] = value;
    return frame(1, copy);
  };
  const head = record[0]!;
  assert.throws(() => controls(change(0, head + 0x100)), /corrupt log transaction/);
  assert.throws(() => controls(change(0, (head & 0xff) | (3 << 8))), /corrupt log transaction/);
  assert.throws(() => controls(change(0, head & 0xff)), /corrupt log transaction/);
  assert.throws(() => controls(change(0, head | 0x80)), /unknown kind of log transaction/);
  assert.throws(() => controls(change(1, record[1]! - 4)), /corrupt log transaction/);
});

test("accepts transactions of any length that fits the frame", () => {
  const unit = (kind: number, words: number, length = words): string => {
    const buffer = new Uint32Array(words);
    buffer.set([kind | (length << 8), 1, 1 << RECORDS_SHIFT, 7]);
    const numbers: number[] = [];
    const visitor = {
      transaction: (_: Uint32Array, offset: number, graph: number) => numbers.push(offset, graph),
      control: () => numbers.push(0),
    };
    try {
      forEachTransaction(frame(1, buffer), visitor);
    } catch (error) {
      return (error as Error).message;
    }
    return numbers.join();
  };
  for (const kind of [TRANSACTION, JOINED_TRANSACTION]) {
    for (const words of [TRANSACTION_HEAD_WORDS, 9]) assert.is(unit(kind, words), "8,7");
    assert.is(unit(kind, 9, 10), "corrupt log transaction");
    assert.is(unit(kind, 9, TRANSACTION_HEAD_WORDS - 1), "corrupt log transaction");
  }
});

test("counts the operations of a frame, and recognizes the log's own records", () => {
  const control = encodeControlRecord({ erased: 1 });
  const units = [...transaction(7, 3), ...control, ...transaction(8, 1)];
  assert.is(countRecords(frame(3, new Uint32Array(units))), 2);
  assert.equal([isControl(control, 0), isControl(new Uint32Array(units), 0)], [true, false]);
});

/** Head of a transaction with one record, after which a graph has had `after` operations. */
function transaction(graph: number, after: number): number[] {
  const words = TRANSACTION_HEAD_WORDS + 1;
  const head = [TRANSACTION | (words << 8), after, 1 << RECORDS_SHIFT, graph];
  return [...head, ...new Array(words - head.length).fill(0)];
}

test("refuses entries of a log that name no graph", () => {
  const catalog = new LogCatalog();
  const opened = { number: 1, identity: "0".repeat(32), name: "g", path: "g" };
  const invalidFrames = {
    number: [0, 1.5, 2 ** 32],
    identity: ["x", 1, [opened.identity]],
    name: [1],
    path: [null],
  };
  for (const [key, values] of Object.entries(invalidFrames)) {
    for (const value of values) {
      const read = (): void => catalog.readControl({ opened: { ...opened, [key]: value } });
      assert.throws(read, /invalid graph name/, `${key} ${value}`);
    }
  }
  catalog.readControl({ opened });
  assert.is(catalog.byNumber(1)!.name, "g");
});

test("finds the graph of a name that was opened last and is not erased", () => {
  const catalog = new LogCatalog();
  const [first, second] = ["1", "2"].map((digit) => {
    return catalog.add({ identity: digit.repeat(32), name: "g", path: "g" });
  });
  catalog.add({ identity: "3".repeat(32), name: "h", path: "h" });
  assert.is(catalog.byName("g"), second);
  catalog.readControl({ erased: second!.number });
  assert.equal([catalog.byName("g"), catalog.byName("x")], [first, undefined]);
});

test("a log that begins with a graph is complete", () => {
  const catalog = new LogCatalog();
  const { number } = catalog.add({ identity: "0".repeat(32), name: "g", path: "g" });
  catalog.readFrame(frame(1, new Uint32Array(transaction(number, 1))), () => undefined);
  assert.is(catalog.byNumber(number)!.before, 0);
});

test("reads the graphs of the table that begins a segment", () => {
  const previousCatalog = new LogCatalog();
  for (const name of ["g", "h"])
    previousCatalog.add({ identity: "0".repeat(32), name, path: name });
  const read = (content: Buffer): LogCatalog => {
    const table = frame(0, new Uint32Array(new Uint8Array(content).buffer));
    const catalog = new LogCatalog();
    catalog.readFrame({ ...table, header: { ...table.header, isTable: true } }, () => undefined);
    return catalog;
  };
  const catalog = read(previousCatalog.table());
  assert.equal([catalog.all(), catalog.lastNumber], [previousCatalog.all(), 2]);
  assert.throws(() => read(Buffer.from("{}  ")), /graph table of the log is not a list/);
});

test("a log is complete only after the last missing change", () => {
  const catalog = new LogCatalog();
  const { number } = catalog.add({ identity: "0".repeat(32), name: "g", path: "g" });
  const reached: number[] = [];
  const read = (...counts: number[]): void => {
    const words = counts.flatMap((after) => transaction(number, after));
    catalog.readFrame(frame(counts.length, new Uint32Array(words)), (_, index) =>
      reached.push(index),
    );
  };
  const { before } = catalog.byNumber(number)!;
  assert.is(before, null);
  read(3, 4);
  assert.equal([catalog.byNumber(number)!.before, catalog.byNumber(number)!.after], [2, 4]);
  read(5);
  assert.is(catalog.byNumber(number)!.before, 2);
  // Two changes were made while nothing was logged.
  read(8, 9);
  assert.equal([catalog.byNumber(number)!.before, catalog.byNumber(number)!.after], [7, 9]);
  assert.equal(reached, [3, 4, 5, 8, 9]);
  const unknown = frame(1, new Uint32Array(transaction(number + 1, 1)));
  assert.throws(() => catalog.readFrame(unknown, () => undefined), /unknown graph 2/);
});

test.run();
