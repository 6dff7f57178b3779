// A provider whose transaction log does not reach back to all contents of its graphs, and one that
// changes while it sends snapshots: the subscriber converges in both cases.
// limit: 120 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GraphManager } from "../../../runtime/graph/manager/graph-manager.js";
import { CommitClock } from "../../../runtime/graph/manager/logging-entry-points.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { DurableLog } from "../../../runtime/interconnect/durable-log.js";
import { FlowControl } from "../../../runtime/interconnect/flow-control.js";
import { realDisk } from "../../../runtime/interconnect/log/disk.js";
import type { MemberProgress } from "../../../runtime/interconnect/log-transport.js";
import { Provider } from "../../../runtime/interconnect/provider.js";
import { SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";
import { Traffic } from "../../../runtime/metrics/traffic.js";
import { openStore, TEST_THREAD } from "../graph/support/make-graph.js";
import { freePort, Instance, same, until } from "./support/instance.js";

interface Context {
  folder: string;
  root: string;
}

const test = suite<Context>("provider");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-provider-"));
  context.root = join(context.folder, "a");
});

test.after.each(({ folder }) => rmSync(folder, { recursive: true }));

/** A run of the provider that changes graph "g" and saves it. */
async function run({ root }: Context, log: "async" | "off", id: string): Promise<void> {
  const instance = await Instance.start(root, { durability: log });
  for (let index = 0; index < 3; index++) instance.graph().createVertex(`${id}${index}`);
  if (log !== "off") assert.ok(await instance.isFlushed());
  await instance.save();
  await instance.stop();
}

test("sends a snapshot for changes made without a log", async (context) => {
  await run(context, "async", "a");
  await run(context, "off", "b");
  await run(context, "async", "c");
  const txPort = await freePort();
  const provider = await Instance.start(context.root, { attach: [`127.0.0.1:${txPort}`] });
  const subscriber = await Instance.start(join(context.folder, "b"), { txPort });
  try {
    assert.is(provider.store().operationCount, 9);
    await same(provider, subscriber);
  } finally {
    await provider.stop();
    await subscriber.stop();
  }
});

/** A provider of graph "g" alone. */
function provide({ root }: Context, port: number, members?: MemberProgress) {
  const lines: string[] = [];
  const warn = (line: string): number => lines.push(line);
  const clock = new CommitClock();
  const log = new DurableLog({ root, mode: "async", clock, warn, disk: realDisk });
  const settings = { events: false, saveEvery: 0, txPort: null, followStream: null };
  const manager = new GraphManager(TEST_THREAD, settings, warn, log);
  const keep = (name: string): GraphStore => {
    const isAny = { isStorable: true, isLocal: false, isReadonly: false };
    const shared = manager.open({ name, path: name, folder: join(root, name), ...isAny });
    return GraphStore.attach(shared.share, TEST_THREAD + 1);
  };
  keep("g");
  const snapshots = { saveNow: (name: string) => manager.saveNow(name, 60_000) };
  const provider = new Provider({
    ...{ host: "127.0.0.1", port, key: new SharedKey(null), log, warn },
    ...{ snapshots, traffic: new Traffic(), gate: new FlowControl(), members },
    origin: () => ({
      isRoot: true,
      log: log.channel.log.logId,
      ancestors: [],
      isCaughtUp: true,
    }),
    status: () => ({
      at: 0,
      host: "",
      adminPort: 0,
      serial: 0,
      digest: "0".repeat(32),
      graphs: [],
      goal: null,
    }),
    onFenced: () => undefined,
  });
  const isFlushed = (): Promise<boolean> => clock.wait(clock.nextFlush);
  const end = async (): Promise<void> => {
    provider.stop();
    await running;
    for (const name of manager.names()) manager.drop(name, false);
    await log.close();
  };
  const running = provider.run();
  return { lines, keep, snapshots, isFlushed, end };
}

test("replicates a graph created while snapshots are sent", async (context) => {
  await run(context, "off", "a");
  const port = await freePort();
  const provider = provide(context, port);
  const { saveNow } = provider.snapshots;
  provider.snapshots.saveNow = async (name) => {
    provider.keep("made");
    assert.ok(await provider.isFlushed());
    return saveNow(name);
  };
  const subscriber = await Instance.start(join(context.folder, "b"), { txPort: port });
  try {
    const describeLogs = (): string => `${provider.lines.join("\n")}\n---\n${subscriber.log}`;
    await until(() => subscriber.store().operationCount === 3, describeLogs);
    openStore(provider.keep("made")).createVertex("a");
    await until(() => subscriber.store("made").operationCount === 1, describeLogs);
  } finally {
    await provider.end();
    await subscriber.stop();
  }
});

test("shows no serial before the first transaction", async (context) => {
  const instance = await Instance.start(context.root);
  try {
    assert.is(instance.shown.serial, 0);
    instance.graph().createVertex("a");
    await until(
      () => instance.shown.serial > 0,
      () => instance.log,
    );
  } finally {
    await instance.stop();
  }
});

test("tries a member of a group again sooner, and more often", async (context) => {
  const port = await freePort();
  const nothing = (): void => undefined;
  const member = { maxDelayMs: 40, ackMs: 1000, onAcknowledged: nothing, onLost: nothing };
  const delays = async (members?: MemberProgress): Promise<number[]> => {
    const [{ setTimeout: real }, { random }, { now }] = [globalThis, Math, performance];
    const counts: number[] = [];
    const trackTimer = (run: () => void, ms = 0): NodeJS.Timeout => {
      // Refused connections, which the logs of the provider do not wait for.
      if (new Error().stack!.includes("retry-loop")) counts.push(ms);
      return real(run, Math.min(ms, 1));
    };
    globalThis.setTimeout = trackTimer as typeof setTimeout;
    Math.random = () => 0;
    // Attempts that take long begin again with the shortest delay.
    performance.now = () => 1000;
    const provider = provide(context, port, members);
    try {
      await until(
        () => counts.length >= 4,
        () => provider.lines.join("\n"),
      );
    } finally {
      [globalThis.setTimeout, Math.random, performance.now] = [real, random, now];
      await provider.end();
    }
    return counts.slice(0, 4);
  };
  assert.equal(await delays(), [50, 100, 200, 400]);
  assert.equal(await delays(member), [10, 20, 40, 40]);
});

test.run();
