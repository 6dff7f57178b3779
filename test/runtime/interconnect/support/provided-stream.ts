// A provider of a stream in memory, step by step.

import { setImmediate as turn } from "node:timers/promises";
import * as assert from "uvu/assert";
import { FlowControl } from "../../../../runtime/interconnect/flow-control.js";
import type { LogStream, StreamState } from "../../../../runtime/interconnect/stream/log-stream.js";
import { StreamReader } from "../../../../runtime/interconnect/stream/stream-messages.js";
import { StreamProvider } from "../../../../runtime/interconnect/stream/stream-provider.js";
import type { Message } from "../../../../runtime/interconnect/wire/messages.js";
import { PROTOCOL } from "../../../../runtime/interconnect/wire/peer.js";
import { Traffic } from "../../../../runtime/metrics/traffic.js";
import { EPOCH, GraphLog } from "./graph-log.js";
import { MemoryBroker } from "./memory-broker.js";

export interface StreamOptions {
  /** Vertices that the graph has from the start, one frame each. */
  readonly vertices?: readonly string[];
  /** Frames after which snapshots replace them; they are of equal length. */
  readonly checkpointFrames?: number;
}

/** Lets everything happen that waits for no timer. */
export async function settle(): Promise<void> {
  for (let turns = 0; turns < 50; turns++) await turn();
}

/** A provider that does not run yet, and its broker. */
export function provideStream({
  vertices = ["a", "b", "c"],
  checkpointFrames,
}: StreamOptions = {}) {
  const log = new GraphLog(vertices);
  const broker = new MemoryBroker(1000);
  const [logLines, fences, logs]: [string[], number[], LogStream[]] = [[], [], []];
  const digest = "0".repeat(32);
  const traffic = new Traffic();
  const gate = new FlowControl();
  const hooks = {
    /** Called with each connection of the provider. */
    opened: async (_stream: LogStream): Promise<void> => undefined,
  };
  const provider = new StreamProvider({
    ...{ uri: "memory://stream", gate, traffic, warn: (line) => logLines.push(line) },
    ...(checkpointFrames !== undefined && { checkpointBytes: checkpointFrames * log.frameBytes }),
    open: async (isWriter) => {
      assert.ok(isWriter);
      const stream = broker.connect();
      await hooks.opened(stream);
      logs.push(stream);
      return stream;
    },
    ...{ log, snapshots: log },
    origin: () => ({ isRoot: true, log: log.channel.log.logId, ancestors: [], isCaughtUp: true }),
    status: () => ({ at: 0, host: "", adminPort: 0, serial: 0, digest, graphs: [], goal: null }),
    onFenced: (epoch) => fences.push(epoch),
  });
  /** Adds a message to the stream, by default of this log up to its second frame. */
  const receiveState = async (state: Partial<StreamState> = {}): Promise<void> => {
    const writer = broker.connect();
    await writer.readLastState();
    const part = { part: 1, parts: 1, bytes: Buffer.from("former") };
    const { logId } = log.channel.log;
    const ownState = { log: logId, epoch: EPOCH, protocol: PROTOCOL, reached: log.ends[1]! };
    await writer.append("table", part, { ...ownState, ...state });
  };
  const running: Promise<void>[] = [];
  /** Runs until it waits; returns the lines that it logged. */
  const run = async (): Promise<string> => {
    running.push(provider.run());
    await settle();
    return logLines.join("\n");
  };
  const stop = async (): Promise<void> => {
    provider.stop();
    await Promise.all(running);
    log.close();
    assert.ok(logs.every(({ isClosed }) => isClosed));
  };
  return {
    log,
    provider,
    broker,
    logLines,
    fences,
    logs,
    traffic,
    gate,
    hooks,
    receiveState,
    run,
    stop,
  };
}

/** Returns the messages of a stream, from its latest table on. */
export async function messagesIn(broker: MemoryBroker): Promise<Message[]> {
  const stream = broker.connect();
  const reader = new StreamReader(stream.read((await stream.findSnapshotTable())!));
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
