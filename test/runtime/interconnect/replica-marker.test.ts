// How often a replica writes down how far it is.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readReplicaMarker } from "../../../runtime/interconnect/lineage.js";
import {
  type Context,
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

test.run();
