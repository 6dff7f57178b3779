// Algorithms in slices: results, progress, abortion, and written properties.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Graph } from "../../../../runtime/graph/api/graph.js";
import { D_IN, M_FLT } from "../../../../runtime/graph/model/constants.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { Random } from "../../../property/support/random.js";
import { checkStore } from "../support/check-store.js";
import { openStore, TEST_THREAD } from "../support/make-graph.js";

const test = suite<{ store: GraphStore; graph: Graph }>("algorithms in slices");
const VERTICES = 3000;

test.before.each((context) => {
  const random = new Random(7);
  context.store = GraphStore.create("test", TEST_THREAD);
  context.graph = openStore(context.store);
  for (let index = 0; index < VERTICES; index++) context.graph.createVertex(`v${index}`, "page");
  for (let arc = 0; arc < 3 * VERTICES; arc++) {
    const [from, to] = [random.below(VERTICES), random.below(VERTICES / 2)];
    context.graph.connect(`v${from}`, ["to", M_FLT, 1 + random.below(5)], `v${to}`);
  }
});

test.after.each(({ store }) => checkStore(store));

test("return what the blocking methods do", async ({ graph }) => {
  const options = { arc: "to", weighted: true, hits: 20 };
  assert.equal(await graph.pageRankAsync(options), graph.pageRank(options));
  assert.equal(await graph.componentsAsync({ arc: "to" }), graph.components({ arc: "to" }));
});

test("yield to other work, and report progress", async ({ graph }) => {
  const shares: number[] = [];
  let turns = 0;
  let isOver = false;
  const count = (): void => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const onProgress = (share: number): void => void shares.push(share);
  await graph.pageRankAsync({ rounds: 3000, onProgress });
  isOver = true;
  assert.ok(turns > 3, `${turns} turns`);
  assert.ok(shares.length > 3);
  for (const [index, share] of shares.entries()) {
    assert.ok(share >= (shares[index - 1] ?? 0) && share <= 1, `${share}`);
  }
});

test("write a number to each real vertex", async ({ graph }) => {
  graph.connect("v0", "to", "virtual");
  await graph.pageRankAsync({ write: "rank" });
  const ranks = graph.pageRank({ hits: -1 });
  for (const { id, score } of ranks) {
    const expected = id === "virtual" ? null : score;
    assert.is(graph.getVertex(id).getProperty("rank"), expected, id);
  }
  const groups = await graph.componentsAsync({ arc: "to", write: "group" });
  for (const [number, ids] of groups.entries()) {
    for (const id of ids) {
      if (id !== "virtual") assert.is(graph.getVertex(id).getProperty("group"), number);
    }
  }
});

test("skip vertices that are removed meanwhile, and wait for locked ones", async (context) => {
  const { graph, store } = context;
  const otherGraph = openStore(store);
  const locked = otherGraph.openVertex("v7");
  let isChanged = false;
  const onProgress = (share: number): void => {
    // Before, vertices may still be read.
    if (isChanged || share < 0.5) return;
    isChanged = true;
    graph.deleteVertex("v8");
    graph.disconnect("v8", D_IN);
    graph.createVertex("new");
    setTimeout(() => locked.close(), 30);
  };
  await graph.pageRankAsync({ write: "rank", rounds: 500, onProgress });
  assert.ok((graph.getVertex("v7").getProperty("rank") as number) > 0);
  assert.is(graph.getVertex("new").getProperty("rank"), null);
});

test("end with the reason of a signal, at the time limit, and when the graph is read-only", async ({
  graph,
}) => {
  const rejects = async (run: () => Promise<unknown>, message: RegExp): Promise<void> => {
    let thrown: unknown = null;
    await run().catch((error: unknown) => {
      thrown = error;
    });
    assert.match(String(thrown), message);
  };
  const controller = new AbortController();
  const onProgress = (): void => controller.abort(new Error("enough"));
  const { signal } = controller;
  await rejects(() => graph.pageRankAsync({ rounds: 10_000, onProgress, signal }), /enough/);
  await rejects(() => graph.pageRankAsync({ rounds: 10_000, timeout: 20, limexec: true }), /20 ms/);
  const thrower = (): void => {
    throw new Error("no progress");
  };
  const otherSignal = new AbortController().signal;
  await rejects(
    () => graph.pageRankAsync({ rounds: 10_000, onProgress: thrower, signal: otherSignal }),
    /no progress/,
  );
  await rejects(() => graph.pageRankAsync({ onProgress: 5 as never }), /onProgress is 5; expected/);
  await rejects(() => graph.pageRankAsync({ signal: {} as never }), /signal is \{\}; expected/);
  await rejects(() => graph.pageRankAsync({ write: "1" }), /invalid property key/);
  await rejects(() => graph.pageRankAsync({ writes: "a" } as never), /'writes'/);
  graph.setGraphReadonly();
  await rejects(() => graph.pageRankAsync({ write: "rank" }), /read-?only/i);
  graph.clearGraphReadonly();
});

test.run();
