// Transactions of one graph, read from the files of a log that another thread writes.

import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { shortenIdentity } from "../../../runtime/graph/log/change-position.js";
import { operationCountAfter } from "../../../runtime/graph/log/transaction-format.js";
import type { TransactionReader } from "../../../runtime/graph/log/transaction-reader.js";
import { requireIdentity } from "../../../runtime/graph/manager/logging-entry-points.js";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import { PositionExpiredError } from "../../../runtime/graph/model/errors.js";
import type { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { createTransactionOpener } from "../../../runtime/interconnect/log/graph-transactions.js";
import { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { SEGMENT_HEADER_BYTES } from "../../../runtime/interconnect/log/segment-format.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { openStore } from "../graph/support/make-graph.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const test = suite<{ root: string }>("transactions of a graph");

test.before.each((context) => {
  context.root = mkdtempSync(join(tmpdir(), "svc-transactions-"));
});

test.after.each(({ root }) => rmSync(root, { recursive: true }));

/** A log of two graphs, whose files are copied into the data folder; `index` 1: the local one. */
function logIn(root: string, index: 0 | 1 = 0) {
  const folder = join(root, "_txlog", index === 0 ? "" : "local");
  mkdirSync(folder, { recursive: true });
  const disk = new SimulatedDisk();
  const channel = new LogChannel(disk, "/log");
  const clock = new CommitClock();
  const stores = [loggedStore(), loggedStore()] as const;
  const { log } = channel;
  const publish = (): void => {
    for (const name of disk.names("/log")) {
      writeFileSync(join(folder, name), disk.readContent(`/log/${name}`));
    }
    clock.setDurableSn(index, log.durableSn);
  };
  const write = (...ids: readonly [at: 0 | 1, id: string][]): void => {
    for (const [index, id] of ids) {
      openStore(stores[index]).createVertex(id);
      channel.write(stores[index].memory.log!.clock);
      log.flushNow();
      channel.release();
    }
    publish();
  };
  /** Goes on in another segment. */
  const roll = (): void => {
    disk.faults.before = (operation) => {
      if (operation === "flush") throw new Error("EIO");
    };
    assert.throws(() => log.flushNow());
    delete disk.faults.before;
    channel.reopen();
    publish();
  };
  const remove = (index: number): void => rmSync(join(folder, log.segments[index]!.name));
  const identities = stores.map(requireIdentity) as [string, string];
  const reader = (at: 0 | 1 = 0): TransactionReader =>
    createTransactionOpener(root)({ identity: identities[at], isLocal: index === 1, clock });
  const open = (store: GraphStore): void => void channel.open(store, "path");
  return { stores, log, folder, open, write, roll, remove, reader };
}

/** Returns the number of each transaction, and the count of changes after it. */
function rest(reader: TransactionReader): [sn: number, count: number][] {
  const read: [number, number][] = [];
  for (let step = reader.step(); step !== "end"; step = reader.step()) {
    if (step === "transaction") {
      read.push([reader.sn, operationCountAfter(reader.words, reader.at)]);
    }
  }
  return read;
}

test("reads only transactions of its graph, also while they are written", ({ root }) => {
  const { stores, log, open, write, reader } = logIn(root);
  const logReader = reader(0);
  assert.equal([logReader.logTag, logReader.lastSn, logReader.step()], ["", 0, "end"]);
  open(stores[0]);
  write([0, "a"]);
  assert.is(logReader.step(), "transaction");
  assert.equal(
    [logReader.sn, logReader.logTag, logReader.lastSn],
    [2, shortenIdentity(log.logId), 2],
  );
  assert.equal([logReader.step(), logReader.step()], ["more", "end"]);
  // A graph that is opened has a record of its own in the frame.
  open(stores[1]);
  write([1, "x"], [0, "b"], [1, "y"], [0, "c"]);
  assert.equal(rest(logReader), [
    [5, 2],
    [7, 3],
  ]);
  const two = reader(1);
  assert.equal(rest(two), [
    [4, 1],
    [6, 2],
  ]);
  for (const each of [logReader, two]) each.close();
});

test("begins with the segment of a position, whose table has the graph", ({ root }) => {
  const { stores, log, open, write, roll, reader } = logIn(root);
  for (const store of stores) open(store);
  write([0, "a"], [1, "x"]);
  roll();
  write([0, "b"], [1, "y"]);
  roll();
  write([1, "z"], [0, "c"]);
  const allTransactions = [
    [3, 1],
    [5, 2],
    [8, 3],
  ];
  const logTag = shortenIdentity(log.logId);
  for (const [startPoint, from] of [
    [{ logTag, sn: 1 }, 0],
    [{ logTag, sn: 4 }, 0],
    [{ logTag, sn: 5 }, 1],
    [{ logTag, sn: 6 }, 1],
    [{ logTag, sn: 8 }, 2],
    [{ logTag: "another", sn: 8 }, 0],
    [{ logTag: "", sn: 0 }, 0],
  ] as const) {
    const logReader = reader();
    logReader.start(startPoint);
    assert.equal(rest(logReader), allTransactions.slice(from), JSON.stringify(startPoint));
    logReader.close();
  }
});

test("reports segments that were removed before they were read", ({ root }) => {
  const { stores, log, open, write, roll, remove, reader } = logIn(root);
  open(stores[0]);
  write([0, "a"]);
  const behind = reader();
  assert.equal([behind.step(), behind.sn], ["transaction", 2]);
  roll();
  write([0, "b"]);
  roll();
  write([0, "c"]);
  for (const index of [0, 1]) remove(index);
  assert.is(behind.step(), "more");
  assert.throws(
    () => behind.step(),
    (error: unknown) => error instanceof PositionExpiredError,
  );
  const late = reader();
  // Its place is gone: from the first transaction that is there.
  late.start({ logTag: shortenIdentity(log.logId), sn: 2 });
  assert.equal(rest(late), [[4, 3]]);
  for (const each of [behind, late]) each.close();
});

test("reads the log of local graphs", ({ root }) => {
  const shared = logIn(root);
  const local = logIn(root, 1);
  for (const { stores, open } of [shared, local]) open(stores[0]);
  local.write([0, "a"]);
  shared.write([0, "a"], [0, "b"]);
  for (const [each, count] of [
    [local, 1],
    [shared, 2],
  ] as const) {
    const logReader = each.reader();
    assert.equal([logReader.lastSn, rest(logReader).length], [count + 1, count]);
    logReader.close();
  }
});

test("closes its files, and knows no log with a corrupt header", ({ root }) => {
  const { stores, log, folder, open, write, reader } = logIn(root);
  const next = (): number => {
    const descriptor = openSync(root, "r");
    closeSync(descriptor);
    return descriptor;
  };
  open(stores[0]);
  write([0, "a"]);
  const before = next();
  const logReader = reader();
  assert.is(rest(logReader).length, 1);
  logReader.close();
  assert.is(next(), before);
  const file = join(folder, log.segments[0]!.name);
  const laterBytes = readFileSync(file).subarray(0, SEGMENT_HEADER_BYTES);
  laterBytes.writeUInt32LE(9, 8);
  laterBytes.writeUInt32LE(crc32(laterBytes.subarray(0, 60)), 60);
  const corrupt = Buffer.from(laterBytes);
  corrupt[60]! ^= 1;
  for (const content of ["", corrupt, laterBytes]) {
    writeFileSync(file, content);
    assert.is(reader().logTag, "");
  }
  assert.is(next(), before);
});

test.run();
