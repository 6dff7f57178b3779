// Replication controlled at run time: attach and detach, suspend, throttle, and promotion of a
// replica, which fences the former provider.
// limit: 240 s
// takes 6 s

import { once } from "node:events";
import { cpSync, existsSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { FlowControl } from "../../../runtime/interconnect/flow-control.js";
import { readLineage, readReplicaMarker } from "../../../runtime/interconnect/lineage.js";
import { Provider, type ProviderParts } from "../../../runtime/interconnect/provider.js";
import { SharedKey } from "../../../runtime/interconnect/wire/shared-key.js";
import { freePort, same, until } from "./support/instance.js";
import {
  begin,
  end,
  type InstancesContext,
  rejectionCode,
  withInstances,
} from "./support/instances.js";

const FENCED = "another instance provides in its place";

const test = suite<InstancesContext>("replication under control");
withInstances(test);

test("binds, attaches, fences and detaches at run time", async (context) => {
  const [port, provider] = [await freePort(), await begin(context, "a")];
  const replica = await begin(context, "b");
  await replica.control({ do: "bind", port });
  assert.is(await replica.control({ do: "bound" }), port);
  const uri = `svc://127.0.0.1:${port}`;
  await provider.control({ do: "attach", uri });
  assert.is(await rejectionCode(provider.control({ do: "attach", uri })), "SVC2536");
  assert.is(await rejectionCode(provider.control({ do: "attach", uri: "http://x" })), "SVC2536");
  assert.equal(await provider.control({ do: "attached" }), [uri]);
  provider.graph().createVertex("a");
  await provider.control({ do: "fence", timeoutMs: 60_000 });
  assert.is(replica.store().operationCount, 1);
  assert.throws(() => replica.graph().createVertex("b"), /readonly/);
  assert.is(await provider.control({ do: "detach", uri: null }), 1);
  provider.graph().createVertex("c");
  await provider.isFlushed();
  await provider.control({ do: "attach", uri });
  await same(provider, replica);
  await replica.control({ do: "unbind" });
  assert.is(await replica.control({ do: "bound" }), 0);
});

test("includes snapshot transfers in a fence", async (context) => {
  const before = await begin(context, "a", { durability: "off" });
  before.graph().createVertex("a");
  await before.save();
  await end(before);
  const port = await freePort();
  const provider = await begin(context, "b", { txPort: port });
  await provider.control({ do: "suspend", what: "input" });
  const replica = await begin(context, "a");
  assert.is(replica.store().operationCount, 1);
  await replica.control({ do: "attach", uri: `svc://127.0.0.1:${port}` });
  await until(
    () => /following .*\(1 graphs\)/.test(provider.log),
    () => provider.log,
  );
  assert.is(await rejectionCode(replica.control({ do: "fence", timeoutMs: 500 })), "SVC2537");
  await provider.control({ do: "resume", what: "input" });
  await replica.control({ do: "fence", timeoutMs: 60_000 });
  assert.is(provider.store().operationCount, 1);
});

test("resolves a fence when a subscriber reconnects after a crash while idle", async (c) => {
  const port = await freePort();
  const provider = await begin(c, "b", { txPort: port });
  const replica = await begin(c, "a", { attach: [`127.0.0.1:${port}`] });
  replica.graph().createVertex("a");
  await replica.control({ do: "fence", timeoutMs: 60_000 });
  await provider.isFlushed();
  // As after a crash: the end of the connection is not recorded.
  cpSync(join(c.folder, "b"), join(c.folder, "crashed"), { recursive: true });
  await end(provider);
  const back = await begin(c, "crashed", { txPort: port });
  await until(
    () => replica.log.split(" attached").length === 3,
    () => `${replica.log}\n---\n${back.log}`,
  );
  await replica.control({ do: "fence", timeoutMs: 60_000 });
  assert.is(back.store().operationCount, 1);
});

for (const channel of ["input", "output"] as const) {
  test(`transfers nothing while ${channel} is suspended`, async (context) => {
    const port = await freePort();
    const provider = await begin(context, "b", { txPort: port });
    const replica = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
    replica.graph().createVertex("a");
    await same(replica, provider);
    const instance = channel === "input" ? provider : replica;
    await instance.control({ do: "suspend", what: channel });
    assert.is(instance.shown.halted[channel === "input" ? "in" : "out"], true);
    replica.graph().createVertex("b");
    assert.is(await rejectionCode(replica.control({ do: "fence", timeoutMs: 100 })), "SVC2537");
    assert.is(provider.store().operationCount, 1);
    await instance.control({ do: "resume", what: channel });
    await same(replica, provider);
    assert.equal(instance.shown.halted, { in: false, out: false });
  });
}

test("throttles by each unit", async (context) => {
  const instance = await begin(context, "a");
  instance.graph().createVertex("a");
  const throttle = (unit: string, rate: number | null) =>
    instance.control({ do: "throttle", unit: unit as "bytes", rate });
  const noLimits = { bytes: null, opcodes: null, operations: null, transactions: null };
  assert.equal(await throttle("operations", 1000), { ...noLimits, operations: 1000 });
  assert.equal(await throttle("operations", null), noLimits);
  assert.is(await rejectionCode(throttle("miles", 1)), "SVC2536");
  assert.is(await rejectionCode(throttle("bytes", -1)), "SVC2536");
  const gate = new FlowControl();
  gate.throttle = { ...noLimits, bytes: 10_000, operations: 100_000 };
  const begun = performance.now();
  for (let frame = 0; frame < 4; frame++) await gate.pass(500, 10, 10);
  assert.ok(performance.now() - begun >= 190, "2000 bytes at 10,000 a second");
});

test("fences the former provider when a replica is promoted", async (context) => {
  const [first, second] = [await freePort(), await freePort()];
  const [toFirst, toSecond] = [`127.0.0.1:${first}`, `127.0.0.1:${second}`];
  const oldInstance = await begin(context, "a", { attach: [toFirst, toSecond] });
  const next = await begin(context, "b", { txPort: first });
  const sibling = await begin(context, "c", { txPort: second });
  for (const id of ["a", "b"]) oldInstance.graph().createVertex(id);
  await same(oldInstance, next);
  await same(oldInstance, sibling);
  assert.is(await next.control({ do: "promote" }), 2);
  assert.is(next.shown.provider, null);
  next.graph().createVertex("after");
  await until(
    () => oldInstance.log.includes("SVC2535"),
    () => oldInstance.log,
  );
  assert.throws(() => oldInstance.graph().createVertex("lost"), /readonly/);
  assert.equal(oldInstance.readiness, [null, FENCED]);
  assert.equal(await oldInstance.control({ do: "attached" }), []);
  await next.control({ do: "attach", uri: `svc://${toSecond}` });
  await same(next, sibling);
  // The same after restarts of both.
  await end(next);
  const restartedInstance = await begin(context, "b", { attach: [toSecond] });
  restartedInstance.graph().createVertex("later");
  await same(restartedInstance, sibling);
  await end(restartedInstance);
  // A replaced provider stays replaced, even if no instance can tell it so.
  await end(oldInstance);
  const back = await begin(context, "a", { attach: [toSecond] });
  assert.match(back.log, /SVC2535.*fenced at epoch 2.*promote/);
  assert.throws(() => back.graph().createVertex("lost"), /readonly/);
  assert.is(
    await rejectionCode(back.control({ do: "attach", uri: `svc://${toSecond}` })),
    "SVC2535",
  );
  // Unless an operator forces it, accepting the consequences.
  assert.equal(back.readiness, [FENCED]);
  assert.is(await back.control({ do: "promote" }), 3);
  assert.is(back.readiness.at(-1), null);
  back.graph().createVertex("mine");
  await back.isFlushed();
  await end(back);
  const ownInstance = await begin(context, "a", {});
  assert.ok(ownInstance.graph().hasVertex("mine"));
  ownInstance.graph().createVertex("more");
});

test("reorders a chain: the last instance moves up, and a new one joins", async (context) => {
  const [middle, last] = [await freePort(), await freePort()];
  const [toMiddle, toLast] = [`svc://127.0.0.1:${middle}`, `svc://127.0.0.1:${last}`];
  const a = await begin(context, "a");
  const b = await begin(context, "b", { txPort: middle });
  const c = await begin(context, "c", { txPort: last });
  await a.control({ do: "attach", uri: toMiddle });
  await b.control({ do: "attach", uri: toLast });
  a.graph().createVertex("a");
  await same(a, c);
  await b.control({ do: "detach", uri: toLast });
  await a.control({ do: "attach", uri: toLast });
  a.graph().createVertex("b");
  await same(a, c);
  await end(b);
  await a.control({ do: "detach", uri: toLast });
  const anew = await begin(context, "b-anew", { txPort: middle });
  await same(a, anew);
  await anew.control({ do: "attach", uri: toLast });
  a.graph().createVertex("c");
  await same(a, c);
});

test("follows a provider that restarts before its first write", async (context) => {
  const port = await freePort();
  const replica = await begin(context, "b", { txPort: port });
  const oldInstance = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  await until(
    () => /following .*\(0 graphs\)/.test(replica.log),
    () => oldInstance.log,
  );
  await end(oldInstance);
  const restartedInstance = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  restartedInstance.graph().createVertex("a");
  await same(restartedInstance, replica);
});

test("rejects a promoted provider that would discard changes of a replica", async (context) => {
  const [first, second] = [await freePort(), await freePort()];
  const [toFirst, toSecond] = [`127.0.0.1:${first}`, `127.0.0.1:${second}`];
  const oldInstance = await begin(context, "a", { attach: [toFirst, toSecond] });
  const next = await begin(context, "b", { txPort: first });
  const ahead = await begin(context, "c", { txPort: second });
  oldInstance.graph().createVertex("a");
  await same(oldInstance, next);
  await same(oldInstance, ahead);
  await next.control({ do: "suspend", what: "input" });
  oldInstance.graph().createVertex("b");
  await same(oldInstance, ahead);
  await end(oldInstance);
  await next.control({ do: "promote" });
  await next.control({ do: "attach", uri: `svc://${toSecond}` });
  await until(
    () => /SVC2532.*former provider was superseded/.test(next.log),
    () => next.log,
  );
});

test("promotes a replica that starts without a provider", async (context) => {
  const port = await freePort();
  const replica = await begin(context, "b", { txPort: port });
  const oldInstance = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  oldInstance.graph().createVertex("a");
  await same(oldInstance, replica);
  await end(replica);
  const next = await begin(context, "b");
  const [{ counts } = { counts: undefined }] = readLineage(join(context.folder, "b")).ancestors;
  assert.equal(Object.values(counts ?? {}), [next.store().operationCount]);
  next.graph().createVertex("b");
  assert.is(await next.control({ do: "promote" }), 2, "no more than once");
});

test("stays the provider after a restart with its previous configuration", async (context) => {
  const port = await freePort();
  const replica = await begin(context, "b", { txPort: port });
  const oldInstance = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  oldInstance.graph().createVertex("a");
  await same(oldInstance, replica);
  await end(oldInstance);
  await replica.control({ do: "promote" });
  replica.graph().createVertex("b");
  await end(replica);
  const restartedInstance = await begin(context, "b", { txPort: port });
  assert.match(restartedInstance.log, /was promoted at epoch 2.*empty root/);
  restartedInstance.graph().createVertex("c");
  assert.is(await restartedInstance.control({ do: "promote" }), 2);
  // The former provider, which missed the promotion, is notified.
  const back = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  await until(
    () => back.log.includes("SVC2535"),
    () => back.log,
  );
  const otherPort = await freePort();
  const sibling = await begin(context, "c", { txPort: otherPort });
  await restartedInstance.control({ do: "attach", uri: `svc://127.0.0.1:${otherPort}` });
  await same(restartedInstance, sibling);
  assert.is(await rejectionCode(restartedInstance.control({ do: "bind", port })), "SVC2534");
});

test("refuses to follow after a promotion before the first transfer", async (context) => {
  const port = await freePort();
  const replica = await begin(context, "b", { txPort: port });
  assert.is(await replica.control({ do: "promote" }), 2);
  replica.graph().createVertex("a");
  await end(replica);
  const restartedInstance = await begin(context, "b", { txPort: port });
  restartedInstance.graph().createVertex("b");
  assert.is(restartedInstance.store().operationCount, 2);
});

test("detects a lost provider while input is suspended", async (context) => {
  const port = await freePort();
  const replica = await begin(context, "b", { txPort: port });
  const oldInstance = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  oldInstance.graph().createVertex("a");
  await same(oldInstance, replica);
  await replica.control({ do: "suspend", what: "input" });
  oldInstance.graph().createVertex("b");
  await oldInstance.isFlushed();
  await end(oldInstance);
  await until(
    () => replica.log.includes("disconnected"),
    () => replica.log,
  );
  assert.is(replica.store().operationCount, 1);
  const back = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  await replica.control({ do: "resume", what: "input" });
  await same(back, replica);
});

test("reports the exact position of a replica, also when it stops", async (context) => {
  const port = await freePort();
  const replica = await begin(context, "b", { txPort: port });
  const provider = await begin(context, "a", { attach: [`127.0.0.1:${port}`] });
  assert.is(provider.shown.serial, 0, "it has no changes");
  for (const id of ["a", "b", "c"]) {
    provider.graph().createVertex(id);
    await same(provider, replica);
  }
  // Shows the present state at once.
  for (const instance of [provider, replica])
    await instance.control({ do: "resume", what: "output" });
  await until(
    () => provider.shown.serial > 0 && replica.shown.serial === provider.shown.serial,
    () => `${replica.shown.serial}, not ${provider.shown.serial}`,
  );
  await end(replica);
  // With the record that the graph was opened.
  assert.is(readReplicaMarker(join(context.folder, "b"))?.log?.sn, 4);
});

test("remains a provider when its port is taken", async (context) => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const instance = await begin(context, "a");
  const mark = join(context.folder, "a", "_replica.json");
  assert.is(await rejectionCode(instance.control({ do: "bind", port })), "SVC2530");
  assert.not.ok(existsSync(mark));
  const ownPort = await freePort();
  await instance.control({ do: "bind", port: ownPort });
  assert.ok(existsSync(mark));
  assert.is(await rejectionCode(instance.control({ do: "bind", port })), "SVC2530");
  const provider = await begin(context, "b", { attach: [`127.0.0.1:${ownPort}`] });
  provider.graph().createVertex("a");
  await same(provider, instance);
  assert.is(await instance.control({ do: "bound" }), ownPort);
  // Its own port again, too.
  await instance.control({ do: "bind", port: ownPort });
  provider.graph().createVertex("b");
  await same(provider, instance);
  await new Promise((resolve) => server.close(resolve));
});

test("sends nothing when it is detached while connecting", async () => {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const log = { removed: 0 };
  const parts = {
    ...{ host: "127.0.0.1", port: (server.address() as AddressInfo).port },
    log: { onFlushed: () => () => log.removed++ },
    origin: () => ({ isRoot: true, log: "a", ancestors: [], isCaughtUp: true }),
    key: new SharedKey(null),
    warn: () => undefined,
  } as unknown as ProviderParts;
  let received = 0;
  server.on("connection", (socket: Socket) => {
    socket.on("error", () => undefined);
    socket.on("data", (bytes) => {
      received += bytes.length;
    });
  });
  const provider = new Provider(parts);
  const connected = once(server, "connection");
  const ended = provider.run();
  provider.stop();
  await ended;
  await connected;
  await new Promise((resolve) => server.close(resolve));
  assert.equal([received, log.removed], [0, 1]);
});

test.run();
