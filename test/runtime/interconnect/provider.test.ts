// A provider whose log does not reach back to all that its graphs hold, and one for whom something
// happens while it sends snapshots: what its subscriber has in the end is the same.
// limit: 120 s

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { GraphKeeper } from "../../../runtime/graph/keeper/graph-keeper.js";
import { LogClock } from "../../../runtime/graph/log/logged-store.js";
import { GraphStore } from "../../../runtime/graph/store/graph-store.js";
import { DurableLog } from "../../../runtime/interconnect/durable-log.js";
import { Gate } from "../../../runtime/interconnect/gate.js";
import { realDisk } from "../../../runtime/interconnect/log/disk.js";
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

/** A run of the provider that changes graph "g", and saves it. */
async function run({ root }: Context, log: "async" | "off", id: string): Promise<void> {
  const instance = await Instance.start(root, { log });
  for (let index = 0; index < 3; index++) instance.graph().createVertex(`${id}${index}`);
  if (log !== "off") assert.ok(await instance.isFlushed());
  await instance.save();
  await instance.stop();
}

test("what was done while the log was off comes as a snapshot", async (context) => {
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

test("a graph that is made while snapshots are sent is followed, too", async (context) => {
  await run(context, "off", "a");
  const { root } = context;
  const lines: string[] = [];
  const warn = (line: string): number => lines.push(line);
  const clock = new LogClock();
  const log = new DurableLog({ root, mode: "async", clock, warn, disk: realDisk });
  const settings = { events: false, idle: false, saveEvery: 0, txPort: null };
  const keeper = new GraphKeeper(TEST_THREAD, settings, warn, log);
  const keep = (name: string): GraphStore => {
    const isAny = { isStorable: true, isLocal: false, isReadonly: false };
    const shared = keeper.keep({ name, path: name, folder: join(root, name), ...isAny });
    return GraphStore.attach(shared.share, TEST_THREAD + 1);
  };
  keep("g");
  const saveNow = async (name: string): Promise<string> => {
    keep("made");
    assert.ok(await clock.wait(clock.next));
    return keeper.saveNow(name, 60_000);
  };
  const port = await freePort();
  const subscriber = await Instance.start(join(context.folder, "b"), { txPort: port });
  const provider = new Provider({
    ...{ host: "127.0.0.1", port, key: new SharedKey(null), log, warn },
    ...{ snapshots: { saveNow }, traffic: new Traffic(), gate: new Gate() },
    origin: () => ({ isRoot: true, log: log.channel.log.logId, ancestors: [] }),
    status: () => ({ at: 0, host: "", adminPort: 0, serial: 0, digest: "0".repeat(32) }),
    fenced: () => undefined,
  });
  const running = provider.run();
  try {
    const what = (): string => `${lines.join("\n")}\n---\n${subscriber.log}`;
    await until(() => subscriber.store().operationCount === 3, what);
    openStore(keep("made")).createVertex("a");
    await until(() => subscriber.store("made").operationCount === 1, what);
  } finally {
    provider.stop();
    await running;
    await subscriber.stop();
    for (const name of keeper.names()) keeper.drop(name, false);
    await log.close();
  }
});

test.run();
