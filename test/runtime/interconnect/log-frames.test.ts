// The frames that a log gets from the rings of its graphs: their size, and transactions over
// several graphs, which are never split.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { runTransaction } from "../../../runtime/graph/changes/transaction.js";
import { JOINED_TRANSACTION } from "../../../runtime/graph/log/transaction-format.js";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import { createRingMemory } from "../../../runtime/graph/memory/commit-ring.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { replayLog } from "../../../runtime/interconnect/log/replay-log.js";
import {
  FRAME_HEADER_BYTES,
  MAX_FRAME_BYTES,
  MAX_TRANSACTIONS,
} from "../../../runtime/interconnect/log/segment-format.js";
import { forEachTransaction } from "../../../runtime/interconnect/log/transactions.js";
import { comparable } from "../../property/support/comparable.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const test = suite("frames of a log");

/** A log of two graphs, whose control records are written. */
function logged() {
  const channel = new LogChannel(new SimulatedDisk(), "/log");
  const clock = new CommitClock();
  const stores = [1, 2].map((number) => {
    const log = { ring: createRingMemory(2 ** 22), clock: clock.buffer };
    return GraphStore.create(`g${number}`, TEST_THREAD, { log });
  });
  assert.is(channel.hasMore, false);
  for (const store of stores) channel.open(store, "path");
  const write = (last?: number): number => {
    const bytes = channel.write(clock, last);
    channel.log.flushNow();
    channel.release();
    return bytes;
  };
  write();
  const create = (index: number, id: string, text = ""): void => {
    openStore(stores[index]!).createVertex(id, text === "" ? {} : { properties: { text } });
  };
  const createBoth = (id: string, text = ""): void => {
    const parts = stores.map((store) => ({ store, isLocal: false }));
    runTransaction(parts, () => {
      for (const index of [0, 1]) create(index, id, text);
    });
  };
  const [first, two] = stores as [GraphStore, GraphStore];
  return { channel, first, two, clock, write, create, createBoth };
}

/** Returns the transactions of each frame: their graphs, with `+` if the next belongs to it. */
function readFrames({ log }: LogChannel, from: number): string[][] {
  // Each is valid until the next one is read.
  return Array.from(log.read(from), (frame) => {
    const units: string[] = [];
    const transaction = (words: Uint32Array, offset: number, graph: number): void => {
      units.push(`${graph}${(words[offset]! & 0xff) === JOINED_TRANSACTION ? "+" : ""}`);
    };
    forEachTransaction(frame, { transaction, control: () => undefined });
    return units;
  });
}

test("mark each transaction that the next one belongs to", () => {
  const { channel, write, create, createBoth } = logged();
  create(0, "a");
  createBoth("b");
  create(1, "c");
  write();
  assert.equal(readFrames(channel, 3), [["1", "2+", "1", "2"]]);
});

test("have the changes of long and of short transactions", () => {
  const { channel, first, write, create } = logged();
  // The first ones are written before the frame is enlarged.
  for (const length of [2, 200, 260, 300, 100_000, 8])
    create(0, `v${length}`, "é".repeat(length / 2));
  write();
  const copy = GraphStore.create("g1", TEST_THREAD, {});
  const failures = { reasons: new Map(), broken: new Set<GraphStore>() };
  replayLog(channel.log, new Map([[1, copy]]), failures, () => undefined);
  assert.equal([...failures.reasons], []);
  assert.equal(comparable(copy), comparable(first));
});

test("hold 65,535 transactions, or a longer joint transaction", () => {
  const { channel, write, create, createBoth } = logged();
  const before = channel.log.last;
  for (let units = 1; units < MAX_TRANSACTIONS; units++) create(0, `${units}`);
  createBoth("x");
  create(0, "y");
  assert.ok(write() > 0);
  assert.equal([channel.log.last - before, channel.hasMore], [MAX_TRANSACTIONS - 1, true]);
  write();
  assert.equal([channel.log.last - before, channel.hasMore], [MAX_TRANSACTIONS + 2, false]);
});

test("hold 8 MiB, or a longer joint transaction", () => {
  const { channel, write, create, createBoth } = logged();
  let vertices = 1000;
  const nextId = (): string => `${vertices++}`;
  const text = (bytes: number): string => "x".repeat(bytes);
  // The first one of each graph also defines a key.
  createBoth(nextId(), text(4));
  write();
  create(0, nextId(), text(4));
  const overhead = write() - FRAME_HEADER_BYTES - 4;
  /** Commits transactions of this size in all. */
  const fill = (bytes: number): void => {
    const count = Math.ceil(bytes / 100_000);
    const each = 4 * Math.floor(bytes / count / 4);
    for (let remaining = count; remaining > 0; remaining--) {
      const size = remaining === 1 ? bytes - (count - 1) * each : each;
      create(0, nextId(), text(size - overhead));
    }
  };
  const both = 2 * (overhead + 10_000);
  for (const [left, isIn] of [
    [both, true],
    [both - 4, false],
  ] as const) {
    fill(MAX_FRAME_BYTES - left);
    createBoth(nextId(), text(10_000));
    const from = channel.log.last + 1;
    while (write() > 0);
    assert.equal(
      readFrames(channel, from).map((units) => units.slice(-2).join("")),
      isIn ? ["2+1"] : ["11", "2+1"],
      `${left} bytes are left`,
    );
  }
});

test("report pending transactions only while there are some", () => {
  const { channel, write, create } = logged();
  assert.is(channel.hasMore, false);
  assert.equal([write(), channel.hasMore], [0, false]);
  for (let remaining = 100; remaining > 0; remaining--)
    create(0, `${remaining}`, "x".repeat(100_000));
  write();
  assert.is(channel.hasMore, true);
  assert.equal([write(0), channel.hasMore], [0, false], "not up to this turn");
  assert.ok(write() > 0);
});

test.run();
