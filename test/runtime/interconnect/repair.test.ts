// Diverged replicas: detection, refusal, and repair on request.
// limit: 240 s
// takes 10 s

import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Instance } from "./support/instance.js";
import { Instance as Instances, same, until } from "./support/instance.js";

interface Context {
  folder: string;
}

const test = suite<Context>("repair of replicas");
const running: Instance[] = [];
const DIFFERS = /SVC3200.*graph "g" has diverged.*after \d+ operations.*sync/;

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-repair-"));
});

test.after.each(async ({ folder }) => {
  for (const instance of running.splice(0)) await instance.stop();
  rmSync(folder, { recursive: true });
});

async function begin({ folder }: Context, name: string, txPort: number | null, attach?: number) {
  const options = attach === undefined ? {} : { attach: [`127.0.0.1:${attach}`] };
  const instance = await Instances.start(join(folder, name), { txPort, ...options });
  running.push(instance);
  return instance;
}

async function end(instance: Instance): Promise<void> {
  running.splice(running.indexOf(instance), 1);
  await instance.stop();
}

/** Changes a property value, bypassing all checks. */
function spoil(instance: Instance, value: number): void {
  const store = instance.store();
  const [vertex, key] = [store.ids.find("a"), store.keys.codeOf("n")];
  store.writer.mutate(() => store.properties.set(vertex, key, value));
}

async function hasSaid(instance: Instance, pattern: RegExp): Promise<void> {
  await until(
    () => pattern.test(instance.log),
    () => instance.log,
  );
}

async function pair(context: Context): Promise<[Instance, Instance, number]> {
  const replica = await begin(context, "b", 0);
  const port = Number(await replica.control({ do: "bound" }));
  const provider = await begin(context, "a", null, port);
  provider.graph().createVertex("a", { properties: { n: 1 } });
  provider.graph("h").createVertex("b");
  await same(provider, replica);
  await same(provider, replica, "h");
  return [provider, replica, port];
}

const REPAIR = { do: "sync", repair: "different", timeoutMs: 60_000 } as const;

test("detects one diverged value and repairs it on request", async (context) => {
  const [provider, replica, port] = await pair(context);
  assert.is(await provider.control(REPAIR), true, "nothing differs");
  const { operationCount } = replica.store();
  spoil(replica, 2);
  await hasSaid(replica, DIFFERS);
  await hasSaid(provider, /SVC2532.*has diverged/);
  provider.graph().createVertex("later");
  provider.graph("h").createVertex("later");
  await provider.isFlushed();
  assert.is(replica.store().operationCount, operationCount, "it has stopped");
  assert.is(await provider.control(REPAIR), true);
  assert.equal([provider.shown.synchronizing, replica.shown.synchronizing], [0, 0], "at once");
  await same(provider, replica);
  await same(provider, replica, "h");
  // The repair is permanent.
  await end(replica);
  const restartedInstance = await begin(context, "b", port);
  await same(provider, restartedInstance);
});

test("detects divergence while the provider is written to", async (context) => {
  const [provider, replica] = await pair(context);
  spoil(replica, 3);
  let next = 0;
  const writing = setInterval(() => provider.graph().createVertex(`more${next++}`), 1);
  try {
    await hasSaid(replica, DIFFERS);
  } finally {
    clearInterval(writing);
  }
  assert.is(await provider.control({ ...REPAIR, repair: "all" }), true);
  await same(provider, replica);
});

test("detects a provider changed without its log", async (context) => {
  const [provider, replica] = await pair(context);
  spoil(provider, 4);
  await hasSaid(replica, DIFFERS);
  assert.is(await provider.control(REPAIR), true);
  await same(provider, replica);
});

test("refuses a replica that is diverged at connect, and cancels pending repairs", async (c) => {
  const [provider, replica, port] = await pair(c);
  await provider.control({ do: "detach", uri: null });
  spoil(replica, 5);
  await provider.control({ do: "attach", uri: `svc://127.0.0.1:${port}` });
  await hasSaid(provider, /SVC2532.*graph "g" has diverged/);
  await provider.control({ do: "suspend", what: "output" });
  assert.is(await provider.control({ do: "cancelSync" }), 0);
  await replica.control({ do: "suspend", what: "input" });
  assert.is(await provider.control({ ...REPAIR, timeoutMs: 100 }), false);
  const waiting = provider
    .control(REPAIR)
    .then(String, ({ code, message }) => `${code} ${message}`);
  assert.is(await provider.control({ do: "cancelSync" }), 1);
  assert.match(await waiting, /^SVC2830 .*cancelled: replicas may still diverge/);
  await replica.control({ do: "resume", what: "input" });
  await provider.control({ do: "resume", what: "output" });
  await provider.control(REPAIR);
  await same(provider, replica);
});

test("recognizes a replica that is ahead, which promotion preserves", async (context) => {
  const [provider, replica, port] = await pair(context);
  await end(provider);
  const [root, earlier] = [join(context.folder, "a"), join(context.folder, "earlier")];
  cpSync(root, earlier, { recursive: true });
  const laterInstance = await begin(context, "a", null, port);
  laterInstance.graph().createVertex("later");
  await same(laterInstance, replica);
  await end(laterInstance);
  rmSync(root, { recursive: true });
  cpSync(earlier, root, { recursive: true });
  const back = await begin(context, "a", null, port);
  await hasSaid(back, /SVC2532.*restored to an earlier state.*Promote the replica.*empty root/);
  assert.is(await back.control({ ...REPAIR, timeoutMs: 100 }), false, "nothing is taken back");
  assert.ok(replica.store().ids.find("later") > 0);
  await replica.control({ do: "promote" });
  await hasSaid(back, /SVC2535/);
  replica.graph().createVertex("goes on");
});

test.run();
