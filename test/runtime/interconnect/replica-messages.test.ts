// A replica that applies, ignores or refuses single messages of a provider.

import { rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { JOINED_TRANSACTION } from "../../../runtime/graph/log/transaction-format.js";
import { requireIdentity } from "../../../runtime/graph/manager/logging-entry-points.js";
import { readReplicaInput } from "../../../runtime/graph/store/input-serial.js";
import { writeReplicaMarker } from "../../../runtime/interconnect/lineage.js";
import {
  decodeFrameHeader,
  FRAME_HEADER_BYTES,
} from "../../../runtime/interconnect/log/segment-format.js";
import { encodeControlRecord } from "../../../runtime/interconnect/log/transactions.js";

import { describeFailure } from "./support/describe-failure.js";
import {
  type Context,
  create,
  follow,
  frame,
  getCopy,
  graphNames,
  LOG,
  makeOffer,
  OTHER,
  open,
  readMarker,
  source,
  thrownBy,
  withReplica,
} from "./support/fed-replica.js";

const test = suite<Context>("messages to a replica");
withReplica(test);

test("a folder without graphs becomes a replica's, one with changed graphs does not", async (c) => {
  const nothing = { log: null, origin: null, epoch: 2 };
  const { member, ...positions } = c.replica.positions();
  assert.equal(positions, { ...nothing, graphs: [], diverged: [] });
  const state = { isCaughtUp: false, isFetching: false };
  assert.equal(readMarker(c), { ...nothing, ancestors: [], ...state });
  assert.equal([member, c.replica.epoch, c.replica.origin], [null, 2, null]);
  rmSync(join(c.root, "_replica.json"));
  open(c.stores, "empty");
  create(c);
  assert.ok(readMarker(c), "an empty graph is no obstacle");
  const { graph, change } = source(1);
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, change("a")));
  rmSync(join(c.root, "_replica.json"));
  const refusal = thrownBy(() => create(c));
  assert.match(refusal, /^SVC2534: replication: graph "g1" in .* did not come from a provider/);
});

test("a start is refused before any offer, and once the provider has gone", async (c) => {
  const start = (): void => c.replica.startFrames({ sn: 0, chain: 0 });
  const text = "SVC2531: replication: a start before any offer";
  assert.is(thrownBy(start), text);
  await c.replica.accept(makeOffer([]));
  start();
  c.replica.providerLost();
  assert.is(thrownBy(start), text);
});

test("continues at the position of its marker", (c) => {
  const log = { id: LOG, sn: 7, chain: 8 };
  const state = { isCaughtUp: true, isFetching: true };
  const ancestors = [{ id: OTHER, sn: 1, chain: 1 }];
  for (const epoch of [1, 5]) {
    writeReplicaMarker(c.root, { log, origin: OTHER, epoch, ancestors, ...state });
    const replica = create(c);
    const { member, ...positions } = replica.positions();
    const latest = Math.max(2, epoch);
    assert.equal(positions, { log, origin: OTHER, epoch: latest, graphs: [], diverged: [] });
    assert.equal([member, replica.origin, replica.epoch], [null, OTHER, latest]);
    assert.equal([replica.durableSn, replica.appliedSn], [null, null]);
    replica.writeMarker();
    assert.equal(readMarker(c), { log, origin: OTHER, epoch: latest, ancestors, ...state });
  }
});

test("remembers the highest epoch that it meets", (c) => {
  rmSync(join(c.root, "_replica.json"));
  for (const epoch of [1, 2]) c.replica.rejectEpochsBelow(epoch);
  assert.equal([c.replica.epoch, readMarker(c)], [2, undefined]);
  c.replica.rejectEpochsBelow(3);
  assert.equal([c.replica.epoch, readMarker(c)?.epoch], [3, 3]);
});

test("reports its graphs with changes, and applies each change once", async (c) => {
  const [first, two] = [source(1), source(2)];
  await follow(c, makeOffer([first.graph, two.graph]));
  const units = [...first.change("a", "b"), ...two.change("x")];
  const { header, records } = await c.replica.applyFrame(frame(1, units));
  assert.equal([header.sn, records], [1, first.store.operationCount + two.store.operationCount]);
  const count = getCopy(c, "g1").operationCount;
  assert.is(count, first.store.operationCount);
  const serial = readReplicaInput(getCopy(c, "g1"));
  await c.replica.applyFrame(frame(1, units));
  assert.equal(
    [getCopy(c, "g1").operationCount, readReplicaInput(getCopy(c, "g1"))],
    [count, serial],
  );
  open(c.stores, "unchanged");
  assert.equal(
    c.replica.positions().graphs.map(({ identity }) => identity),
    [first.graph.identity, two.graph.identity],
  );
});

test("gives several graphs of one change one turn, and drains only before it", async (c) => {
  const [sourceA, two] = [source(1), source(2)];
  await follow(c, makeOffer([sourceA.graph, two.graph]));
  const [first, joint, last] = [
    sourceA.change("a")[0]!,
    sourceA.change("b")[0]!,
    two.change("x")[0]!,
  ];
  joint[0] = (joint[0]! & ~0xff) | JOINED_TRANSACTION;
  c.calls.length = 0;
  await c.replica.applyFrame(frame(1, [first, joint, last, ...sourceA.change("c")]));
  assert.equal(
    c.calls.filter((call) => call !== "readiness"),
    ["drain", "drain", "turn", "drain"],
  );
});

test("rejects data that is not the next frame", async (c) => {
  const { graph, change } = source(1);
  const units = change("a");
  const bytes = frame(1, units);
  const take = (frame: Buffer) => describeFailure(c.replica.applyFrame(frame));
  await c.replica.accept(makeOffer([graph]));
  assert.match(await take(bytes), /missing transactions before 1$/, "no start yet");
  c.replica.startFrames({ sn: 4, chain: 0 });
  assert.match(await take(frame(6, units)), /missing transactions before 6$/);
  const corrupt = "SVC2531: replication: corrupt frame";
  assert.is(await take(frame(5, units, { isTable: true })), corrupt);
  for (const offset of [0, FRAME_HEADER_BYTES]) {
    const invalidBytes = frame(5, units);
    invalidBytes[offset]! ^= 1;
    assert.is(await take(invalidBytes), corrupt);
  }
  assert.is(getCopy(c, "g1"), undefined);
  assert.is(await take(frame(5, units)), "none");
  assert.is(c.replica.appliedSn, 5);
});

test("names the graph of a frame that cannot be applied", async (c) => {
  const { graph, change } = source(1);
  await follow(c, makeOffer([graph]));
  change("a");
  const text = await describeFailure(c.replica.applyFrame(frame(1, change("b"))));
  assert.match(text, /^SVC2532: graph "g1" cannot follow: /);
});

test("opens graphs as its provider does, and ignores previous ones", async (c) => {
  const [first, late, removedSource] = [source(1), source(3), source(2)];
  await follow(c, makeOffer([first.graph], { lastNumber: 2 }));
  const take = (sn: number, ...units: readonly Uint32Array[]) =>
    describeFailure(c.replica.applyFrame(frame(sn, units)));
  const control = (record: unknown) => encodeControlRecord(record);
  const units = late.change("a");
  assert.match(await take(1, ...units), /changes of unannounced graph 3/);
  // Erased before the offer was made.
  assert.is(
    await take(1, control({ opened: removedSource.graph }), ...removedSource.change("a")),
    "none",
  );
  assert.is(getCopy(c, "g2"), undefined);
  assert.match(await take(3, control({ opened: { number: 4 } })), /invalid graph/);
  for (const record of [null, {}, { erased: "1" }])
    assert.is(await take(3, control(record)), "none");
  assert.is(await take(3, control({ opened: late.graph }), ...units), "none");
  assert.is(getCopy(c, "g3").operationCount, 1);
  // Now 3 is the last number.
  assert.is(await take(5, ...removedSource.change("b")), "none");
  assert.match(await take(6, ...source(4).change("a")), /changes of unannounced graph 4/);
});

test("removes a graph with its files when the provider erases it", async (c) => {
  const [first, two] = [source(1), source(2)];
  await follow(c, makeOffer([first.graph, two.graph]));
  await c.replica.applyFrame(frame(1, [...first.change("a"), ...two.change("a")]));
  c.calls.length = 0;
  await c.replica.applyFrame(frame(3, [encodeControlRecord({ erased: 1 })]));
  assert.equal([c.calls, graphNames(c)], [["remove g1 true"], ["g2"]]);
  // Nothing of it is left, and another graph of the name is another graph.
  const next = source(3, "g1");
  const units = next.change("b");
  await c.replica.applyFrame(frame(4, [encodeControlRecord({ opened: next.graph }), ...units]));
  assert.is(requireIdentity(getCopy(c, "g1")), next.graph.identity);
  await c.replica.accept(makeOffer([two.graph], { erased: [next.graph.identity] }));
  assert.equal([c.calls.at(-2), graphNames(c)], ["remove g1 true", ["g2"]]);
});

test("replaces graphs that a plugin has opened before, unless they were changed", async (c) => {
  const [first, two, three] = [source(1), source(2), source(3)];
  for (const name of ["g1", "g3"]) open(c.stores, name);
  await follow(c, makeOffer([first.graph, two.graph]));
  assert.equal([c.calls[0], graphNames(c)], ["remove g1 true", ["g1", "g3"]]);
  assert.is(requireIdentity(getCopy(c, "g1")), first.graph.identity);
  // Opened with the provider's identity, as after a restart.
  c.calls.length = 0;
  await c.replica.accept(makeOffer([first.graph, two.graph]));
  assert.not.ok(c.calls.some((call) => call.startsWith("remove")));
  c.replica.startFrames({ sn: 0, chain: 0 });
  await c.replica.applyFrame(
    frame(1, [...first.change("a"), encodeControlRecord({ opened: three.graph })]),
  );
  assert.is(requireIdentity(getCopy(c, "g3")), three.graph.identity);
  const otherSource = source(1);
  await follow(c, makeOffer([otherSource.graph]));
  assert.is(requireIdentity(getCopy(c, "g1")), first.graph.identity);
  const text = await describeFailure(c.replica.applyFrame(frame(1, otherSource.change("a"))));
  assert.is(text, 'SVC2532: local graph "g1" did not come from the provider');
});

test("accepts nothing once it is retired", async (c) => {
  const { graph, change } = source(1);
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, change("a")));
  await c.replica.retire();
  assert.equal(readMarker(c)?.log, c.replica.positions().log);
  rmSync(join(c.root, "_replica.json"));
  c.replica.writeMarker();
  assert.is(readMarker(c), undefined);
  const refusal = "SVC2531: replication: this instance is now a provider";
  assert.is(await describeFailure(c.replica.applyFrame(frame(2, change("b")))), refusal);
  assert.is(getCopy(c, "g1").operationCount, 1);
});

test("settles only durable transactions while no more arrive", async (c) => {
  const { graph, change } = source(1);
  const flushes: ((isSafe: boolean) => void)[] = [];
  Object.assign(c.graphs, {
    flushed: () => new Promise<boolean>((resolve) => flushes.push(resolve)),
  });
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, change("a")));
  const settle = async (isSafe: boolean, meanwhile: () => Promise<unknown>) => {
    const settled = c.replica.settle();
    await meanwhile();
    flushes.pop()!(isSafe);
    await settled;
    return c.replica.durableSn;
  };
  assert.is(await settle(false, turn), null);
  assert.is(await settle(true, () => c.replica.applyFrame(frame(2, change("b")))), null);
  assert.is(await settle(true, turn), 2);
  assert.is(readMarker(c)?.log?.sn, 2);
});

test("compares each graph with its provider's once it reached the same count", async (c) => {
  const [sourceA, two] = [source(1), source(2)];
  await follow(c, makeOffer([sourceA.graph, two.graph]));
  const units = [...sourceA.change("a", "b"), ...two.change("x")];
  const [first, ...rest] = units as [Uint32Array, ...Uint32Array[]];
  await c.replica.applyFrame(frame(1, [first]));
  const positionsAt = (count: number, digest: string | null, { graph } = sourceA) => [
    { identity: graph.identity, count, digest },
  ];
  const compare = (positions: ReturnType<typeof positionsAt>) =>
    thrownBy(() => c.replica.compareDigests(positions));
  // Not known, behind, or not there.
  assert.is(compare(positionsAt(1, null)), "none");
  assert.is(compare(positionsAt(0, OTHER)), "none");
  assert.is(compare(positionsAt(1, OTHER, two)), "none");
  assert.is(compare([{ identity: OTHER, count: 1, digest: OTHER }]), "none");
  const { digest } = c.replica.positions().graphs[0]!;
  assert.is(compare(positionsAt(1, digest)), "none");
  assert.equal(c.replica.report().state, "catching-up");
  c.calls.length = 0;
  assert.is(compare(positionsAt(2, OTHER)), "none", "later");
  const text = await describeFailure(c.replica.applyFrame(frame(2, rest)));
  assert.match(text, /^SVC3200: replication: graph "g1" has diverged from the provider after 2/);
  assert.equal(
    [c.replica.report().state, c.replica.positions().diverged],
    ["diverged", [sourceA.graph.identity]],
  );
  assert.ok(c.calls.includes("readiness"));
  assert.is(getCopy(c, "g2"), undefined, "what follows comes again");
  // Forgotten with a new connection.
  assert.is(compare(positionsAt(9, OTHER)), "none");
  await follow(c, makeOffer([sourceA.graph, two.graph]));
  assert.is(await describeFailure(c.replica.applyFrame(frame(1, units))), "none");
  assert.match(compare(positionsAt(2, OTHER)), /^SVC3200/);
});

test("reports its provider's view of it", async (c) => {
  const { graph, change } = source(1);
  await c.replica.accept(makeOffer([graph], { goal: 1 }));
  assert.is(c.replica.report().state, "fetching");
  c.replica.startFrames({ sn: 0, chain: 0 });
  await turn();
  assert.is(c.replica.report().state, "catching-up");
  c.calls.length = 0;
  await c.replica.applyFrame(frame(1, change("a")));
  await turn();
  assert.equal([c.replica.report().state, readMarker(c)?.isCaughtUp], ["caught-up", true]);
  assert.ok(c.calls.includes("readiness"));
  c.calls.length = 0;
  c.replica.providerRejected();
  assert.equal([c.replica.report().state, c.calls], ["diverged", ["readiness"]]);
  await c.replica.accept(makeOffer([graph], { goal: null }));
  assert.ok(c.replica.report().state !== "diverged");
  c.replica.providerLost();
  assert.equal(c.replica.report().state, "orphan");
});

test("has caught up when a goal that it has reached is announced", async (c) => {
  const { graph, change } = source(1);
  await c.replica.accept(makeOffer([graph]));
  c.replica.adoptGoal(null);
  c.replica.startFrames({ sn: 0, chain: 0 });
  await c.replica.applyFrame(frame(1, change("a")));
  await turn();
  assert.is(c.replica.report().state, "catching-up");
  c.replica.adoptGoal(1);
  assert.equal([c.replica.report().state, readMarker(c)?.isCaughtUp], ["caught-up", true]);
});

test("continues its position in the same log only", async (c) => {
  const { graph, change } = source(1);
  const ancestors = [{ id: OTHER, sn: 1, chain: 1 }];
  await follow(c, makeOffer([graph], { ancestors, origin: OTHER }));
  const bytes = frame(1, change("a"));
  await c.replica.applyFrame(bytes);
  await turn();
  const position = { id: LOG, sn: 1, chain: decodeFrameHeader(bytes)!.headerCrc };
  const both = () => [c.replica.positions().log, readMarker(c)?.log, c.replica.durableSn];
  await c.replica.accept(makeOffer([graph], { ancestors, origin: OTHER }));
  assert.equal(both(), [position, position, null]);
  assert.equal([readMarker(c)?.origin, readMarker(c)?.ancestors], [OTHER, ancestors]);
  await c.replica.accept(makeOffer([graph], { logId: OTHER }));
  const start = { id: OTHER, sn: 0, chain: 0 };
  assert.equal(both(), [start, start, null]);
  assert.equal([readMarker(c)?.origin, readMarker(c)?.ancestors], [LOG, []]);
});

test.run();
