// Replays logs on graphs: missing transactions in order, and graphs that fail.

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import tty from "node:tty";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { ProgressLine, replayLog } from "../../../runtime/interconnect/log/replay-log.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";
import { SimulatedDisk } from "./support/simulated-disk.js";
import { makeTransaction, openUnits, write } from "./support/unit-log.js";

const test = suite("replay of a log");

/** A log of some graphs, whose numbers begin with 1. */
class History {
  readonly channel = new LogChannel(new SimulatedDisk(), "/log");
  readonly stores: readonly GraphStore[];

  constructor(...stores: readonly GraphStore[]) {
    this.stores = stores;
    for (const store of stores) this.channel.open(store, "g");
  }

  /** Writes one frame, with a new vertex per index of a graph. */
  write(...indexes: readonly number[]): void {
    for (const index of indexes) addVertex(this.stores[index]!);
    this.flush();
  }

  flush(): void {
    for (const { memory } of this.stores) this.channel.write(memory.log!.clock);
    this.channel.log.flushNow();
    this.channel.release();
  }
}

function addVertex(store: GraphStore): void {
  const graph = openStore(store);
  graph.createVertex(`${graph.order}`);
}

/** A graph without log, with the first vertices of a history. */
function copy(vertices = 0): GraphStore {
  const store = GraphStore.create("copy", TEST_THREAD, {});
  for (let remaining = vertices; remaining > 0; remaining--) addVertex(store);
  return store;
}

function vertices(store: GraphStore): number {
  return openStore(store).order;
}

class Replay {
  readonly reasons = new Map<GraphStore, Error>();
  readonly broken = new Set<GraphStore>();
  readonly shares: number[] = [];

  /** Returns the number of applied transactions. */
  run({ channel }: History, stores: ReadonlyMap<number, GraphStore>): number {
    return replayLog(channel.log, stores, this, (done) => this.shares.push(done));
  }
}

test("applies to each graph only the transactions that it lacks", () => {
  const history = new History(loggedStore(), loggedStore(), loggedStore());
  history.write(0, 1, 0, 2);
  history.write(1, 1, 2, 0);
  const replay = new Replay();
  const [emptyCopy, some, complete] = [copy(), copy(1), copy(3)];
  const stores = new Map([
    [1, emptyCopy],
    [2, some],
  ]);
  assert.is(replay.run(history, stores), 5);
  assert.equal([emptyCopy, some].map(vertices), [3, 3]);
  assert.is(replay.run(history, new Map([[1, complete]])), 0);
  assert.equal([replay.reasons.size, replay.broken.size], [0, 0]);
});

test("its progress is the share of the log before each frame", () => {
  const history = new History(loggedStore());
  for (const count of [1, 2, 4]) history.write(...Array(count).fill(0));
  const replay = new Replay();
  replay.run(history, new Map([[1, copy()]]));
  // The first frame also declares the graph.
  assert.is(history.channel.log.last, 8);
  assert.equal(replay.shares, [0, 2 / 8, 4 / 8]);
});

test("all transactions are prefetched, in each frame", () => {
  const history = new History(loggedStore());
  const counts = [20, 3];
  for (const count of counts) history.write(...Array(count).fill(0));
  const store = copy();
  const prefetched: number[] = [];
  const { ids } = store;
  const prefetch = ids.prefetch.bind(ids);
  ids.prefetch = (words, places, count) => {
    prefetched.push(count);
    prefetch(words, places, count);
  };
  new Replay().run(history, new Map([[1, store]]));
  assert.equal(prefetched, [16, 4, 3]);
});

test("a graph whose next transaction is in another log continues there", () => {
  const store = loggedStore();
  const first = new History(store);
  first.write(0);
  // The other log continues after that one.
  const second = new History(store);
  second.write(0, 0);
  const reopenedStore = copy();
  const replay = new Replay();
  const stores = new Map([[1, reopenedStore]]);
  assert.is(replay.run(second, stores), 0);
  const { message } = replay.reasons.get(reopenedStore)!;
  assert.is(message, 'log continues at operation 1 of graph "copy", which is at 0');
  assert.is(replay.broken.size, 0);
  assert.is(replay.run(first, stores), 1);
  assert.is(replay.run(second, stores), 2);
  assert.is(vertices(reopenedStore), 3);
});

test("a graph that a transaction has left half applied is not touched again", () => {
  const log = openUnits(new SimulatedDisk());
  // Transactions that no instance writes.
  for (const before of [0, 1]) write(log, makeTransaction({ before, second: 0 }));
  const store = copy();
  const replay = new Replay();
  for (let passes = 2; passes > 0; passes--) {
    assert.is(
      replayLog(log, new Map([[1, store]]), replay, () => undefined),
      0,
    );
    assert.equal([...replay.broken], [store]);
    assert.match(replay.reasons.get(store)!.message, /corrupt/);
  }
});

/** Runs with another clock, and returns the output to the terminal. */
function terminal(isTerminal: boolean, run: (pass: (ms: number) => void) => void): string[] {
  const real = { now: performance.now, isatty: tty.isatty, writeSync: fs.writeSync };
  const lines: string[] = [];
  let now = 1000;
  performance.now = () => now;
  tty.isatty = () => isTerminal;
  fs.writeSync = ((_: number, text: string) => lines.push(text)) as typeof fs.writeSync;
  syncBuiltinESMExports();
  try {
    run((ms) => {
      now += ms;
    });
  } finally {
    performance.now = real.now;
    tty.isatty = real.isatty;
    fs.writeSync = real.writeSync;
    syncBuiltinESMExports();
  }
  return lines;
}

test("a terminal shows the progress every 250 ms, until it ends", () => {
  const lines = terminal(true, (pass) => {
    const line = new ProgressLine("log");
    line.show(0);
    pass(249);
    line.show(0.1);
    pass(1);
    line.show(0.257);
    line.show(0.3);
    pass(250);
    line.show(0.5);
    line.end();
  });
  const blank = " ".repeat(60);
  assert.equal(lines, [
    ...["\rlog: 25 % read, 0.3 s ", "\rlog: 50 % read, 0.5 s "],
    `\r${blank}\r`,
  ]);
});

test("nothing is shown without a terminal, or in a short time", () => {
  const show = (pass: (ms: number) => void): void => {
    const line = new ProgressLine("log");
    pass(1000);
    line.show(0.5);
    line.end();
  };
  assert.equal(terminal(false, show), []);
  assert.equal(
    terminal(true, () => new ProgressLine("log").end()),
    [],
  );
});

test.run();
