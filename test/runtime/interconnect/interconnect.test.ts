// The graphs of an instance, with its log and its role: as they are opened, adopted and recovered.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { LOG_FOLDER } from "../../../runtime/base/graph-names.js";
import { requireIdentity } from "../../../runtime/graph/manager/logging-entry-points.js";
import { SYSTEM_GRAPH } from "../../../runtime/graph/manager/system-graph.js";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import { Header } from "../../../runtime/graph/memory/layout.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import type { InterconnectSettings } from "../../../runtime/interconnect/interconnect.js";
import {
  demote,
  isReplicaRoot,
  readLineage,
  writeFence,
} from "../../../runtime/interconnect/lineage.js";
import { realDisk } from "../../../runtime/interconnect/log/disk.js";
import { LogChannel } from "../../../runtime/interconnect/log/log-channel.js";
import { TrafficCounters } from "../../../runtime/metrics/traffic.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";
import { changedDisk } from "./support/changed-disk.js";
import { freePort } from "./support/instance.js";
import {
  begin,
  isFlushed,
  keep,
  type LoggedFolder,
  makeFolder,
  removeFolder,
  request,
} from "./support/logged-folder.js";

const test = suite<LoggedFolder>("graphs of an instance");

test.before.each(makeFolder);
test.after.each(removeFolder);

const EVERYWHERE = { opened: () => undefined, remove: async () => undefined };
const LEADERSHIP = {} as InterconnectSettings["leadership"];
/** End of a log that a replica has followed. */
const END = { id: "a".repeat(32), sn: 7, chain: 1 };

function start(context: LoggedFolder, more: Partial<InterconnectSettings> = {}) {
  return begin(context, realDisk, new CommitClock(), more);
}

/** Returns whether a graph may be changed here. */
function isWritable(context: LoggedFolder, more: Partial<InterconnectSettings> = {}): boolean {
  return !keep(context, start(context, more).interconnect).isReadonly;
}

/** Writes a graph in a run of its own. */
async function write(context: LoggedFolder, ...names: string[]): Promise<void> {
  const { interconnect, clock } = start(context);
  for (const name of names) openStore(keep(context, interconnect, name)).createVertex("a");
  assert.ok(await isFlushed(clock));
  await interconnect.closeLog();
}

function isSmall({ memory }: GraphStore): boolean {
  return memory.header.words[Header.IsSmall] === 1;
}

function errorReason(run: () => unknown): string {
  try {
    return String(run());
  } catch (error) {
    return (error as Error).message;
  }
}

test("is idle before its first graph", async (context) => {
  const { interconnect } = start(context);
  assert.is(await interconnect.save(0), true);
  interconnect.erase("a".repeat(32));
  assert.is(await interconnect.replicate(EVERYWHERE, new TrafficCounters()), false);
  const reason = errorReason(() => interconnect.control({ do: "attached" }));
  assert.is(reason, "replication requires the transaction log: `durability` is off");
  await interconnect.closeLog();
});

test("reports why replication is not available", (context) => {
  const attachError = (
    more: Partial<InterconnectSettings>,
    source: "sync" | "attached",
  ): string => {
    const { interconnect } = start(context, more);
    keep(context, interconnect);
    const command = { do: source, repair: "all", timeoutMs: 0 } as const;
    return errorReason(() => interconnect.control(command as never));
  };
  const off = "replication requires the transaction log: `durability` is off";
  const early = "replication has not started yet: retry";
  assert.equal(
    [
      attachError({ durability: "off" }, "sync"),
      attachError({}, "attached"),
      attachError({ attach: ["127.0.0.1:1"] }, "sync"),
      attachError({}, "sync"),
    ],
    [off, early, early, "true"],
  );
});

test("starts replication once, and ends it", async (context) => {
  const txPort = await freePort();
  const { interconnect } = start(context, { txPort });
  keep(context, interconnect);
  const board = new TrafficCounters();
  assert.is(await interconnect.replicate(EVERYWHERE, board), true);
  assert.is(await interconnect.replicate(EVERYWHERE, board), true);
  assert.is(await interconnect.control({ do: "bound" }), txPort);
  await interconnect.closeLog();
  await interconnect.closeLog();
  const next = start(context, { txPort }).interconnect;
  keep(context, next);
  assert.is(await next.replicate(EVERYWHERE, board), true, "the port is free again");
});

test("closes the files of its log", async (context) => {
  let openFiles = 0;
  const disk = changedDisk((file) => {
    openFiles++;
    return {
      close: () => {
        openFiles--;
        file.close();
      },
    };
  });
  const { interconnect, clock } = begin(context, disk);
  openStore(keep(context, interconnect)).createVertex("a");
  assert.ok(await isFlushed(clock));
  assert.ok(openFiles > 0);
  await interconnect.closeLog();
  assert.is(openFiles, 0);
});

test("keeps a graph once, and saves it", async (context) => {
  const { interconnect } = start(context);
  const store = keep(context, interconnect);
  openStore(store).createVertex("a");
  assert.is(requireIdentity(keep(context, interconnect)), requireIdentity(store));
  const saved = interconnect.save(0);
  assert.is(await saved, true);
  assert.ok(existsSync(join(context.root, "g", "graph.snapshot")));
});

test("recovers all graphs of the log, each with its settings", async (context) => {
  await write(context, "g", "h", SYSTEM_GRAPH);
  const settings = { path: "of/g", readonly: true, local: true, memory: "small" as const };
  const graphs = { g: { ...settings, indexes: [], constraints: [] } };
  const { interconnect } = start(context, { graphs });
  const recovered = interconnect.recover(true);
  assert.equal(recovered.failures, []);
  const shown = recovered.graphs.map(({ share, path, logPath, isLocal }) => {
    const store = GraphStore.attach(share, TEST_THREAD + 1);
    return [store.name, path, logPath, isLocal, store.isReadonly, isSmall(store)];
  });
  const { root } = context;
  assert.equal(shown.sort(), [
    [SYSTEM_GRAPH, join(root, SYSTEM_GRAPH), SYSTEM_GRAPH, true, false, true],
    ["g", join(root, "of/g"), "of/g", true, true, true],
    ["h", join(root, "h"), "h", false, false, false],
  ]);
});

test("recovers no writable graph in a read-only data folder", async (context) => {
  await write(context, "g");
  const { interconnect } = start(context, { readonly: true });
  const { graphs } = interconnect.recover(true);
  assert.ok(GraphStore.attach(graphs[0]!.share, TEST_THREAD + 1).isReadonly);
});

test("recovers no graph that was erased", async (context) => {
  await write(context, "g", "h");
  const { interconnect, clock } = start(context);
  interconnect.recover(true);
  interconnect.erase(requireIdentity(keep(context, interconnect, "g")));
  openStore(keep(context, interconnect, "h")).createVertex("b");
  assert.ok(await isFlushed(clock));
  await interconnect.closeLog();
  const names = start(context)
    .interconnect.recover(true)
    .graphs.map(({ share }) => GraphStore.attach(share, TEST_THREAD + 1).name);
  assert.equal(names, ["h"]);
});

test("takes over graphs, and recovers nothing", async (context) => {
  await write(context, "h");
  demote(context.root, END, 3);
  const previousInterconnect = start(context, { txPort: 1 }).interconnect;
  const graph = previousInterconnect.keep(request(context.root, "g"));
  const { interconnect } = start(context);
  interconnect.adopt([graph]);
  assert.is(interconnect.keep(request(context.root, "g")), graph);
  assert.ok(isReplicaRoot(context.root), "it has been decided what this instance is");
  const reason = errorReason(() => interconnect.control({ do: "attached" }));
  assert.is(reason, "replication has not started yet: retry");
  const saved = interconnect.save(0);
  assert.is(await saved, true);
  const stored = ["g", "h"].map((name) => existsSync(join(context.root, name, "graph.snapshot")));
  assert.equal(stored, [true, false]);
  const { interconnect: second } = start(context);
  second.adopt([{ ...graph, path: null }]);
  const secondReason = errorReason(() => second.control({ do: "attached" }));
  assert.match(secondReason, /requires the transaction log/);
});

test("makes no files for graphs that are not stored", (context) => {
  const { root } = context;
  demote(root, END, 3);
  writeFence(root, 5);
  const { interconnect } = start(context);
  const { share } = interconnect.keep({ ...request(root, "g"), isStorable: false });
  assert.not(GraphStore.attach(share, TEST_THREAD + 1).isReadonly);
  assert.equal([existsSync(join(root, LOG_FOLDER)), isReplicaRoot(root)], [false, true]);
});

test("leads with the graphs that it followed, unless it stays a follower", async (context) => {
  const { root } = context;
  demote(root, END, 3);
  for (const more of [{ txPort: 1 }, { followStream: "nats://a:1/S" }]) {
    assert.is(isWritable(context, more), false);
    assert.ok(isReplicaRoot(root));
  }
  const { interconnect, clock } = start(context);
  openStore(keep(context, interconnect)).createVertex("a");
  assert.ok(await isFlushed(clock));
  const ancestors = [{ ...END, counts: {} }];
  assert.equal([readLineage(root), isReplicaRoot(root)], [{ epoch: 4, ancestors }, false]);
  await interconnect.closeLog();
  assert.is(new LogChannel(realDisk, join(root, LOG_FOLDER)).log.epoch, 4);
  // An instance that has led does not follow if it is configured so, unless its group decides.
  assert.is(isWritable(context, { txPort: 1 }), true);
  assert.is(isWritable(context, { txPort: 1, leadership: LEADERSHIP }), false);
});

test("begins no lineage for a replica that has never received anything", (context) => {
  demote(context.root, null, 3);
  assert.is(isWritable(context), true);
  assert.equal([readLineage(context.root).epoch, isReplicaRoot(context.root)], [1, false]);
});

test("changes nothing once another instance leads in its place", (context) => {
  assert.is(isWritable(context), true);
  writeFence(context.root, 5);
  assert.is(isWritable(context), false);
});

test.run();
