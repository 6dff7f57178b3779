// The graphs of a process, as its replica opens and removes them in all threads.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { DurableLog } from "../../../runtime/interconnect/durable-log.js";
import {
  type ReplicaGraphsParts,
  replicaGraphs,
} from "../../../runtime/interconnect/replica-graphs.js";

const test = suite("graphs of a replica");

function create() {
  const calls: unknown[] = [];
  const parts = {
    settings: { root: "/root" },
    manager: {
      replicated: () => new Map(),
      open: (request: object) => {
        calls.push({ opens: request });
        return "shared";
      },
      drop: (name: string, isErased: boolean) => calls.push(`drop ${name} ${isErased}`),
    },
    everywhere: {
      opened: (shared: unknown) => calls.push({ opened: shared }),
      remove: async (name: string, isErased: boolean) => calls.push(`close ${name} ${isErased}`),
    },
    requestOf: (graph: object) => graph,
  } as unknown as ReplicaGraphsParts;
  const log = {
    channel: { log: { epoch: 3 } },
    nextTicket: () => 7,
    drainIfFull: () => calls.push("drain"),
    settled: async () => false,
  } as unknown as DurableLog;
  return { calls, log, graphs: replicaGraphs(parts, log, ["b", "1"]) };
}

test("are opened with the provider's identity, and removed from all threads first", async () => {
  const { calls, graphs } = create();
  const [name, path, identity] = ["g", "p/g", "a".repeat(32)];
  assert.is(graphs.open({ number: 1, name, path, identity }) as unknown, "shared");
  await graphs.remove(name, true);
  assert.equal(calls, [
    { opens: { name, path, isLocal: false, identity } },
    { opened: "shared" },
    "close g true",
    "drop g true",
  ]);
});

test("use the log of the process", async () => {
  const { calls, log, graphs } = create();
  assert.equal([graphs.root, graphs.member, graphs.epoch], ["/root", ["b", "1"], 3]);
  graphs.epoch = 4;
  assert.equal([log.channel.log.epoch, graphs.epoch, graphs.nextTicket()], [4, 4, 7]);
  graphs.drainIfFull();
  assert.equal([calls, await graphs.flushed()], [["drain"], false]);
});

test.run();
