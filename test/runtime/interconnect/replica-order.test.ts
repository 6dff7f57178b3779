// Messages of a provider that meet other events: graphs erased and created again, connections that
// begin again, promotion; and transactions over several graphs.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { JOINED_TRANSACTION } from "../../../runtime/graph/log/transaction-format.js";
import { requireIdentity } from "../../../runtime/graph/manager/logging-entry-points.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { encodeControlRecord } from "../../../runtime/interconnect/log/transactions.js";
import { takeUnits } from "../graph/support/logged-graph.js";
import { TEST_THREAD } from "../graph/support/make-graph.js";
import { describeFailure } from "./support/describe-failure.js";
import {
  type Context,
  follow,
  frame,
  getCopy,
  graphNames,
  makeOffer,
  OTHER,
  open,
  source,
  thrownBy,
  withReplica,
} from "./support/fed-replica.js";

const test = suite<Context>("order of messages to a replica");
withReplica(test);

const REFUSAL = "SVC2531: replication: this instance is now a provider";

test("waits for a provider after its start", (c) => {
  assert.equal(c.replica.report(), { state: "waiting", done: 0, of: 0 });
});

test("ignores repeated changes of a graph erased since", async (c) => {
  const [first, late] = [source(1), source(3)];
  await follow(c, makeOffer([first.graph]));
  const opened = frame(1, [encodeControlRecord({ opened: late.graph }), ...late.change("a")]);
  const erased = frame(3, [encodeControlRecord({ erased: 3 })]);
  for (const bytes of [opened, erased]) await c.replica.applyFrame(bytes);
  assert.is(await describeFailure(c.replica.applyFrame(frame(3, late.change("b")))), "none");
  assert.equal(graphNames(c), []);
  // Also that it was opened.
  const openBytes = frame(4, [
    encodeControlRecord({ opened: source(2).graph }),
    ...first.change("a"),
  ]);
  assert.is(await describeFailure(c.replica.applyFrame(openBytes)), "none");
  assert.equal(graphNames(c), ["g1"]);
  assert.is(await describeFailure(c.replica.applyFrame(frame(4, late.change("c")))), "none");
});

test("erases a graph that did not change since the connection began again", async (c) => {
  const { graph, change } = source(1);
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, change("a")));
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, [encodeControlRecord({ erased: 1 })]));
  assert.equal(graphNames(c), []);
});

test("a promoted instance erases nothing that its former provider erases", async (c) => {
  const { graph, change } = source(1);
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, change("a")));
  await c.replica.retire();
  const erased = frame(2, [encodeControlRecord({ erased: 1 })]);
  assert.is(await describeFailure(c.replica.applyFrame(erased)), REFUSAL);
  assert.equal(graphNames(c), ["g1"]);
});

test("a promotion stops a frame between a graph that it erases and its changes", async (c) => {
  const [first, two] = [source(1), source(2)];
  await follow(c, makeOffer([first.graph, two.graph]));
  await c.replica.applyFrame(frame(1, [...first.change("a"), ...two.change("a")]));
  const { remove } = c.graphs;
  c.graphs.remove = async (name, isErased) => {
    await c.replica.retire();
    await remove(name, isErased);
  };
  const mixed = frame(3, [encodeControlRecord({ erased: 1 }), ...two.change("b")]);
  assert.is(await describeFailure(c.replica.applyFrame(mixed)), REFUSAL);
  assert.is(getCopy(c, "g2").operationCount, 1);
});

test("digests of a provider are forgotten with its connection", async (c) => {
  const { graph, change } = source(1);
  const { identity } = graph;
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, change("a")));
  c.replica.compareDigests([{ identity, count: 2, digest: OTHER }]);
  await follow(c, makeOffer([graph]));
  assert.is(await describeFailure(c.replica.applyFrame(frame(1, change("b")))), "none");
});

test("compares no digest of a past state, or one without its own digest", async (c) => {
  const [first, two] = [source(1), source(2)];
  c.stores.set("g2", GraphStore.create("g2", TEST_THREAD, { identity: two.graph.identity }));
  await follow(c, makeOffer([first.graph, two.graph]));
  await c.replica.applyFrame(frame(1, [...first.change("a"), ...two.change("x")]));
  const compare = (identity: string, count: number) =>
    thrownBy(() => c.replica.compareDigests([{ identity, count, digest: OTHER }]));
  assert.is(compare(two.graph.identity, 1), "none");
  assert.is(compare(first.graph.identity, 2), "none");
  assert.is(await describeFailure(c.replica.applyFrame(frame(3, two.change("y")))), "none");
  assert.is(
    await describeFailure(c.replica.applyFrame(frame(4, first.changeAtOnce("b", "c")))),
    "none",
  );
  assert.is(getCopy(c, "g1").operationCount, 3);
});

test("opens each graph once, and only one of the provider's", async (c) => {
  const [first, two] = [source(1), source(2)];
  const opened: string[] = [];
  const { open } = c.graphs;
  c.graphs.open = (graph) => {
    opened.push(graph.name);
    return graph.name === "g1" ? open(graph) : (undefined as never);
  };
  await follow(c, makeOffer([first.graph, two.graph]));
  for (const sn of [1, 2]) await c.replica.applyFrame(frame(sn, first.change(`v${sn}`)));
  assert.equal(opened, ["g1"]);
  const text = await describeFailure(c.replica.applyFrame(frame(3, two.change("a"))));
  assert.is(text, 'SVC2532: local graph "g2" did not come from the provider');
});

test("an opened graph takes the place of one that a plugin has opened since", async (c) => {
  const { graph, change } = source(1);
  await follow(c, makeOffer([graph]));
  open(c.stores, "g1");
  const opened = encodeControlRecord({ opened: graph });
  await c.replica.applyFrame(frame(1, [opened]));
  assert.is(requireIdentity(getCopy(c, "g1")), graph.identity);
  c.calls.length = 0;
  await c.replica.applyFrame(frame(2, [opened, ...change("a")]));
  assert.not.ok(
    c.calls.some((call) => call.startsWith("remove")),
    "it is the same",
  );
});

test("logs a transaction over several graphs as one", async (c) => {
  const [first, two] = [source(1), source(2)];
  await follow(c, makeOffer([first.graph, two.graph]));
  await c.replica.applyFrame(frame(1, [...first.change("a"), ...two.change("x")]));
  const copies = ["g1", "g2"].map((name) => getCopy(c, name));
  for (const { memory } of copies) memory.log!.isOn = true;
  const tickets: number[] = [];
  c.graphs.nextTicket = () => {
    tickets.push(...copies.map(({ memory }) => memory.log!.clock.nextTicket()));
    return tickets[0]!;
  };
  const [joint] = first.change("b") as [Uint32Array];
  joint[0] = (joint[0]! & ~0xff) | JOINED_TRANSACTION;
  await c.replica.applyFrame(frame(3, [joint, ...two.change("y"), ...first.change("c")]));
  const [ofOne, ofTwo] = copies.map((copy) => takeUnits(copy).map(([, , , turn]) => turn));
  const [turn] = tickets;
  assert.equal([ofOne![0], ofTwo], [turn, [turn]]);
  assert.is.not(ofOne![1], turn);
});

test.run();
