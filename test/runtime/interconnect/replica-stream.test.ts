// A replica that follows a stream, which may repeat transactions.

import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requireIdentity } from "../../../runtime/graph/manager/logging-entry-points.js";
import { encodeControlRecord } from "../../../runtime/interconnect/log/transactions.js";
import type { Offer } from "../../../runtime/interconnect/wire/positions.js";

import { describeFailure } from "./support/describe-failure.js";
import {
  type Context,
  drop,
  follow,
  frame,
  getCopy,
  graphNames,
  LOG,
  makeOffer,
  OTHER,
  open,
  source,
  withReplica,
} from "./support/fed-replica.js";

const test = suite<Context>("replica of a stream");
withReplica(test);

test("a stream may repeat changes, and graphs that were erased since", async (c) => {
  const [sourceA, two] = [source(1), source(2)];
  await c.replica.acceptFromStream(makeOffer([sourceA.graph, two.graph]), 0);
  const first = [...sourceA.change("a"), ...two.change("x")];
  // Its beginning is not known yet.
  assert.is(await describeFailure(c.replica.applyFrame(frame(4, first))), "none");
  assert.match(
    await describeFailure(c.replica.applyFrame(frame(9, first))),
    /missing transactions before 9/,
  );
  // Another graph of the name has taken its place.
  await c.replica.applyFrame(frame(6, [encodeControlRecord({ erased: 1 })]));
  const next = source(3, "g1");
  await c.replica.applyFrame(
    frame(7, [encodeControlRecord({ opened: next.graph }), ...next.change("n")]),
  );
  await c.replica.acceptFromStream(makeOffer([sourceA.graph, two.graph]), 3);
  assert.is(await describeFailure(c.replica.applyFrame(frame(4, first))), "none");
  assert.is(requireIdentity(getCopy(c, "g1")), next.graph.identity);
});

test("a stream changes its graphs, also ones that were closed and opened again", async (c) => {
  const { graph, change } = source(1);
  await c.replica.acceptFromStream(makeOffer([graph]), 0);
  const frames = [frame(1, change("a")), frame(2, change("b"))];
  for (const bytes of frames) await c.replica.applyFrame(bytes);
  assert.is(getCopy(c, "g1").operationCount, 2);
  drop(c.stores, "g1");
  open(c.stores, "g1", graph.identity);
  for (const bytes of frames) await c.replica.applyFrame(bytes);
  assert.is(getCopy(c, "g1").operationCount, 2);
});

test("keeps an unchanged graph that a stream does not offer", async (c) => {
  open(c.stores, "local");
  await c.replica.acceptFromStream(makeOffer([source(1).graph]), 0);
  assert.equal(graphNames(c), ["local"]);
});

test("erases graphs that a stream does not offer, unless the stream is older", async (c) => {
  const [first, two] = [source(1), source(2)];
  for (const [position, logId, names] of [
    [3, LOG, ["g1"]],
    [2, LOG, ["g1", "g2"]],
    [1, LOG, ["g1", "g2"]],
    [1, OTHER, ["g1"]],
  ] as const) {
    await follow(c, makeOffer([first.graph, two.graph]));
    await c.replica.applyFrame(
      frame(1, [...first.change(`a${position}${logId}`), ...two.change("x")]),
    );
    await turn();
    const keepsBoth = c.stores.size === 2;
    if (!keepsBoth) throw new Error(`${position} ${graphNames(c)}`);
    await c.replica.acceptFromStream(makeOffer([first.graph], { logId }), position);
    assert.equal(graphNames(c), names, `${position} ${logId}`);
    for (const name of graphNames(c)) drop(c.stores, name);
    Object.assign(first, source(1));
    Object.assign(two, source(2));
  }
});

test("follows the stream of another log only from its origin, or of a later epoch", async (c) => {
  const { graph, change } = source(1);
  const again = (more: Partial<Offer>) =>
    describeFailure(
      c.replica.acceptFromStream(makeOffer([graph], { logId: OTHER, origin: OTHER, ...more }), 0),
    );
  const refusal = "SVC2532: replication: local graphs came from another instance";
  assert.is(await again({}), "none", "nothing is here");
  await follow(c, makeOffer([graph]));
  assert.is(await again({}), "none", "no changes are here");
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, change("a")));
  const head = { ...graph, bytes: 1, count: 1 };
  assert.is(c.replica.needsSnapshot(head), false);
  assert.is(await again({}), refusal);
  assert.is(await again({ origin: LOG }), "none");
  await follow(c, makeOffer([graph]));
  assert.is(await again({ logId: LOG }), "none");
  assert.is(c.replica.needsSnapshot(head), false);
  assert.is(c.replica.needsSnapshot({ ...head, count: 2 }), true);
  assert.is(c.replica.needsSnapshot({ ...head, name: "unknown" }), true);
  assert.is(c.replica.needsSnapshot({ ...head, identity: OTHER, count: 9 }), false);
  await follow(c, makeOffer([graph]));
  assert.is(await again({ epoch: 3 }), "none");
  assert.is(c.replica.needsSnapshot(head), true);
});

test.run();
