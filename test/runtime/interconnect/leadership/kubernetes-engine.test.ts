// Leases of Kubernetes as a leadership engine, with an API server in this process.
// limit: 60 s

import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openEngine } from "../../../../runtime/interconnect/leadership/engines.js";
import { findCluster } from "../../../../runtime/interconnect/leadership/kubernetes-api.js";
import { KubernetesEngine } from "../../../../runtime/interconnect/leadership/kubernetes-engine.js";
import { certificateFile } from "../../../support/certificates.js";
import { describeFailure } from "../support/describe-failure.js";
import { checkEngine, encodeRecord, TIMEOUT_MS } from "../support/engine-check.js";
import { FakeKubernetes, NAMESPACE } from "../support/kubernetes.js";

const test = suite("Kubernetes Leases");

const LEASE = "kubernetes://svc-shop";

function lease(server: FakeKubernetes, group = "B1", timeoutMs = TIMEOUT_MS): KubernetesEngine {
  return new KubernetesEngine(LEASE, group, timeoutMs, server.access);
}

test("are a leadership engine", async () => {
  const server = await FakeKubernetes.start();
  await checkEngine(
    LEASE,
    () => server.stop(),
    (group) => lease(server, group),
  );
});

test("the API server must have a certificate of the cluster's authority", async () => {
  for (const [name, expected] of [
    ["server", null],
    ["stray", "self-signed certificate"],
  ] as const) {
    const server = await FakeKubernetes.start(name);
    const engine = lease(server);
    assert.match(await describeFailure(engine.read()), "ca.crt cannot be read");
    copyFileSync(certificateFile("ca.pem"), join(server.account, "ca.crt"));
    if (expected === null) {
      const revision = await engine.swap("", encodeRecord("B1", 1));
      assert.equal(await engine.read(), { revision, text: encodeRecord("B1", 1) });
    } else assert.match(await describeFailure(engine.read()), expected);
    assert.is(server.requests.length > 0, expected === null, "no token for another server");
    await server.stop();
  }
});

function leaderRecord(holder: string | null, epoch: number, beat = 0): string {
  return JSON.stringify({ holder, epoch, beat, synced: [], next: null });
}

test("a Lease names its holder", async () => {
  const server = await FakeKubernetes.start();
  const engine = lease(server, "B1", 1_500);
  const first = await engine.swap((await engine.read()).revision, leaderRecord("B1", 1));
  const { metadata, spec } = server.leases.get("svc-shop-b1")!;
  assert.equal([spec.holderIdentity, spec.leaseTransitions], ["B1", 1]);
  assert.is(spec.leaseDurationSeconds, 3);
  assert.match(String(spec.renewTime), /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}000Z$/);
  assert.is((metadata.annotations as Record<string, string>)["svc/name"], "B1");
  const second = await engine.swap(first!, leaderRecord("B1", 1, 1));
  const renewed = server.leases.get("svc-shop-b1")!.spec;
  assert.is(renewed.acquireTime, spec.acquireTime, "renewals keep it");
  // Another member that has read the Lease keeps it, too.
  const otherLease = lease(server);
  await otherLease.read();
  await otherLease.swap(second!, leaderRecord(null, 1));
  const released = server.leases.get("svc-shop-b1")!.spec;
  assert.equal(["holderIdentity" in released, released.acquireTime], [false, spec.acquireTime]);
  await server.stop();
});

test("a removed Lease cannot be replaced, and one of another group is rejected", async () => {
  const server = await FakeKubernetes.start();
  const engine = lease(server);
  const first = await engine.swap("", encodeRecord("B1", 1));
  assert.is(await engine.swap("", encodeRecord("B1", 2)), null, "it exists");
  server.leases.clear();
  assert.is(await engine.swap(first!, encodeRecord("B1", 2)), null, "it is gone");
  assert.equal(await engine.read(), { revision: "", text: null });
  await lease(server, "b1").swap("", encodeRecord("B1", 1));
  assert.match(await describeFailure(engine.read()), /^SVC3400: .*that of "b1".*another PREFIX/);
  await server.stop();
});

test("tokens are reread, and failures of the API server are reported", async () => {
  const server = await FakeKubernetes.start();
  const engine = lease(server);
  const first = await engine.swap("", encodeRecord("B1", 1));
  server.rotate("second", false);
  assert.match(await describeFailure(engine.read()), "answers 401: Unauthorized");
  server.rotate("second");
  assert.is((await engine.read()).revision, first);
  for (const status of [401, 410, 429, 500, 503]) {
    server.statuses = [status, status];
    assert.match(await describeFailure(engine.read()), `answers ${status}`);
    assert.match(
      await describeFailure(engine.swap(first!, encodeRecord("B1", 2))),
      `answers ${status}`,
    );
  }
  assert.equal((await engine.read()).text, encodeRecord("B1", 1));
  // Until the end: requests can arrive after their client has given up.
  server.isStuck = true;
  for (const call of [
    lease(server, "B1", 50).read(),
    lease(server, "B1", 50).swap(first!, encodeRecord("B1", 2)),
  ]) {
    assert.is.not(await describeFailure(call), "none");
  }
  assert.ok(server.requests.every((line) => line.includes(`/namespaces/${NAMESPACE}/leases`)));
  await server.stop();
});

test("a missing permission is reported with the rule to add", async () => {
  const server = await FakeKubernetes.start();
  for (const verb of ["get", "create", "update"]) {
    server.forbidden.clear();
    server.forbidden.add(verb);
    const engine = lease(server);
    const call =
      verb === "get"
        ? engine.read()
        : engine.swap(verb === "create" ? "" : "1", encodeRecord("B1", 1));
    const message = await describeFailure(call);
    assert.match(
      message,
      `SVC3400: leadership: the service account may not ${verb} Lease svc-shop-b1`,
    );
    assert.match(
      message,
      'resources: ["leases"], resourceNames: ["svc-shop-b1"], verbs: ["get", "update"]',
    );
  }
  await server.stop();
});

test("a start without a cluster or credentials names what is missing", async () => {
  const errorMessage = (run: () => unknown): string => {
    try {
      return String(run());
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return `${code}: ${message}`;
    }
  };
  assert.match(
    errorMessage(() => findCluster({})),
    /^SVC3400: .*KUBERNETES_SERVICE_HOST/,
  );
  const inside = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "6443" };
  assert.is(findCluster(inside).url, "https://10.0.0.1:6443");
  const account = "/var/run/secrets/kubernetes.io/serviceaccount";
  assert.equal(findCluster({ SVC_KUBERNETES_API: "http://a/" }), { url: "http://a", account });
  assert.is(findCluster({ KUBERNETES_SERVICE_HOST: "fd00::1" }).url, "https://[fd00::1]:443");
  const access = { url: "http://127.0.0.1:1", account: "/nowhere" };
  const server = await FakeKubernetes.start();
  rmSync(join(server.account, "token"));
  assert.match(
    errorMessage(() => lease(server)),
    /^SVC3400: .*token cannot be read/,
  );
  await server.stop();
  const open = (uri: string) =>
    errorMessage(() => new KubernetesEngine(uri, "B1", TIMEOUT_MS, access));
  assert.match(open(LEASE), /^SVC3400: .*automountServiceAccountToken: true/);
  for (const uri of ["kubernetes://", "kubernetes://A", "kubernetes://a/b", "kubernetes://-a"]) {
    assert.match(open(uri), /^SVC3400: .*kubernetes:\/\/PREFIX/);
  }
});

test("the cluster of this process is found by its environment", async () => {
  const server = await FakeKubernetes.start();
  const { url, account } = server.access;
  const before = { ...process.env };
  Object.assign(process.env, { SVC_KUBERNETES_API: `${url}//`, SVC_KUBERNETES_ACCOUNT: account });
  try {
    assert.equal(await openEngine(LEASE, "B1", TIMEOUT_MS).read(), { revision: "", text: null });
  } finally {
    for (const name of ["SVC_KUBERNETES_API", "SVC_KUBERNETES_ACCOUNT"]) delete process.env[name];
    Object.assign(process.env, before);
    await server.stop();
  }
});

test("a Lease of another origin has no record, and no name", async () => {
  const server = await FakeKubernetes.start();
  const engine = lease(server);
  for (const [metadata, expected] of [
    [{}, { revision: "7", text: null }],
    [{ annotations: { "svc/record": 1 } }, { revision: "7", text: null }],
    [{ annotations: { "svc/record": "text" } }, { revision: "7", text: "text" }],
  ] as const) {
    const name = "svc-shop-b1";
    const spec = { acquireTime: "2020-01-01T00:00:00.000000Z" };
    server.leases.set(name, { metadata: { ...metadata, name, resourceVersion: "7" }, spec });
    assert.equal(await engine.read(), expected);
  }
  await server.stop();
});

test("the time of a claim is that of its epoch", async () => {
  const server = await FakeKubernetes.start();
  const engine = lease(server);
  const first = await engine.swap("", leaderRecord("B1", 1));
  const stored = server.leases.get("svc-shop-b1")!;
  const acquireTime = "2020-01-01T00:00:00.000000Z";
  server.leases.set("svc-shop-b1", { ...stored, spec: { ...stored.spec, acquireTime } });
  await engine.read();
  const renewed = await engine.swap(first!, leaderRecord("B1", 1, 1));
  const spec = () => server.leases.get("svc-shop-b1")!.spec;
  assert.is(spec().acquireTime, acquireTime);
  await engine.swap(renewed!, leaderRecord("B1", 2));
  assert.is.not(spec().acquireTime, acquireTime, "another claim");
  assert.is(spec().leaseDurationSeconds, 4);
  const { metadata } = server.leases.get("svc-shop-b1")!;
  server.leases.set("svc-shop-b1", { metadata, spec: {} });
  const otherLease = lease(server);
  await otherLease.swap((await otherLease.read()).revision, leaderRecord("B1", 2, 1));
  assert.match(String(spec().acquireTime), /^\d{4}-/, "it had none");
  await engine.swap((await engine.read()).revision, "of another kind");
  assert.equal(spec(), {});
  await server.stop();
  const short = await FakeKubernetes.start();
  await lease(short, "B1", 100).swap("", leaderRecord("B1", 1));
  assert.is(short.leases.get("svc-shop-b1")!.spec.leaseDurationSeconds, 1);
  await short.stop();
});

test.run();
