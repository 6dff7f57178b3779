// A replica that gets snapshots from its provider: they replace its graphs, and changes follow.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { requireIdentity } from "../../../runtime/graph/manager/logging-entry-points.js";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";
import type { OfferedGraph } from "../../../runtime/interconnect/wire/positions.js";
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

const test = suite<Context>("snapshots for a replica");
withReplica(test);

const CONTENT = Buffer.from("graph");
/** A length, and the value. */
const VALUES = Buffer.concat([Buffer.from([3, 0, 0, 0]), Buffer.from("big")]);

/** Sends a snapshot in pieces of a byte; returns what the replica reports before each. */
async function send({ replica }: Context, graph: OfferedGraph, values = VALUES) {
  const pieces = [...CONTENT, ...values].map((byte) => Buffer.of(byte));
  const reports: unknown[] = [];
  const expect = async (type: number): Promise<Buffer> => {
    reports.push(replica.report());
    return type === MessageType.SnapshotChunk ? pieces.shift()! : Buffer.alloc(0);
  };
  const head = { ...graph, bytes: CONTENT.length, count: 1 };
  const { length } = values;
  await replica.receiveGraph({ expect }, length === 0 ? head : { ...head, values: length });
  return reports;
}

test("reports the received size of a snapshot, including large values", async (c) => {
  const graphs = [1, 2].map((number) => source(number).graph);
  for (const [index, values] of [VALUES, Buffer.alloc(0)].entries()) {
    await c.replica.accept(makeOffer(graphs));
    const reports = await send(c, graphs[index]!, values);
    const of = CONTENT.length + values.length;
    const expected = Array.from({ length: of + 1 }, (_, done) => ({ state: "fetching", done, of }));
    assert.equal(reports, expected);
    c.replica.providerLost();
  }
  assert.ok(existsSync(join(c.root, "g1", "graph.snapshot")));
});

test("opens the graph of a snapshot, and applies its later changes", async (c) => {
  const { graph, change } = source(4);
  await c.replica.accept(makeOffer([], { lastNumber: 4 }));
  await send(c, graph);
  assert.is(requireIdentity(getCopy(c, "g4")), graph.identity);
  c.replica.startFrames({ sn: 0, chain: 0 });
  await c.replica.applyFrame(frame(1, change("a")));
  assert.is(getCopy(c, "g4").operationCount, 1);
});

test("a snapshot repairs a diverged graph", async (c) => {
  const { graph, change } = source(1);
  const { identity } = graph;
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, change("a")));
  const head = { ...graph, bytes: 1, count: 1 };
  assert.is(c.replica.needsSnapshot(head), false);
  const text = thrownBy(() => c.replica.compareDigests([{ identity, count: 1, digest: OTHER }]));
  assert.match(text, /^SVC3200/);
  assert.is(c.replica.needsSnapshot(head), true);
  c.calls.length = 0;
  await send(c, graph);
  assert.ok(c.calls.includes("remove g1 false"), "its files remain");
  assert.equal(c.replica.positions().diverged, []);
});

test("replaces no graph with changes that the provider does not have", async (c) => {
  const { graph, change } = source(1);
  await follow(c, makeOffer([graph]));
  await c.replica.applyFrame(frame(1, change("a")));
  const refusal = 'SVC2532: graph "g1" is here already, and not the provider\'s';
  assert.is(await describeFailure(send(c, source(2, "g1").graph)), refusal);
  assert.is(requireIdentity(getCopy(c, "g1")), graph.identity);
  open(c.stores, "g3");
  await send(c, source(3).graph);
  assert.ok(c.calls.includes("remove g3 true"), "it had none");
  assert.equal(graphNames(c), ["g1", "g3"]);
});

test.run();
