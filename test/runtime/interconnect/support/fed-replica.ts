// A replica that gets single messages of a made-up provider; its graphs are in memory only.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Test } from "uvu";
import { runTransaction } from "../../../../runtime/graph/changes/transaction.js";
import { requireIdentity } from "../../../../runtime/graph/manager/logging-entry-points.js";
import { removeEverywhere } from "../../../../runtime/graph/manager/track-graph.js";
import { GraphStore } from "../../../../runtime/graph/store/graph-store.js";
import { type ReplicaMarker, readReplicaMarker } from "../../../../runtime/interconnect/lineage.js";
import {
  FRAME_HEADER_BYTES,
  putFrameHeader,
} from "../../../../runtime/interconnect/log/segment-format.js";
import { Replica } from "../../../../runtime/interconnect/replica.js";
import type { ReplicaGraphs } from "../../../../runtime/interconnect/replica-graphs.js";
import type { Offer, OfferedGraph } from "../../../../runtime/interconnect/wire/positions.js";
import { loggedStore, makeLog, takeUnits } from "../../graph/support/logged-graph.js";
import { openStore, TEST_THREAD } from "../../graph/support/make-graph.js";

export interface Context {
  root: string;
  /** By name. */
  stores: Map<string, GraphStore>;
  replica: Replica;
  calls: string[];
  graphs: { -readonly [Part in keyof ReplicaGraphs]: ReplicaGraphs[Part] };
}

export const LOG = "a".repeat(32);
export const OTHER = "b".repeat(32);

/** Provides each test with a replica in an empty folder. */
export function withReplica(test: Test<Context>): void {
  test.before.each((context) => {
    context.root = mkdtempSync(join(tmpdir(), "svc-messages-"));
    context.stores = new Map();
    context.calls = [];
    create(context);
  });

  test.after.each(({ root, stores }) => {
    for (const store of stores.values()) removeEverywhere(store);
    rmSync(root, { recursive: true });
  });
}

export function create(context: Context): Replica {
  const { root, stores, calls } = context;
  const graphs = {
    root,
    stores: () => stores,
    open: (graph: OfferedGraph) => open(stores, graph.name, graph.identity) as never,
    remove: async (name: string, isErased: boolean) => {
      calls.push(`remove ${name} ${isErased}`);
      drop(stores, name);
    },
    epoch: 2,
    nextTicket: () => calls.push("turn"),
    drainIfFull: () => void calls.push("drain"),
    flushed: async () => true,
  };
  context.graphs = graphs;
  context.replica = new Replica(graphs);
  context.replica.onReadiness = () => calls.push("readiness");
  return context.replica;
}

/** Opens a graph unless it is open; only graphs with a log have digests. */
export function open(stores: Context["stores"], name: string, identity?: string): void {
  if (stores.has(name)) return;
  const options = { log: makeLog(), ...(identity !== undefined && { identity }) };
  stores.set(name, GraphStore.create(name, TEST_THREAD, options));
}

export function drop(stores: Context["stores"], name: string): void {
  removeEverywhere(stores.get(name)!);
  stores.delete(name);
}

/** A graph of the provider, with its changes as units of its log. */
export function source(number: number, name = `g${number}`) {
  const store = loggedStore();
  const graph: OfferedGraph = { number, identity: requireIdentity(store), name, path: name };
  const taken = (): Uint32Array[] => {
    const units = takeUnits(store);
    for (const transaction of units) transaction[3] = number;
    return units;
  };
  const change = (...ids: readonly string[]): Uint32Array[] => {
    for (const id of ids) openStore(store).createVertex(id);
    return taken();
  };
  /** The same in one transaction. */
  const changeAtOnce = (...ids: readonly string[]): Uint32Array[] => {
    runTransaction([{ store, isLocal: false }], () => {
      for (const id of ids) openStore(store).createVertex(id);
    });
    return taken();
  };
  return { store, graph, change, changeAtOnce };
}

export function makeOffer(graphs: readonly OfferedGraph[], more: Partial<Offer> = {}): Offer {
  const lastNumber = Math.max(0, ...graphs.map(({ number }) => number));
  const rest = { logId: LOG, isRoot: true, origin: LOG, epoch: 2, erased: [], goal: null };
  return { ...rest, lastNumber, graphs, ...more };
}

export function frame(sn: number, units: readonly Uint32Array[], more: object = {}): Buffer {
  const bytes = Buffer.concat([
    Buffer.alloc(FRAME_HEADER_BYTES),
    ...units.map(({ buffer }) => new Uint8Array(buffer)),
  ]);
  const wholeBytes = Buffer.from(new ArrayBuffer(bytes.length));
  bytes.copy(wholeBytes);
  const header = { isTable: false, chain: 0, sn, transactions: units.length, epoch: 2, ...more };
  putFrameHeader(wholeBytes, header);
  return wholeBytes;
}

export async function follow({ replica }: Context, offer: Offer): Promise<void> {
  await replica.accept(offer);
  replica.startFrames({ sn: 0, chain: 0 });
}

export function thrownBy(run: () => void): string {
  try {
    run();
  } catch (error) {
    return `${(error as { code?: string }).code}: ${(error as Error).message}`;
  }
  return "none";
}

export function getCopy({ stores }: Context, name: string): GraphStore {
  return stores.get(name)!;
}

export function graphNames({ stores }: Context): string[] {
  return [...stores.keys()].sort();
}

export function readMarker({ root }: Context): ReplicaMarker | undefined {
  return readReplicaMarker(root);
}
