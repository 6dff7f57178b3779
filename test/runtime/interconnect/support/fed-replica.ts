// A replica fed with frames of a provider's transaction log, in one process.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { GraphManager } from "../../../../runtime/graph/manager/graph-manager.js";
import {
  CommitClock,
  requireIdentity,
} from "../../../../runtime/graph/manager/logging-entry-points.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { planCatchUp } from "../../../../runtime/interconnect/catch-up-plan.js";
import { DurableLog } from "../../../../runtime/interconnect/durable-log.js";
import { realDisk } from "../../../../runtime/interconnect/log/disk.js";
import { LogTailer } from "../../../../runtime/interconnect/log/log-tailer.js";
import { Replica } from "../../../../runtime/interconnect/replica.js";
import type { Offer } from "../../../../runtime/interconnect/wire/positions.js";
import { comparable } from "../../../property/support/comparable.js";
import { openStore, TEST_THREAD } from "../../graph/support/make-graph.js";

export interface Context {
  folder: string;
  log: DurableLog;
  clock: CommitClock;
  provider: GraphManager;
  subscriber: GraphManager;
  replica: Replica;
  /** Whether the applied transactions are durable on the replica's disk. */
  flushed: () => Promise<boolean>;
}

const SETTINGS = { events: false, saveEvery: 0, txPort: null, followStream: null };

/** Fills the context of a test. */
export function startReplica(context: Context): void {
  const folder = mkdtempSync(join(tmpdir(), "svc-replica-"));
  const [root, other] = [join(folder, "p"), join(folder, "s")];
  mkdirSync(root);
  mkdirSync(other);
  const warn = (): void => undefined;
  const clock = new CommitClock();
  const options = { root, mode: "async", clock, warn, disk: realDisk } as const;
  const log = new DurableLog(options);
  const provider = new GraphManager(TEST_THREAD, SETTINGS, warn, log);
  const subscriber = new GraphManager(TEST_THREAD + 1, { ...SETTINGS, txPort: 1 }, warn);
  const replica = new Replica({
    root: other,
    stores: () => subscriber.replicated(),
    open: ({ name, identity }) => subscriber.open({ ...request(other, name), identity }),
    remove: async (name, isErased) => subscriber.drop(name, isErased),
    epoch: 1,
    nextTicket: () => 1,
    drainIfFull: () => undefined,
    flushed: () => context.flushed(),
  });
  context.flushed = async () => true;
  Object.assign(context, { folder, log, clock, provider, subscriber, replica });
}

export async function endReplica(context: Context): Promise<void> {
  const { folder, log, provider, subscriber } = context;
  for (const manager of [provider, subscriber]) {
    for (const name of manager.names()) manager.drop(name, false);
  }
  await log.close();
  rmSync(folder, { recursive: true });
}

export function request(root: string, name: string) {
  const isAny = { isStorable: true, isLocal: false, isReadonly: false };
  return { name, path: name, folder: join(root, name), ...isAny };
}

export function graphOf(manager: GraphManager, folder: string, name: string): GraphStore {
  return GraphStore.attach(manager.open(request(folder, name)).share, TEST_THREAD + 2);
}

/** A graph of the provider with some vertices. */
export function fill({ provider, folder }: Context, name: string, vertices: number): GraphStore {
  const store = graphOf(provider, join(folder, "p"), name);
  const graph = openStore(store);
  for (let index = 0; index < vertices; index++) graph.connect("all", "has", `v${index}`);
  return store;
}

/** Returns the present offer of the provider to the replica. */
export function offer({ log, replica }: Context): Offer {
  const origin = { isRoot: true, log: log.channel.log.logId, ancestors: [], isCaughtUp: true };
  const plan = planCatchUp(log.channel, replica.positions(), origin);
  if (typeof plan === "string") throw new Error(plan);
  return plan.offer;
}

/** Reconnects the provider and sends from the first transaction on. */
export async function follow(context: Context): Promise<void> {
  const { clock, replica } = context;
  assert.ok(await clock.wait(clock.nextFlush));
  await replica.accept(offer(context));
  replica.start({ sn: 0, chain: 0 });
  await stream(context);
}

export async function stream(context: Context, from = 1): Promise<void> {
  for (const bytes of await framesOf(context, from)) await context.replica.take(bytes);
}

export async function framesOf({ log, clock }: Context, from: number): Promise<Buffer[]> {
  assert.ok(await clock.wait(clock.nextFlush));
  const follower = new LogTailer(realDisk, log.channel.log, from);
  const frames: Buffer[] = [];
  for (let frame = follower.next(); frame !== null; frame = follower.next()) {
    const bytes = Buffer.allocUnsafeSlow(frame.bytes.length);
    frame.bytes.copy(bytes);
    frames.push(bytes);
  }
  follower.close();
  return frames;
}

export function isSame({ subscriber, folder }: Context, store: GraphStore): void {
  const copy = graphOf(subscriber, join(folder, "s"), store.name);
  assert.is(requireIdentity(copy), requireIdentity(store));
  const { graph, vertices } = comparable(copy) as { graph: object; vertices: unknown };
  assert.equal({ graph: { ...graph, isReadonly: false }, vertices }, comparable(store));
}
