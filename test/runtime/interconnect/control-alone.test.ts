// Control operations on one instance, whose subscribers cannot be reached.

import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Control } from "../../../runtime/interconnect/control.js";
import { writeFence } from "../../../runtime/interconnect/lineage.js";
import { freePort, type Instance, until } from "./support/instance.js";
import {
  begin,
  end,
  type InstancesContext,
  rejectionCode,
  withInstances,
} from "./support/instances.js";

const test = suite<InstancesContext>("control of one instance");
withInstances(test);

const NONE = "svc://127.0.0.1:1";

function runControl(instance: Instance, control: Control): Promise<unknown> {
  return instance.control(control).catch(({ code, message }: Error & { code: string }) => {
    return `${code}: ${message}`;
  });
}

test("attaches each subscriber once, and detaches one or all", async (context) => {
  const instance = await begin(context, "a");
  const otherUrl = "svc://127.0.0.1:2";
  for (const uri of [NONE, otherUrl]) await instance.control({ do: "attach", uri });
  const again = await runControl(instance, { do: "attach", uri: NONE });
  assert.is(again, `SVC2536: Subscriber already exists: ${NONE}`);
  assert.equal(await instance.control({ do: "attached" }), [NONE, otherUrl]);
  assert.is(await instance.control({ do: "detach", uri: "svc://127.0.0.1:3" }), 0);
  assert.is(await instance.control({ do: "detach", uri: NONE }), 1);
  assert.equal(await instance.control({ do: "attached" }), [otherUrl]);
  await instance.control({ do: "attach", uri: NONE });
  assert.is(await instance.control({ do: "detach", uri: null }), 2);
  assert.equal(await instance.control({ do: "attached" }), []);
});

test("waits for subscribers up to the given time", async (context) => {
  const instance = await begin(context, "a");
  instance.graph().createVertex("x");
  assert.is(await instance.control({ do: "fence", timeoutMs: 0 }), undefined);
  assert.is(await instance.control({ do: "sync", repair: "all", timeoutMs: 0 }), true);
  assert.is(await instance.control({ do: "cancelSync" }), 0);
  await instance.control({ do: "attach", uri: NONE });
  const text = `${NONE} did not acknowledge all changes within 1 ms`;
  assert.is(
    await runControl(instance, { do: "fence", timeoutMs: 1 }),
    `SVC2537: replication: ${text}`,
  );
  assert.is(await instance.control({ do: "sync", repair: "all", timeoutMs: 1 }), false);
  assert.is(await instance.control({ do: "cancelSync" }), 1);
  assert.is(await instance.control({ do: "cancelSync" }), 0);
  const syncing = rejectionCode(
    instance.control({ do: "sync", repair: "all", timeoutMs: 600_000 }),
  );
  assert.is(await instance.control({ do: "cancelSync" }), 1);
  assert.is(await syncing, "SVC2830");
});

test("limits rates and halts traffic in each direction", async (context) => {
  const instance = await begin(context, "a");
  const throttle = (unit: string, rate: number | null) =>
    runControl(instance, { do: "throttle", unit: unit as "bytes", rate });
  assert.match(String(await throttle("lines", 1)), /^SVC2536: unit must be one of .*bytes/);
  for (const rate of [0, -1, Number.NaN]) {
    assert.is(await throttle("bytes", rate), "SVC2536: rate must be above 0");
  }
  const bytes = (record: unknown): unknown => (record as { bytes?: unknown }).bytes;
  assert.is(bytes(await throttle("bytes", 5)), 5);
  assert.is(bytes(instance.shown.throttle), 5);
  assert.is(bytes(await throttle("bytes", null)), null);
  assert.equal(instance.shown.halted, { in: false, out: false });
  await instance.control({ do: "suspend", what: "input" });
  assert.equal(instance.shown.halted, { in: true, out: false });
  await instance.control({ do: "suspend", what: "output" });
  await instance.control({ do: "resume", what: "input" });
  assert.equal(instance.shown.halted, { in: false, out: true });
  await instance.control({ do: "resume", what: "output" });
  assert.equal(instance.shown.halted, { in: false, out: false });
});

test("listens for a provider until it is reconfigured", async (context) => {
  const instance = await begin(context, "a");
  assert.equal([instance.readiness, instance.shown.replica.state], [[null], "leader"]);
  assert.is(await instance.control({ do: "bound" }), 0);
  const port = await freePort();
  await instance.control({ do: "bind", port });
  assert.is(await instance.control({ do: "bound" }), port);
  assert.is(instance.shown.replica.state, "waiting");
  assert.is(instance.readiness.length, 2);
  assert.throws(() => instance.graph().createVertex("x"), /readonly/);
  // Its own port is free for it.
  await instance.control({ do: "bind", port });
  const otherPort = await freePort();
  await instance.control({ do: "bind", port: otherPort });
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  server.close();
  for (let times = 0; times < 2; times++) {
    await instance.control({ do: "unbind" });
    assert.equal([await instance.control({ do: "bound" }), instance.readiness.length], [0, 2]);
    assert.is(instance.shown.replica.state, "waiting", "its graphs are those of a replica");
  }
  for (const epoch of [2, 3]) {
    assert.is(await instance.control({ do: "promote" }), epoch);
    assert.equal([instance.readiness.at(-1), instance.shown.replica.state], [null, "leader"]);
    await instance.control({ do: "unbind" });
    assert.is(instance.shown.replica.state, "leader");
    if (epoch === 3) break;
    await instance.control({ do: "bind", port });
    assert.is(instance.shown.replica.state, "waiting", "nothing has changed here");
  }
  instance.graph().createVertex("x");
});

test("a fenced instance writes no backup and attaches nothing until it is promoted", async (c) => {
  await end(await begin(c, "a"));
  const archive = join(c.folder, "backup");
  const writing = await begin(c, "b", { archive });
  assert.is.not(writing.shown.archive, null);
  await end(writing);
  writeFence(join(c.folder, "a"), 7);
  const instance = await begin(c, "a", { archive });
  assert.equal([instance.shown.archive, instance.shown.replica.state], [null, "fenced"]);
  const attach = { do: "attach", uri: NONE } as const;
  const text = "this instance was fenced at epoch 7 and provides nothing";
  assert.is(await runControl(instance, attach), `SVC2535: replication: ${text}`);
  assert.is(await instance.control({ do: "promote" }), 8);
  assert.is(await runControl(instance, attach), undefined);
  assert.equal([instance.readiness.at(-1), instance.shown.replica.state], [null, "leader"]);
});

test("has no leader to hand over to, and digests of all graphs", async (context) => {
  const instance = await begin(context, "a");
  instance.graph().createVertex("x");
  assert.equal(await instance.control({ do: "checkDigests" }), []);
  const text = "SVC3403: handover: this instance has no leadership settings";
  assert.is(await runControl(instance, { do: "handOver", to: "b", timeoutMs: 1 }), text);
});

test("needs the transaction log only if it replicates", async (context) => {
  const undurableInstance = await begin(context, "a", { durability: "off" });
  const text = "SVC2530: replication requires the transaction log: `durability` is off";
  for (const control of [{ do: "bound" }, { do: "sync", repair: "all", timeoutMs: 1 }] as const) {
    assert.is(await runControl(undurableInstance, control), text);
  }
  // A log that is off does not count.
  const previousInstance = await begin(context, "c");
  previousInstance.graph().createVertex("x");
  await end(previousInstance);
  for (const options of [{ txPort: 0 }, { attach: [NONE] }, { archive: context.folder }]) {
    for (const name of ["b", "c"]) {
      assert.is(
        await rejectionCode(begin(context, name, { ...options, durability: "off" })),
        "SVC2530",
      );
    }
  }
});

test("rejects two sources, and one that cannot be followed", async (context) => {
  const both = { txPort: await freePort(), followStream: "nats://127.0.0.1:1/stream" };
  assert.is(await rejectionCode(begin(context, "a", both)), "SVC3360");
  assert.is(await rejectionCode(begin(context, "b", { followStream: NONE })), "SVC3360");
});

test("keeps its epoch and its role when it starts again", async (context) => {
  const port = await freePort();
  const instance = await begin(context, "a", { txPort: port });
  assert.is(await instance.control({ do: "promote" }), 2);
  instance.graph().createVertex("x");
  await end(instance);
  const restartedInstance = await begin(context, "a", { txPort: port });
  assert.match(
    restartedInstance.log,
    `this instance was promoted at epoch 2 and is now a provider; port ${port}`,
  );
  assert.equal(
    [restartedInstance.shown.replica.state, await restartedInstance.control({ do: "bound" })],
    ["leader", port],
  );
  restartedInstance.graph().createVertex("y");
  await restartedInstance.isFlushed();
  const { serial } = restartedInstance.shown;
  await until(
    () => restartedInstance.shown.serial > serial,
    () => `${restartedInstance.shown.serial}`,
  );
  assert.is(await restartedInstance.control({ do: "promote" }), 2, "it is the provider already");
});

test.run();
