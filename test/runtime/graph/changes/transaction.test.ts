// Transactions over several graphs: all or nothing, for readers, the log, and after a death at any
// step of the commit. Views of one moment.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { runTransaction } from "../../../../runtime/graph/changes/transaction.js";
import { applyTransaction } from "../../../../runtime/graph/log/apply-transaction.js";
import { drainTransactions, type Joint } from "../../../../runtime/graph/log/drain-transactions.js";
import { recoverGraphs } from "../../../../runtime/graph/manager/recover-graphs.js";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";
import {
  CommitRing,
  createRingMemory,
  withJointTicket,
} from "../../../../runtime/graph/memory/commit-ring.js";
import { JOINT_STEPS } from "../../../../runtime/graph/memory/joint-commit.js";
import { Writer } from "../../../../runtime/graph/memory/writer.js";
import { ConstraintError } from "../../../../runtime/graph/model/errors.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context {
  clock: CommitClock;
  shop: GraphStore;
  stock: GraphStore;
}

const test = suite<Context>("transactions over several graphs");
const OTHER_THREAD = TEST_THREAD + 1;

function makeStore(name: string, clock: CommitClock): GraphStore {
  const log = { ring: createRingMemory(2 ** 16), clock: clock.buffer };
  const store = GraphStore.create(name, TEST_THREAD, { log });
  store.memory.log!.isOn = true;
  return store;
}

test.before.each((context) => {
  context.clock = new CommitClock();
  context.shop = makeStore("shop", context.clock);
  context.stock = makeStore("stock", context.clock);
});

test.after.each(({ shop, stock }) => {
  for (const store of [shop, stock]) checkStore(store);
});

function transact<T>(stores: readonly GraphStore[], run: (...graphs: Graph[]) => T): T {
  const graphs = stores.map(openStore);
  return runTransaction(
    stores.map((store) => ({ store, isLocal: false })),
    () => run(...graphs),
  );
}

/** Transactions in the rings, as lists of the graphs that belong together. */
function drain({ clock, shop, stock }: Context): { graphs: string[]; units: Uint32Array[] }[] {
  const commits: { graphs: string[]; units: Uint32Array[] }[] = [];
  const rings = [shop, stock].map(({ memory }, number) => {
    return { ring: new CommitRing(memory.log!.memory, clock), number };
  });
  const taken = drainTransactions(rings, clock, (words, offset, length, number, joint) => {
    if (joint.left === joint.transactions - 1) commits.push({ graphs: [], units: [] });
    commits.at(-1)!.graphs.push(["shop", "stock"][number]!);
    commits.at(-1)!.units.push(words.slice(offset, offset + length));
    return true;
  });
  taken.release();
  return commits;
}

test("changes are committed together, and logged as one joint", (context) => {
  const { shop, stock } = context;
  openStore(stock).createVertex("before");
  const result = transact([stock, shop], (inStock, inShop) => {
    inShop!.createVertex("order");
    inStock!.createVertex("lamp");
    inShop!.batch(() => inShop!.connect("order", "has", "lamp"));
    return 7;
  });
  assert.is(result, 7);
  openStore(shop).createVertex("after");
  const joints = drain(context);
  assert.equal(
    joints.map(({ graphs }) => [...graphs].sort()),
    [["stock"], ["shop", "stock"], ["shop"]],
  );
  const copies = [shop, stock].map(({ name }) => GraphStore.create(name, TEST_THREAD));
  for (const { graphs, units } of joints) {
    for (const [index, transaction] of units.entries()) {
      applyTransaction(copies[graphs[index] === "shop" ? 0 : 1]!, transaction, 0);
    }
  }
  assert.is(openStore(copies[0]!).degree("order"), 1);
  assert.is(openStore(copies[1]!).hasVertex("lamp"), true);
});

test("an error rolls all graphs back", (context) => {
  const { shop, stock } = context;
  const run = (end: () => unknown) => () =>
    transact([shop, stock], (inShop, inStock) => {
      inShop!.createVertex("order");
      inStock!.createVertex("lamp");
      return end();
    });
  assert.throws(
    run(() => {
      throw new Error("no");
    }),
    /no/,
  );
  assert.throws(
    run(() => Promise.resolve()),
    /must be synchronous/,
  );
  // An unhandled rejection would end the process.
  assert.throws(
    run(() => Promise.reject(new Error("nobody waits"))),
    /must be synchronous/,
  );
  openStore(stock).constrain({ type: "item", key: "price", required: true });
  drain(context);
  assert.throws(
    () =>
      transact([shop, stock], (inShop, inStock) => {
        inShop!.createVertex("order");
        inStock!.createVertex("lamp", "item");
      }),
    (error: Error) => error instanceof ConstraintError,
  );
  assert.equal([shop.order, stock.order], [0, 0]);
  assert.equal(drain(context), []);
  transact([shop, stock], (inShop) => inShop!.createVertex("order"));
  assert.equal([shop.order, stock.order], [1, 0]);
});

test("is rejected before anything is done", ({ shop, stock }) => {
  let isRun = false;
  const run = (): void => {
    isRun = true;
  };
  openStore(stock).setGraphReadonly();
  assert.throws(() => transact([shop, stock], run), /read-?only/i);
  openStore(stock).clearGraphReadonly();
  assert.throws(() => transact([], run), /at least one graph/);
  assert.throws(() => transact([shop, shop], run), /different graphs/);
  assert.throws(() => runTransaction([], null as never), /requires a function/);
  const mixed = [
    { store: shop, isLocal: true },
    { store: stock, isLocal: false },
  ];
  assert.throws(() => runTransaction(mixed, run), /cannot combine local graphs/);
  const nested = () => transact([shop], () => transact([stock], run));
  assert.throws(nested, /cannot begin within a batch/);
  assert.throws(() => openStore(shop).batch(() => transact([stock], run)), /cannot begin within/);
  assert.not(isRun);
});

test("refuses what cannot be rolled back, and names the transaction", (context) => {
  const { shop, stock } = context;
  const otherGraph = openStore(makeStore("other", context.clock));
  const isRefused = (change: (graph: Graph) => unknown, message: RegExp): void =>
    assert.throws(() => transact([stock, shop], (inStock) => change(inStock!)), message);
  isRefused(
    () => otherGraph.createVertex("a"),
    /transaction is limited to its graphs: add 'other'/,
  );
  isRefused((graph) => graph.newVertex("a"), /cannot open or close vertices in a transaction/);
  isRefused((graph) => graph.truncate(), /truncate is not allowed in a transaction/);
  assert.is(Writer.batchWriter, null);
  otherGraph.createVertex("a");
  assert.equal([shop.order, stock.order], [0, 0]);
});

test("a transaction too large for the log is rolled back", ({ shop, stock }) => {
  const text = "x".repeat(100_000);
  assert.throws(
    () =>
      transact([shop, stock], (inShop) => {
        for (let index = 0; index < 60; index++) {
          inShop!.createVertex(`v${index}`, { properties: { text: `${index}${text}` } });
        }
      }),
    /exceeds the (4|8) MiB log buffer/,
  );
  assert.is(shop.order, 0);
});

const LAST = JOINT_STEPS.length * 2;

for (let steps = 0; steps <= LAST; steps++) {
  test(`a death after step ${steps} of ${LAST} leaves all changes or none`, async (context) => {
    const { clock, shop, stock } = context;
    const survivors = [shop, stock].map(({ share }) => GraphStore.attach(share, OTHER_THREAD));
    const writers = [shop.writer, stock.writer];
    for (const writer of writers) writer.begin();
    openStore(shop).createVertex("order");
    openStore(stock).createVertex("lamp", { properties: { text: "some text" } });
    const turn = clock.nextTicket();
    clock.setPublishing(TEST_THREAD, true);
    withJointTicket(turn, () => {
      for (let step = 0; step < steps; step++) JOINT_STEPS[step >> 1]!(writers[step % 2]!);
    });
    const rings = survivors.map(({ memory }, number) => ({ ring: memory.log!, number }));
    const joints: Joint[] = [];
    drainTransactions(rings, clock, (_words, _at, _length, _number, joint) => {
      joints.push(joint);
      return true;
    });
    assert.is(joints.length, 0, "the log takes nothing of an unfinished joint");
    await recoverGraphs(survivors, TEST_THREAD);
    const isFinal = steps > 2;
    const expected = isFinal ? 1 : 0;
    assert.equal(
      survivors.map(({ order }) => order),
      [expected, expected],
    );
    assert.equal(
      drain(context).map(({ graphs }) => graphs.sort()),
      isFinal ? [["shop", "stock"]] : [],
    );
    for (const survivor of survivors) checkStore(survivor);
    const [inShop] = survivors.map(openStore);
    inShop!.createVertex("next");
    assert.is(drain(context).length, 1);
  });
}

/** The same graph, as another thread sees it. */
function openElsewhere(store: GraphStore): Graph {
  return openStore(GraphStore.attach(store.share, OTHER_THREAD));
}

test("a view reads one moment, and is repeated after a change", ({ shop }) => {
  const graph = openStore(shop);
  const writer = openElsewhere(shop);
  graph.createVertex("a");
  let attempts = 0;
  const observed = graph.view(() => {
    const before = graph.order;
    if (attempts++ === 0) writer.createVertex("b");
    return [before, graph.order];
  });
  assert.equal(observed, [2, 2]);
  assert.is(attempts, 2);
  assert.equal(
    graph.batch(() => graph.view(() => graph.createVertex("c"))),
    1,
  );
});

test("a view ends with an error where changes do not", ({ shop }) => {
  const graph = openStore(shop);
  const writer = openElsewhere(shop);
  let count = 0;
  const change = (): void => void writer.createVertex(`v${count++}`);
  assert.throws(() => graph.view(change, { timeout: 20 }), /changed during each of \d+ views/);
  assert.ok(count > 1);
  assert.throws(() => graph.view(change, { timeout: 0 }), /changed during the view/);
  assert.throws(() => graph.view(async () => 1), /must be synchronous/);
  assert.throws(() => graph.view(null as never), /requires a function/);
});

test("a view refuses changes of its own graph, also in a transaction", ({ shop, stock }) => {
  const [graph, stockGraph] = [openStore(shop), openStore(stock)];
  const isRefused = (change: () => unknown): void =>
    assert.throws(() => graph.view(change), /a view cannot change its graph/);
  isRefused(() => graph.createVertex("a"));
  isRefused(() => graph.view(() => 1) + graph.createVertex("a"));
  isRefused(() => graph.connect("a", "to", "b"));
  isRefused(() => graph.batch(() => graph.createVertex("a")));
  isRefused(() => graph.constrain({ type: "person", key: "email", unique: true }));
  assert.is(graph.order, 0);
  assert.is(
    graph.view(() => stockGraph.createVertex("a")),
    1,
  );
  assert.is(graph.createVertex("a"), 1);
});

test.run();
