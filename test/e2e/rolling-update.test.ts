// A rolling update under load: no request is lost, the next run completes an interrupted one, and
// no partition is left without a replica.
// limit: 120 s
// takes 10 s

import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { packageRoot } from "../../runtime/base/package-info.js";
import { FakeKubernetes, type StoredSet } from "../runtime/interconnect/support/kubernetes.js";
import { svcHere } from "./support/server.js";
import { UpSystem, until } from "./support/system.js";

const test = suite("rolling update");
const PROJECT = join(packageRoot(), "examples", "matrix");
const ROWS = [{ partitions: ["S1.1", "S1.2"] }, { partitions: ["S2.1", "S2.2"] }];
const DESCRIPTOR = {
  common: { type: "search", "s-in": true },
  instances: {
    TD: { type: "dispatch", hport: 9990 },
    "S1.1": { hport: 9110 },
    "S1.2": { hport: 9120 },
    "S2.1": { hport: 9210 },
    "S2.2": { hport: 9220 },
  },
  topology: { dispatch: { TD: ROWS } },
};

let system: UpSystem;
test.before(async () => {
  system = await UpSystem.start(PROJECT, DESCRIPTOR);
});
test.after(() => system.close());

test("loses no request", async () => {
  let isDone = false;
  const statuses = new Map<number, number>();
  const client = async (): Promise<void> => {
    while (!isDone) {
      const { status } = await system.get("TD", "/svc/plugin/mountains?n=1");
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // Many requests during each update.
      await delay(20);
    }
  };
  const clients = [client(), client()];
  const { code, out, err } = await system.admin("rolling-update", "--pause", "0");
  isDone = true;
  await Promise.all(clients);
  assert.is(code, 0, out + err);
  assert.match(out, /^(S\d\.\d: serves build [0-9a-f]{16}\n){4}$/);
  assert.equal([...statuses.keys()], [200]);
  const secondResult = await system.admin("rolling-update", "--build", PROJECT);
  assert.match(secondResult.out, /^(S\d\.\d: is up to date\n){4}$/);
});

async function takeOut(id: string, reason: string): Promise<void> {
  const { json } = await system.get(id, "/svc/builtin/ADMIN_GetAuthToken", 1);
  const { authtoken } = json.response as { authtoken: string };
  const query = new URLSearchParams({ authtoken, reason });
  await system.get(id, `/svc/builtin/ADMIN_ServiceOut?${query}`, 1);
}

/** A dispatcher notices that S2.2 is out when it sends a request there. */
async function isKnownToBeOut(): Promise<boolean> {
  const requests = Array.from({ length: 8 }, () => system.get("TD", "/svc/plugin/mountains?n=1"));
  await Promise.all(requests);
  const { text } = await system.get("TD", "/svc/matrix");
  const { response } = JSON.parse(text) as { response: { state: string }[][] };
  return response[1]![1]!.state !== "up";
}

test("puts instances of a killed run back in service, but not those of an operator", async () => {
  await takeOut("S1.1", "rolling update");
  await takeOut("S2.2", "operator");
  const { code, out } = await system.admin("rolling-update", "S1.1,S2.2", "--pause", "0");
  assert.is(code, 0, out);
  assert.match(out, /^S1\.1: serves build \w+$/m);
  assert.match(out, /^S2\.2: serves build \w+ and stays out of service \(operator\)$/m);
  assert.is((await system.get("S1.1", "/svc/hc")).status, 200);
  assert.is((await system.get("S2.2", "/svc/hc")).status, 503);
});

test("replaces the pods of a system by those of another image", async () => {
  await svcHere("admin", "service-in", "S2.2", "--descriptor", system.file);
  const cluster = await FakeKubernetes.start();
  const { url, account } = cluster.access;
  const kinds = { TD: "deployments" } as Readonly<Record<string, StoredSet["kind"]>>;
  const rows = { td: "TD", "td-row-1": "S1.1,S1.2", "td-row-2": "S2.1,S2.2" };
  for (const [row, ids] of Object.entries(rows)) {
    const name = `svc-unspecified-5-node-s-${row}`;
    const labels = { app: "svc-unspecified-5-node-s" };
    const annotations = { "svc/instances": ids };
    const containers: [{ name: string; image: string }] = [{ name: "svc", image: "shop:1" }];
    cluster.sets.push({
      kind: kinds[ids] ?? "statefulsets",
      metadata: { name, generation: 1, labels, annotations },
      spec: { replicas: 1, template: { spec: { containers } } },
      status: {},
    });
    if (kinds[ids] === undefined)
      for (const replica of [1, 2]) cluster.create(`${name}-${replica}`);
  }
  const order: string[] = [];
  cluster.terminate = async (pod) => {
    const [, row, partition] = /row-(\d)-(\d)$/.exec(pod)!;
    const id = `S${row}.${partition}`;
    const { pid, ...status } = await system.nodestat(id);
    order.push(`${id} ${status["service-out-reason"]}`);
    process.kill(pid, "SIGTERM");
    await until(async () => (await system.nodestat(id)).pid !== pid);
  };
  const update = (...words: string[]) =>
    svcHere("admin", "rolling-update", ...words, "--pause", "0", "--descriptor", system.file);
  Object.assign(process.env, { SVC_KUBERNETES_API: url, SVC_KUBERNETES_ACCOUNT: account });
  try {
    cluster.forbidden.add("patch deployments");
    const refusedResult = await update("S1.1,S2.2", "--image", "shop:2");
    assert.match(refusedResult.stderr, /SVC3119: .*PATCH .*deployments.*: 403 Forbidden/);
    assert.equal(order, []);
    cluster.forbidden.clear();
    const { code, stdout, stderr } = await update("S1.1,S2.2", "--image", "shop:2");
    assert.is(code, 0, stdout + stderr);
    assert.equal(order, ["S1.1 rolling update", "S2.2 rolling update"]);
    const images = [...cluster.pods.values()].map(({ spec }) => spec.containers[0]!.image);
    assert.equal(images.sort(), ["shop:1", "shop:1", "shop:2", "shop:2"]);
    const templates = cluster.sets.map(({ spec }) => spec.template.spec.containers[0].image);
    assert.equal(templates, ["shop:2", "shop:2", "shop:2"]);
    for (const id of ["S1.1", "S2.2"]) assert.is((await system.nodestat(id))["service-in"], 1);
    await takeOut("S2.2", "operator");
    await until(isKnownToBeOut);
    const secondResult = await update("S1.1,S2.2", "--image", "shop:2");
    assert.match(secondResult.stdout, /^(S\d\.\d: is up to date\n){2}$/);
    assert.is(order.length, 2);
    delete process.env.SVC_KUBERNETES_API;
    const outside = await update("--image", "shop:3");
    assert.match(outside.stderr, /SVC3119: .*KUBERNETES_SERVICE_HOST is not set/);
  } finally {
    delete process.env.SVC_KUBERNETES_API;
    delete process.env.SVC_KUBERNETES_ACCOUNT;
    await cluster.stop();
  }
});

test("refuses to update the last replica of a partition", async () => {
  const { code, err } = await system.admin("rolling-update", "S1.2");
  assert.equal(
    [code, /SVC3119: Too few S-IN .* no replica serves partition 1/.test(err)],
    [1, true],
  );
  assert.is((await system.get("S1.2", "/svc/hc")).status, 200);
});

test.run();
