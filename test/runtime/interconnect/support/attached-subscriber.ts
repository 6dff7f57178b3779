// A subscriber whose replica accepts everything, and providers that connect to it.

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import * as assert from "uvu/assert";
import { FlowControl } from "../../../../runtime/interconnect/flow-control.js";
import { Subscriber, type SubscriberParts } from "../../../../runtime/interconnect/subscriber.js";
import { MessageType } from "../../../../runtime/interconnect/wire/messages.js";
import { Peer, parseJsonBody } from "../../../../runtime/interconnect/wire/peer.js";
import { type Offer, parsePositions } from "../../../../runtime/interconnect/wire/positions.js";
import { SharedKey } from "../../../../runtime/interconnect/wire/shared-key.js";
import { Traffic } from "../../../../runtime/metrics/traffic.js";

export const ID = "0".repeat(32);
export const EPOCH = 3;
const KEY = new SharedKey(null);

/** A subscriber that does not listen yet. */
export function subscriberWith(parts: Partial<SubscriberParts>): Subscriber {
  const status = { at: 0, host: "", adminPort: 0, serial: 0, digest: ID, graphs: [], goal: null };
  return new Subscriber({
    ...{ port: 0, ip: null, key: KEY, gate: new FlowControl(), traffic: new Traffic() },
    ...{ replica: async () => ({}) as never, status: () => status, warn: () => undefined },
    ...{ membership: null, ...parts },
  });
}

/** A replica that accepts everything. @param calls receives its calls */
function makeReplica(calls: string[], met: number[]) {
  return {
    ...{ epoch: EPOCH, origin: ID, onDurable: () => undefined, durableSn: null as number | null },
    accept: async ({ epoch }: Offer) => void calls.push(`accept ${epoch}`),
    ...{
      refreshMarker: () => undefined,
      writeMarker: () => calls.push("mark"),
      providerLost: () => calls.push("lose"),
    },
    providerRejected: () => calls.push("reject"),
    settle: async () => void calls.push("settle"),
    retire: async () => void calls.push("retire"),
    startFrames: () => calls.push("start"),
    applyFrame: async () => ({ header: { sn: 7, transactions: 1 }, records: 1 }),
    report: () => ({ state: "fetching", done: 0, of: 0 }),
    positions: () => ({ log: null, origin: null, epoch: EPOCH, graphs: [], diverged: [] }),
    rejectEpochsBelow: (epoch: number) => met.push(epoch),
  };
}

/** A subscriber and its provider, to which it is attached. */
export async function attached(isMember: boolean) {
  const met: number[] = [];
  const logLines: string[] = [];
  const ahead: unknown[] = [];
  const calls: string[] = [];
  const replica = makeReplica(calls, met);
  const membership = {
    ...{ ackMs: 1000, onProviderChange: () => calls.push("disturbed") },
    restartWithoutChanges: (reason: string, end: unknown) => ahead.push([reason, end]),
  };
  const traffic = new Traffic();
  const gate = new FlowControl();
  const subscriber = subscriberWith({
    ...{ gate, traffic, replica: async () => replica as never },
    warn: (line) => logLines.push(line),
    membership: isMember ? membership : null,
  });
  assert.equal([subscriber.origin, subscriber.positions()], [null, null]);
  assert.is(subscriber.report().state, "leader");
  const port = await subscriber.listen();
  const sockets = new Map<Peer, Socket>();
  /** Connects without sending anything. */
  const reach = async (): Promise<Peer> => {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    const peer = new Peer(socket);
    sockets.set(peer, socket);
    return peer;
  };
  const dial = async (): Promise<Peer> => {
    const peer = await reach();
    await peer.handshake("provider", KEY);
    return peer;
  };
  /** Ends a connection, as a process that stops does. */
  const leave = async (peer: Peer): Promise<void> => {
    sockets.get(peer)!.end();
    await isLeft(peer);
  };
  /** Connects another provider, which offers its graphs. */
  const offer = async (epoch: number): Promise<Peer> => {
    const peer = await dial();
    const positions = parseJsonBody(await peer.expect(MessageType.Positions));
    assert.is(parsePositions(positions).epoch, EPOCH);
    const graphs = { isRoot: true, origin: ID, graphs: [], lastNumber: 0, erased: [], goal: 0 };
    await peer.sendJson(MessageType.Table, { logId: ID, epoch, ...graphs });
    return peer;
  };
  const provider = await offer(EPOCH);
  await provider.expect(MessageType.Status);
  const stop = (): void => {
    for (const peer of sockets.keys()) peer.close();
    subscriber.stop();
  };
  return {
    ...{ subscriber, traffic, gate, replica, provider, met, logLines, ahead, calls },
    ...{ reach, dial, offer, leave, stop, port },
  };
}

/** Resolves when the other end has closed the connection. */
export async function isLeft(peer: Peer): Promise<true> {
  while ((await peer.next()) !== null);
  return true;
}
