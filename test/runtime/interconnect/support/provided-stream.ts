// A provider of a stream in memory, step by step, whose log has three frames of one graph.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import * as assert from "uvu/assert";
import { saveGraph } from "../../../../runtime/graph/manager/snapshot/save-graph.js";
import { FlowControl } from "../../../../runtime/interconnect/flow-control.js";
import { LogChannel } from "../../../../runtime/interconnect/log/log-channel.js";
import type { LogStream, StreamState } from "../../../../runtime/interconnect/stream/log-stream.js";
import { StreamReader } from "../../../../runtime/interconnect/stream/stream-messages.js";
import { StreamProvider } from "../../../../runtime/interconnect/stream/stream-provider.js";
import type { Message } from "../../../../runtime/interconnect/wire/messages.js";
import { PROTOCOL } from "../../../../runtime/interconnect/wire/peer.js";
import { Traffic } from "../../../../runtime/metrics/traffic.js";
import { loggedStore } from "../../graph/support/logged-graph.js";
import { openStore } from "../../graph/support/make-graph.js";
import { MemoryBroker } from "./memory-broker.js";
import { SimulatedDisk } from "./simulated-disk.js";

export const EPOCH = 5;

export type Reached = NonNullable<StreamState["reached"]>;

export interface StreamOptions {
  /** Vertices that the graph has from the start, one frame each. */
  readonly vertices?: readonly string[];
  /** Frames after which snapshots replace them; they are of equal length. */
  readonly checkpointFrames?: number;
}

/** A log of a graph. */
function makeLog(vertices: readonly string[]) {
  const disk = new SimulatedDisk();
  const channel = new LogChannel(disk, "/log");
  channel.log.epoch = EPOCH;
  const store = loggedStore();
  channel.open(store, "g");
  const ends: Reached[] = [];
  /** Returns the bytes of the frame. */
  const write = (id: string): number => {
    openStore(store).createVertex(id);
    const bytes = channel.write(store.memory.log!.clock);
    channel.log.flushNow();
    channel.release();
    ends.push({ sn: channel.log.last, chain: channel.log.chain });
    return bytes;
  };
  const frameBytes = vertices.map(write).at(-1) ?? 0;
  /** Goes on in another segment. */
  const roll = async (): Promise<void> => {
    disk.faults.before = (what) => {
      if (what === "flush") throw new Error("EIO");
    };
    await channel.log.flush().catch(() => undefined);
    delete disk.faults.before;
    channel.reopen();
  };
  const erase = (): void => channel.erase(channel.graphs.all()[0]!.identity);
  return { disk, channel, store, ends, frameBytes, write, roll, erase };
}

/** Lets everything happen that waits for no timer. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await turn();
}

/** A provider that does not run yet, and its broker. */
export function provideStream({ vertices = ["a", "b", "c"], checkpointFrames }: StreamOptions = {}) {
  const { disk, channel, store, ends, frameBytes, write, roll, erase } = makeLog(vertices);
  const broker = new MemoryBroker(1000);
  const [said, fences, logs]: [string[], number[], LogStream[]] = [[], [], []];
  const listeners = new Set<() => void>();
  const folder = mkdtempSync(join(tmpdir(), "svc-stream-"));
  const digest = "0".repeat(32);
  const traffic = new Traffic();
  const gate = new FlowControl();
  const hooks = {
    /** Called with each connection of the provider. */
    opened: async (_log: LogStream): Promise<void> => undefined,
    /** Called before each snapshot. */
    saving: (_name: string): void => undefined,
  };
  const provider = new StreamProvider({
    ...{ uri: "memory://stream", gate, traffic, warn: (line) => said.push(line) },
    ...(checkpointFrames !== undefined && { checkpointBytes: checkpointFrames * frameBytes }),
    open: async (isWriter) => {
      assert.ok(isWriter);
      const log = broker.connect();
      await hooks.opened(log);
      logs.push(log);
      return log;
    },
    log: {
      ...{ disk, channel },
      onFlushed: (call) => {
        listeners.add(call);
        return () => listeners.delete(call);
      },
    },
    snapshots: {
      saveNow: async (name) => {
        hooks.saving(name);
        saveGraph(store, folder);
        return folder;
      },
    },
    origin: () => ({ isRoot: true, log: channel.log.logId, ancestors: [], isCaughtUp: true }),
    status: () => ({ at: 0, host: "", adminPort: 0, serial: 0, digest, graphs: [], goal: null }),
    fenced: (epoch) => fences.push(epoch),
  });
  /** Adds a message to the stream, by default of this log up to its second frame. */
  const found = async (state: Partial<StreamState> = {}): Promise<void> => {
    const writer = broker.connect();
    await writer.last();
    const part = { part: 1, parts: 1, bytes: Buffer.from("former") };
    const own = { log: channel.log.logId, epoch: EPOCH, protocol: PROTOCOL, reached: ends[1]! };
    await writer.append("table", part, { ...own, ...state });
  };
  const flush = (): void => {
    for (const call of listeners) call();
  };
  const running: Promise<void>[] = [];
  /** Runs until it waits; returns what it has said. */
  const run = async (): Promise<string> => {
    running.push(provider.run());
    await settle();
    return said.join("\n");
  };
  const stop = async (): Promise<void> => {
    provider.stop();
    await Promise.all(running);
    channel.log.close();
    rmSync(folder, { recursive: true });
    assert.equal([disk.openFiles, listeners.size], [0, 0]);
    assert.ok(logs.every(({ isClosed }) => isClosed));
  };
  return {
    ...{ provider, channel, broker, ends, said, fences, logs, traffic, gate, hooks },
    ...{ found, run, stop, roll, erase, write, flush },
  };
}

/** Returns the messages of a stream, from its latest table on. */
export async function messagesIn(broker: MemoryBroker): Promise<Message[]> {
  const stream = broker.connect();
  const reader = new StreamReader(stream.read((await stream.first())!));
  const messages: Message[] = [];
  const reading = (async (): Promise<void> => {
    for (let next = await reader.next(); next !== null; next = await reader.next()) {
      messages.push({ ...next, body: Buffer.from(next.body) });
    }
  })();
  await settle();
  await stream.close();
  await reading;
  return messages;
}
