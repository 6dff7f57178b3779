// How often a replica writes down how far it is.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readReplicaMarker } from "../../../runtime/interconnect/lineage.js";
import {
  type Context,
  create,
  follow,
  frame,
  offerOf,
  source,
  withReplica,
} from "./support/fed-replica.js";

const test = suite<Context>("marker of a replica");

withReplica(test);

test("is written once a second at most while changes come", async (c) => {
  const { now } = performance;
  let ms = 0;
  performance.now = () => ms;
  try {
    const { graph, change } = source(1);
    await follow(c, offerOf([graph]));
    const marked: unknown[] = [];
    for (const [sn, passed] of [0, 0, 1000, 1].entries()) {
      ms += passed;
      await c.replica.take(frame(sn + 1, change(`v${sn}`)));
      await new Promise(setImmediate);
      marked.push(readReplicaMarker(c.root)?.log?.sn);
    }
    assert.is(c.replica.durableSn, 4);
    const [first] = marked as [number];
    assert.equal(marked, [first, first, first, 4]);
    assert.ok(first < 2);
  } finally {
    performance.now = now;
  }
});

test("lets a replica serve 10 s after its provider has gone", async (c) => {
  const { now } = performance;
  let ms = 0;
  performance.now = () => ms;
  try {
    const { graph, change } = source(1);
    await follow(c, offerOf([graph], { goal: 1 }));
    await c.replica.take(frame(1, change("a")));
    await new Promise(setImmediate);
    assert.ok(readReplicaMarker(c.root)?.isCaughtUp);
    const again = create(c);
    await again.accept(offerOf([graph], { goal: 99 }));
    ms += 9_000;
    again.lose();
    const states = [9_999, 1].map((passed) => {
      ms += passed;
      return again.report().state;
    });
    assert.equal(states, ["waiting", "orphan"]);
  } finally {
    performance.now = now;
  }
});

test("keeps the position that it has when its provider starts there", async (c) => {
  const { graph, change } = source(1);
  await follow(c, offerOf([graph]));
  await c.replica.take(frame(1, change("a")));
  const { log } = c.replica.positions();
  await c.replica.accept(offerOf([graph]));
  c.replica.start({ sn: log!.sn, chain: log!.chain + 1 });
  assert.equal(c.replica.positions().log, log);
});

test.run();
