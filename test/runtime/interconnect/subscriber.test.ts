// A subscriber with a provider meets another one: outside of a group it refuses that, and in a
// group it leaves its provider for one of a higher epoch.
// limit: 30 s

import { once } from "node:events";
import { connect } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FlowControl } from "../../../runtime/interconnect/flow-control.js";
import { Subscriber } from "../../../runtime/interconnect/subscriber.js";
import { MessageType } from "../../../runtime/interconnect/wire/messages.js";
import { Peer, parseJsonBody } from "../../../runtime/interconnect/wire/peer.js";
import { parsePositions } from "../../../runtime/interconnect/wire/positions.js";
import { SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";
import { Traffic } from "../../../runtime/metrics/traffic.js";

const ID = "0".repeat(32);
const EPOCH = 3;
const KEY = new SharedKey(null);

const test = suite("subscriber");

/** A subscriber, whose replica accepts everything, and its provider. */
async function attached(isMember: boolean) {
  const met: number[] = [];
  const nothing = (): void => undefined;
  const replica = {
    ...{ epoch: EPOCH, accept: async () => undefined, onSafe: nothing, durableSn: null },
    ...{ keepMark: nothing, mark: nothing, lose: nothing },
    positions: () => ({ log: null, origin: null, epoch: EPOCH, graphs: [], diverged: [] }),
    meet: (epoch: number) => met.push(epoch),
  };
  const status = { at: 0, host: "", adminPort: 0, serial: 0, digest: ID, graphs: [], goal: null };
  const subscriber = new Subscriber({
    ...{ port: 0, ip: null, key: KEY, gate: new FlowControl(), traffic: new Traffic() },
    ...{ replica: async () => replica as never, status: () => status, warn: nothing },
    membership: isMember ? { ackMs: 1000, disturbed: nothing, ahead: nothing } : null,
  });
  const port = await subscriber.listen();
  const peers: Peer[] = [];
  const dial = async (): Promise<Peer> => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const peer = new Peer(socket);
    peers.push(peer);
    await peer.handshake("provider", KEY);
    return peer;
  };
  /** Connects another provider, which offers its graphs. */
  const offer = async (epoch: number): Promise<Peer> => {
    const peer = await dial();
    const given = parseJsonBody(await peer.expect(MessageType.Positions));
    assert.is(parsePositions(given).epoch, EPOCH);
    const graphs = { isRoot: true, origin: ID, graphs: [], lastNumber: 0, erased: [], goal: 0 };
    await peer.sendJson(MessageType.Table, { logId: ID, epoch, ...graphs });
    return peer;
  };
  const provider = await offer(EPOCH);
  await provider.expect(MessageType.Status);
  const stop = (): void => {
    for (const peer of peers) peer.close();
    subscriber.stop();
  };
  return { provider, met, dial, offer, stop };
}

/** Resolves when the other end has closed the connection. */
async function isLeft(peer: Peer): Promise<true> {
  while ((await peer.next()) !== null);
  return true;
}

test("of no group refuses a second provider", async () => {
  const { provider, dial, stop } = await attached(false);
  const second = await dial();
  const message = await second.next();
  assert.is(message!.type, MessageType.Refusal);
  assert.match(message!.body.toString(), /already attached to a provider/);
  assert.not(provider.isClosed);
  stop();
});

test("of a group leaves its provider for one of a higher or the same epoch", async () => {
  for (const epoch of [EPOCH, EPOCH + 1]) {
    const { provider, met, offer, stop } = await attached(true);
    const second = await offer(epoch);
    assert.ok(await isLeft(provider));
    assert.equal(met, [epoch]);
    // It connects again: what is here may have changed until now.
    assert.ok(await isLeft(second));
    stop();
  }
});

test("of a group stays with its provider if the other one has a lower epoch", async () => {
  const { provider, met, offer, stop } = await attached(true);
  const second = await offer(EPOCH - 1);
  assert.ok(await isLeft(second));
  assert.equal([met, provider.isClosed], [[], false]);
  stop();
});

test.run();
