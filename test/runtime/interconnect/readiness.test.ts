// Readiness of replicas for service: never before they have everything that their provider had,
// along a chain too.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { readReplicaMarker, writeFence } from "../../../runtime/interconnect/lineage.js";
import { freePort, Instance, type InstanceOptions, same, until } from "./support/instance.js";

interface Context {
  folder: string;
  running: Set<Instance>;
}

const test = suite<Context>("readiness");

test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), "svc-readiness-"));
  context.running = new Set();
});

test.after.each(async ({ folder, running }) => {
  for (const instance of running) await instance.stop();
  rmSync(folder, { recursive: true });
});

async function begin(context: Context, root: string, options: InstanceOptions = {}) {
  const instance = await Instance.start(join(context.folder, root), options);
  context.running.add(instance);
  return instance;
}

async function end({ running }: Context, instance: Instance): Promise<void> {
  running.delete(instance);
  await instance.stop();
}

function isReady({ readiness }: Instance): boolean {
  return readiness.at(-1) === null;
}

const log =
  (...instances: Instance[]) =>
  () =>
    instances.map((instance) => instance.log).join("\n---\n");

test("is ready at once as a provider, and as a replica of an empty one", async (context) => {
  const port = await freePort();
  const replica = await begin(context, "b", { txPort: port });
  assert.equal(replica.readiness, ["waiting for a provider"]);
  const provider = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  assert.equal(provider.readiness, [null]);
  await until(() => isReady(replica), log(provider, replica));
});

test("is ready once it has everything that the provider had", async (context) => {
  const port = await freePort();
  const provider = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  for (let index = 0; index < 50; index++) provider.graph().createVertex(`v${index}`);
  await provider.isFlushed();
  const replica = await begin(context, "b", { txPort: port });
  let order = -1;
  await until(
    () => {
      if (!isReady(replica)) return false;
      order = replica.graph().order;
      return true;
    },
    log(provider, replica),
  );
  assert.is(order, 50);
  assert.ok(readReplicaMarker(join(context.folder, "b"))?.isCaughtUp);
  // It lags, and stays ready.
  await end(context, provider);
  await until(() => replica.shown.replica.state === "orphan", log(replica));
  assert.ok(isReady(replica));
});

test("waits along a chain for the provider of its provider", async (context) => {
  const [middlePort, lastPort] = [await freePort(), await freePort()];
  const middle = await begin(context, "b", {
    ...{ txPort: middlePort, attach: [`127.0.0.1:${lastPort}`] },
  });
  const last = await begin(context, "c", { txPort: lastPort });
  assert.equal([isReady(middle), isReady(last)], [false, false]);
  const first = await begin(context, "a", { attach: [`127.0.0.1:${middlePort}`] });
  first.graph().createVertex("x");
  await until(() => isReady(last), log(first, middle, last));
  assert.ok(isReady(middle));
  await same(first, last);
});

test("is not ready with an empty folder in place of a lost one", async (context) => {
  const port = await freePort();
  const provider = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  for (let index = 0; index < 50; index++) provider.graph().createVertex(`v${index}`);
  await provider.save();
  const replica = await begin(context, "b", { txPort: port });
  await until(() => isReady(replica), log(provider, replica));
  await end(context, replica);
  rmSync(join(context.folder, "b"), { recursive: true });
  const restartedInstance = await begin(context, "b", { txPort: port });
  assert.equal(restartedInstance.readiness, ["waiting for a provider"]);
  let order = -1;
  await until(
    () => {
      if (!isReady(restartedInstance)) return false;
      order = restartedInstance.graph().order;
      return true;
    },
    log(provider, restartedInstance),
  );
  assert.is(order, 50);
});

test("is ready once promoted, and never while fenced", async (context) => {
  const replica = await begin(context, "b", { txPort: await freePort() });
  await replica.control({ do: "promote" });
  assert.ok(isReady(replica));
  const root = join(context.folder, "c");
  await end(context, await begin(context, "c"));
  writeFence(root, 3);
  const fenced = await begin(context, "c", { attach: ["127.0.0.1:1"] });
  assert.equal(fenced.readiness, ["another instance provides in its place"]);
});

test("keeps its readiness when it stops listening", async (context) => {
  const replica = await begin(context, "b", { txPort: await freePort() });
  await replica.control({ do: "unbind" });
  await until(() => replica.shown.txPort === 0, log(replica));
  assert.equal(replica.readiness, ["waiting for a provider"]);
});

test.run();
