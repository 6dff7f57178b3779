// Keys of requests: the first change of a request commits with its key, or not at all.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { runTransaction } from "../../../../runtime/graph/changes/transaction.js";
import type { GraphSource } from "../../../../runtime/graph/manager/graph-source.js";
import { installThreadGraphs } from "../../../../runtime/graph/manager/installed-graphs.js";
import { openRequestKey, type RequestKey } from "../../../../runtime/graph/manager/request-keys.js";
import {
  findThreadGraphs,
  ThreadGraphs,
  threadGraphs,
} from "../../../../runtime/graph/manager/thread-graphs.js";
import { Writer } from "../../../../runtime/graph/memory/writer.js";
import type { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import {
  begin,
  isFlushed,
  type LoggedFolder,
  makeFolder,
  removeFolder,
  request,
} from "../../interconnect/support/logged-folder.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

interface Context extends LoggedFolder {
  previousGraphs: ThreadGraphs | null;
  store: GraphStore;
  graph: Graph;
}

const RESPONSE = Uint8Array.of(1, 2, 3);
const test = suite<Context>("keys of requests");

test.before.each((context) => {
  makeFolder(context);
  context.previousGraphs = findThreadGraphs();
  const { interconnect } = begin(context);
  const open = ({ name, isLocal }: { name: string; isLocal: boolean }) =>
    interconnect.keep({ ...request(context.root, name), isLocal });
  const source = { open, find: () => null, names: () => [] } as unknown as GraphSource;
  installThreadGraphs(new ThreadGraphs(TEST_THREAD + 1, source));
  context.store = threadGraphs().open("shop").store;
  context.graph = openStore(context.store);
});

test.after.each(async (context) => {
  checkStore(context.store);
  checkStore(threadGraphs().requests(true)!.store);
  installThreadGraphs(context.previousGraphs);
  assert.is(Writer.commitWithRequest, null);
  await removeFolder(context);
});

function open(id: string, maxKeys?: number): RequestKey {
  return openRequestKey(id, "fingerprint", false, maxKeys)!;
}

/** Runs a request with a key. */
function runRequest(id: string, run: () => unknown, maxKeys?: number): void {
  const key = open(id, maxKeys);
  try {
    key.run(run);
  } finally {
    key.end(RESPONSE);
  }
}

test("a request has its key and its response once it has changed a graph", ({ graph }) => {
  const key = open("a");
  assert.is(key.find(), null);
  key.run(() => graph.createVertex("one"));
  assert.equal(key.find(), { fingerprint: "fingerprint", answer: null });
  key.run(() => graph.createVertex("two"));
  key.end(RESPONSE);
  key.end(Uint8Array.of(4));
  assert.equal(open("a").find(), { fingerprint: "fingerprint", answer: RESPONSE });
  runRequest("b", () => graph.hasVertex("one"));
  runRequest("c", () => graph.createVertex("one"));
  assert.equal([open("b").find(), open("c").find()], [null, null], "nothing has changed");
});

test("a request that fails before its change has no key", ({ graph }) => {
  const fail = (): void => {
    graph.batch(() => {
      graph.createVertex("one");
      throw new Error("failed");
    });
  };
  assert.throws(() => runRequest("a", fail), "failed");
  assert.is(open("a").find(), null);
  assert.is(graph.hasVertex("one"), false);
});

test("of two requests with a key that run at once, one changes something", ({ graph }) => {
  const [first, second] = [open("a"), open("a")];
  first.run(() => graph.createVertex("one"));
  assert.throws(() => second.run(() => graph.createVertex("other")), /another request/);
  assert.throws(() => second.run(() => graph.batch(() => graph.createVertex("other"))));
  first.end(RESPONSE);
  second.end(Uint8Array.of(4));
  assert.equal(open("a").find()?.answer, RESPONSE);
  assert.is(graph.order, 1);
});

test("changes after the end of a request have no key", ({ graph }) => {
  const key = open("a");
  const late = key.run(() => async () => {
    await Promise.resolve();
    graph.createVertex("one");
  });
  key.end(RESPONSE);
  const otherRequest = open("b");
  return otherRequest.run(late).then(() => {
    otherRequest.end(RESPONSE);
    assert.is(open("a").find(), null);
    assert.ok(open("b").find());
  });
});

test("concurrent asynchronous requests have their own keys", async ({ graph }) => {
  const keys = ["a", "b", "c"].map((id) => open(id));
  const runs = keys.map((key, index) =>
    key.run(async () => {
      for (let step = 0; step < index; step++) await Promise.resolve();
      if (index !== 1) graph.createVertex(`v${index}`);
      await Promise.resolve();
      key.end(Uint8Array.of(index));
    }),
  );
  await Promise.all(runs);
  assert.equal(
    keys.map((key) => key.find()?.answer),
    [Uint8Array.of(0), undefined, Uint8Array.of(2)],
  );
});

test("changes of local graphs are not covered, joint ones are", ({ graph, store }) => {
  const local = threadGraphs().open("mine", { local: true });
  runRequest("a", () => openStore(local.store).createVertex("one"));
  assert.is(open("a").find(), null);
  const stock = threadGraphs().open("stock");
  const both = [store, stock.store].map((each) => ({ store: each, isLocal: false }));
  runRequest("b", () =>
    runTransaction(both, () => {
      graph.createVertex("one");
      openStore(stock.store).createVertex("two");
    }),
  );
  assert.equal(open("b").find()?.answer, RESPONSE);
});

test("the number of keys is limited", ({ graph }) => {
  for (let index = 0; index < 8; index++)
    runRequest(`k${index}`, () => graph.createVertex(`v${index}`), 3);
  assert.is(threadGraphs().requests(true)!.store.order, 3);
  assert.ok(open("k7").find());
});

test("where graphs are read-only, keys are not used", ({ graph }) => {
  runRequest("a", () => graph.createVertex("one"));
  const { store } = threadGraphs().requests(true)!;
  store.setReadonlyBy(1, true);
  assert.is(openRequestKey("a", "fingerprint", true), null);
});

test("a thread without graphs opens no graph for keys", () => {
  const opened: string[] = [];
  const open = ({ name }: { name: string }): never => {
    opened.push(name);
    throw new Error("opened");
  };
  const previousGraphs = threadGraphs();
  const source = { open, find: () => null, names: () => [] } as unknown as GraphSource;
  installThreadGraphs(new ThreadGraphs(TEST_THREAD + 1, source));
  assert.is(openRequestKey("a", "fingerprint", false), null);
  assert.equal(opened, []);
  assert.throws(() => openRequestKey("a", "fingerprint", true), "opened");
  installThreadGraphs(previousGraphs);
});

test("a change and its response are in one frame of the log", async ({ graph, root, running }) => {
  const { clock } = running[0]!;
  const frames = (): number => {
    const folder = join(root, "_txlog");
    const names = readdirSync(folder).filter((name) => name.endsWith(".seg"));
    const bytes = readFileSync(join(folder, names[0]!), "latin1");
    return bytes.split("SVCF").length - 1;
  };
  runRequest("a", () => graph.createVertex("first"));
  assert.ok(await isFlushed(clock));
  const before = frames();
  const key = open("b");
  key.run(() => graph.createVertex("one"));
  // The log thread begins its flush, and waits for the answer.
  const flushed = isFlushed(clock);
  await new Promise(setImmediate);
  graph.createVertex("two");
  key.end(RESPONSE);
  assert.ok(await flushed);
  assert.is(frames(), before + 1);
});

test.run();
