// The plan for a subscriber with given positions: the graphs that it gets as snapshots, and
// subscribers that are refused.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { removeEverywhere } from "../../../runtime/graph/manager/track-graph.js";
import type { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import {
  type CatchUpPlan,
  planCatchUp,
  type StartingPoint,
} from "../../../runtime/interconnect/catch-up-plan.js";
import { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { replicationPosition } from "../../../runtime/interconnect/replication-position.js";
import type { Position, Positions } from "../../../runtime/interconnect/wire/positions.js";
import { loggedStore } from "../graph/support/logged-graph.js";
import { openStore } from "../graph/support/make-graph.js";
import { SimulatedDisk } from "./support/simulated-disk.js";

const test = suite("planned catch-up");

const [OTHER, THIRD] = ["e".repeat(32), "f".repeat(32)];
const ROOT: StartingPoint = { isRoot: true, log: null, ancestors: [], isCaughtUp: true };
const EMPTY: Positions = { log: null, origin: null, epoch: 1, graphs: [], diverged: [] };

/** A log with the graphs `whole`, of which it has everything, and `late`, of which it has not. */
function provider() {
  const channel = new LogChannel(new SimulatedDisk(), "/log");
  const [wholeStore, lateStore] = [loggedStore(), loggedStore()];
  lateStore.memory.log!.isOn = false;
  change(lateStore, 2);
  lateStore.memory.log!.isOn = true;
  for (const store of [wholeStore, lateStore]) channel.open(store, "path");
  const write = (store: GraphStore, changes: number): void => {
    change(store, changes);
    channel.write(store.memory.log!.clock);
    channel.log.flushNow();
    channel.release();
  };
  write(wholeStore, 3);
  write(lateStore, 1);
  const plan = (positions: Partial<Positions>, repair: "all" | "different" | null = null) =>
    planCatchUp(channel, { ...EMPTY, ...positions }, ROOT, repair);
  return {
    channel,
    whole: wholeStore,
    late: lateStore,
    write,
    plan,
    ids: [wholeStore, lateStore].map(readIdentity),
  };
}

function change(store: GraphStore, times: number): void {
  const graph = openStore(store);
  for (let remaining = times; remaining > 0; remaining--) graph.createVertex(`${graph.order}`);
}

function readIdentity(store: GraphStore): string {
  return replicationPosition(store).identity;
}

/** Returns the numbers of the graphs that are sent as snapshots. */
function snapshots(plan: CatchUpPlan | string): readonly number[] | string {
  return typeof plan === "string" ? plan : plan.snapshots.map(({ number }) => number);
}

/** The log, and where the subscriber is in it. */
function placeIn({ log }: LogChannel) {
  return { id: log.logId, sn: log.last, chain: log.chain };
}

test("offers all graphs, and sends snapshots of graphs that the log does not cover", () => {
  const { channel, late, plan, ids } = provider();
  const first = plan({}) as CatchUpPlan;
  const { graphs, ...rest } = first.offer;
  assert.equal(
    graphs.map(({ number, identity, path }) => [number, identity, path]),
    ids.map((id, index) => [index + 1, id, "path"]),
  );
  const { logId, epoch, last } = channel.log;
  assert.equal(rest, {
    ...{ logId, isRoot: true, origin: logId, epoch, lastNumber: 2, erased: [], goal: last },
    ancestors: [],
  });
  assert.equal(snapshots(first), [2]);
  assert.equal(
    [...first.counts],
    [
      [1, 0],
      [2, 0],
    ],
  );
  const identity = ids[1]!;
  const planAt = (count: number) => plan({ graphs: [{ identity, count, digest: null }] });
  const before = late.operationCount - 1;
  assert.equal(snapshots(planAt(before - 1)), [2]);
  assert.equal(snapshots(planAt(before)), [], "the log has what follows");
  assert.equal(
    [...(planAt(before) as CatchUpPlan).counts],
    [
      [1, 0],
      [2, before],
    ],
  );
});

test("reports the origin of its graphs, and that they are incomplete", () => {
  const { channel } = provider();
  const ancestors = [{ id: THIRD!, sn: 1, chain: 2 }];
  const point = { isRoot: false, log: OTHER!, ancestors, isCaughtUp: false };
  const { offer } = planCatchUp(channel, EMPTY, point) as CatchUpPlan;
  const { isRoot, origin, goal } = offer;
  assert.equal([isRoot, origin, goal, offer.ancestors], [false, OTHER, null, ancestors]);
});

test("sends no graph that is closed", () => {
  const { channel, late, plan, ids } = provider();
  removeEverywhere(late);
  channel.release();
  const behind = plan({ graphs: [{ identity: ids[1]!, count: 1, digest: null }] });
  assert.equal(snapshots(behind), []);
  assert.equal(
    [...(behind as CatchUpPlan).counts],
    [
      [1, 0],
      [2, 1],
    ],
  );
  assert.is((behind as CatchUpPlan).offer.graphs.length, 2);
});

test("refuses a subscriber that is ahead of the log", () => {
  const { whole, plan, ids } = provider();
  const count = whole.operationCount;
  const refusal = plan({ graphs: [{ identity: ids[0]!, count: count + 1, digest: null }] });
  assert.match(String(refusal), `it has ${count + 1} changes of graph "test", of which there are`);
  assert.equal(snapshots(plan({ graphs: [{ identity: ids[0]!, count, digest: null }] })), [2]);
});

test("refuses a graph that differs, and sends it for a repair", () => {
  const { whole, late, plan } = provider();
  const [mine, otherPosition] = [whole, late].map(replicationPosition) as [Position, Position];
  const cases: [given: Position, diverged: string[], isDifferent: boolean][] = [
    [mine, [], false],
    [{ ...mine, digest: OTHER! }, [], true],
    [{ ...mine, digest: null }, [], false],
    [{ ...mine, digest: OTHER!, count: mine.count - 1 }, [], false],
    [mine, [mine.identity], true],
    [mine, [THIRD!], false],
  ];
  for (const [position, diverged, isDifferent] of cases) {
    const positions = { graphs: [position, otherPosition], diverged };
    const label = JSON.stringify([position, diverged]);
    const defaultPlan = plan(positions);
    if (isDifferent) assert.match(String(defaultPlan), /graph "test" has diverged/, label);
    else assert.equal(snapshots(defaultPlan), [], label);
    assert.equal(snapshots(plan(positions, "different")), isDifferent ? [1] : [], label);
    assert.equal(snapshots(plan(positions, "all")), [1, 2], label);
  }
  // A digest that is not known here.
  whole.digest.isMaintained = false;
  assert.equal(snapshots(plan({ graphs: [mine, otherPosition] })), []);
});

test("refuses an unknown graph, and lists the erased ones", () => {
  const { channel, whole, write, late, plan, ids } = provider();
  const graphs = ids.map((identity) => ({ identity, count: 1, digest: null }));
  channel.erase(readIdentity(whole));
  write(late, 1);
  const { offer, counts } = plan({ graphs }) as CatchUpPlan;
  assert.equal([offer.erased, offer.graphs.length, offer.lastNumber], [[ids[0]], 1, 2]);
  assert.equal([...counts], [[2, 1]]);
  const unknown = { identity: OTHER!, count: 0, digest: null };
  const refusal = plan({ graphs: [...graphs, unknown] });
  assert.is(refusal, `it has a graph that is not here (identity ${OTHER})`);
});

test("compares the last transaction of a subscriber of the same log", () => {
  const { channel, late, write, plan, ids } = provider();
  const graphs = [{ identity: ids[1]!, count: 2, digest: null }];
  const logPosition = placeIn(channel);
  write(late, 2);
  const reason = (log: Partial<typeof logPosition>, had = graphs) => {
    const planned = plan({ log: { ...logPosition, ...log }, graphs: had });
    return typeof planned === "string" ? planned : null;
  };
  const { sn } = logPosition;
  assert.is(reason({}), null);
  assert.is(reason({ sn: 0, chain: 0 }), null);
  assert.is(reason({ chain: 1 }), `transaction ${sn} differs between replica and provider`);
  const { last, chain } = channel.log;
  assert.is(reason({ sn: last, chain }), null);
  for (const within of [1, last - 1]) assert.match(reason({ sn: within, chain })!, /differs/);
  assert.match(
    reason({ sn: last + 1 })!,
    `replica is at ${last + 1}, ahead of the log end ${last}`,
  );
  assert.is(reason({ sn: last + 1 }, []), null, "the log of an empty instance");
});

test("lets subscribers of other logs continue only from a log that this one continues", () => {
  const { channel, whole, ids } = provider();
  const graphs = [{ identity: ids[0]!, count: whole.operationCount, digest: null }];
  const reason = (origin: string | null, sn: number, start: Partial<StartingPoint> = {}) => {
    const log = { id: OTHER!, sn, chain: 7 };
    const point = { ...ROOT, log: channel.log.logId, ...start };
    const planned = planCatchUp(channel, { ...EMPTY, log, origin, graphs }, point);
    return typeof planned === "string" ? planned : null;
  };
  assert.is(reason(OTHER!, 5), "replica was copied from another instance");
  assert.is(reason(channel.log.logId, 5), null, "both follow the same provider");
  const ancestors = [
    { id: THIRD!, sn: 9, chain: 7 },
    { id: OTHER!, sn: 5, chain: 7 },
  ];
  assert.is(reason(OTHER!, 5, { ancestors }), null);
  const past = "replica has changes past the point 5 where its former provider was superseded";
  assert.is(reason(OTHER!, 6, { ancestors }), past);
});

test.run();
