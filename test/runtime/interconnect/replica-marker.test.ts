// How often a replica writes down how far it is.

import { mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readReplicaMarker } from "../../../runtime/interconnect/lineage.js";
import { captureLog } from "../dispatch/support/capture-log.js";
import {
  type Context,
  create,
  follow,
  frame,
  makeOffer,
  readMarker,
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
    await follow(c, makeOffer([graph]));
    const marked: unknown[] = [];
    for (const [sn, passed] of [0, 0, 1000, 1].entries()) {
      ms += passed;
      await c.replica.applyFrame(frame(sn + 1, change(`v${sn}`)));
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
    await follow(c, makeOffer([graph], { goal: 1 }));
    await c.replica.applyFrame(frame(1, change("a")));
    await new Promise(setImmediate);
    assert.ok(readReplicaMarker(c.root)?.isCaughtUp);
    const again = create(c);
    await again.accept(makeOffer([graph], { goal: 99 }));
    ms += 9_000;
    again.providerLost();
    const states = [9_999, 1].map((passed) => {
      ms += passed;
      return again.report().state;
    });
    assert.equal(states, ["waiting", "orphan"]);
  } finally {
    performance.now = now;
  }
});

test("keeps its position when its provider starts there", async (c) => {
  const { graph, change } = source(1);
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, change("a")));
  const { log } = c.replica.positions();
  await c.replica.accept(makeOffer([graph]));
  c.replica.startFrames({ sn: log!.sn, chain: log!.chain + 1 });
  assert.equal(c.replica.positions().log, log);
});

test("records the end of the snapshots at once", async (c) => {
  const { now } = performance;
  performance.now = () => 0;
  try {
    await c.replica.accept(makeOffer([source(1).graph]));
    c.replica.startFrames({ sn: 7, chain: 8 });
    await turn();
    assert.is(readMarker(c)?.log?.sn, 7);
  } finally {
    performance.now = now;
  }
});

test("is written on request only when it is behind", async (c) => {
  const { graph, change } = source(1);
  for (const begin of [async () => undefined, () => follow(c, makeOffer([graph]))]) {
    await begin();
    await turn();
    rmSync(join(c.root, "_replica.json"));
    c.replica.refreshMarker();
    assert.is(readMarker(c), undefined);
  }
  await c.replica.applyFrame(frame(1, change("a")));
  await turn();
  c.replica.refreshMarker();
  assert.is(readMarker(c)?.log?.sn, 1);
});

test("is reported once while it cannot be written, and again after it could", async (c) => {
  const { graph, change } = source(1);
  await follow(c, makeOffer([graph]));
  const obstacle = join(c.root, "_replica.json.tmp");
  const keep = () => captureLog(() => c.replica.refreshMarker()).length;
  const next = async (sn: number) => {
    await c.replica.applyFrame(frame(sn, change(`v${sn}`)));
    await turn();
  };
  await next(1);
  mkdirSync(obstacle);
  assert.equal([keep(), keep()], [1, 0]);
  rmSync(obstacle, { recursive: true });
  assert.equal([keep(), readMarker(c)?.log?.sn], [0, 1]);
  await next(2);
  renameSync(c.root, `${c.root}.gone`);
  assert.is(keep(), 1, "another reason");
  renameSync(`${c.root}.gone`, c.root);
  assert.equal([keep(), readMarker(c)?.log?.sn], [0, 2]);
  rmSync(join(c.root, "_replica.json"));
  assert.equal([keep(), readMarker(c)], [0, undefined]);
});

test.run();
