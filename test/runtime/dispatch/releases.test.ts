// A matrix with back-ends of earlier releases: their recorded responses are replayed to a
// dispatcher of this release, and merged with the response of a back-end of this release.
// test/e2e/dispatch.test.ts writes the file of a release, and repeats what a dispatcher has sent.

import { type AddressInfo, createServer, type Server } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { S_DESC, S_VAL } from "../../../runtime/base/sort-constants.js";
import { Dispatcher } from "../../../runtime/dispatch/dispatcher.js";
import { mergePartials } from "../../../runtime/dispatch/merge-partials.js";
import { encodeMerged } from "../../../runtime/dispatch/merged-response.js";
import type { Outcome } from "../../../runtime/dispatch/partition-call.js";
import { PluginResponse } from "../../../runtime/plugin/response/plugin-response.js";
import { readMatrixConfig } from "../../../runtime/settings/matrix-config.js";
import { TRUNK_LINE } from "../../../runtime/trunk/frames.js";
import {
  bodyInTrunk,
  type RecordedDispatch,
  recordedDispatches,
} from "../../e2e/support/recorded-dispatch.js";
import { FakeBackEnd, until } from "./support/fake-back-end.js";
import { makeRequest } from "./support/make-request.js";

const test = suite("dispatch of releases");

/** Answers each connection with what the back-end has sent. */
async function replay({ probe, query }: RecordedDispatch, trunks: string[]): Promise<Server> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (first: Buffer) => {
      const isTrunk = first.toString("latin1").startsWith(TRUNK_LINE);
      if (!isTrunk) return socket.end(Buffer.from(probe.backEnd, "base64"));
      trunks.push(first.toString("latin1"));
      return socket.write(Buffer.from(query.backEnd, "base64"));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

for (const recorded of recordedDispatches()) {
  test(`merges responses of back-ends of ${recorded.name} and of this release`, async () => {
    const trunks: string[] = [];
    const server = await replay(recorded, trunks);
    const earlier = { host: "127.0.0.1", port: (server.address() as AddressInfo).port };
    const current = await FakeBackEnd.start();
    const partitions = [[earlier], [current.address]];
    const dispatcher = new Dispatcher(readMatrixConfig({ partitions, replicas: [{}] }));
    await dispatcher.start();
    assert.equal(
      [...dispatcher.matrix.all()].map(({ isDown, takesTrunk }) => [isDown, takesTrunk]),
      [
        [false, true],
        [false, false],
      ],
    );
    let outcome: Outcome | null = null;
    dispatcher.dispatch({
      ...{ request: makeRequest("/svc/plugin/find?n=3"), resubmits: 0 },
      ...{ explanation: null, trace: null, client: "127.0.0.1", isAborted: () => false },
      onEnd: (ended) => {
        outcome = ended;
      },
    });
    const ownResponse = new PluginResponse({ maxhits: 3, sortby: S_VAL | S_DESC });
    ownResponse.append(1000, "own");
    const request = await current.next();
    const body = Buffer.from(ownResponse.serialize()).toString("latin1");
    request.respond(200, body, "Content-Type: application/x-svc-partial");
    await until(() => outcome !== null, "outcome");
    const { kind, responses } = outcome as unknown as Extract<Outcome, { kind: "answered" }>;
    assert.is(kind, "answered");
    assert.is(trunks.length, 1);
    const bodies = responses.map((response) => response!.body);
    const merged = PluginResponse.deserialize(encodeMerged(mergePartials(bodies)));
    const recordedBody = bodyInTrunk(Buffer.from(recorded.query.backEnd, "base64"))!;
    const { entries } = PluginResponse.deserialize(recordedBody);
    assert.is(entries.length, 3);
    assert.equal(merged.entries, [[1000, "own"], ...entries.slice(0, 2)]);
    dispatcher.close();
    server.close();
    await current.close();
  });
}

test.run();
