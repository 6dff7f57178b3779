// The leadership engines with real services: one writer wins, and an outage is an error.
// limit: 60 s
// starts processes

import { copyFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../../runtime/base/errors.js";
import { openEngine } from "../../../../runtime/interconnect/leadership/engines.js";
import { findCluster } from "../../../../runtime/interconnect/leadership/kubernetes-api.js";
import { KubernetesEngine } from "../../../../runtime/interconnect/leadership/kubernetes-engine.js";
import type { LeadershipEngine } from "../../../../runtime/interconnect/leadership/leadership.js";
import { certificateFile } from "../../../support/certificates.js";
import { EtcdServer, hasEtcd } from "../support/etcd.js";
import { FakeKubernetes, NAMESPACE } from "../support/kubernetes.js";
import { NatsServers, natsVersion } from "../support/nats.js";

const TIMEOUT_MS = 2_000;

const test = suite("leadership engines");

function recordOf(holder: string, epoch: number): string {
  return JSON.stringify({ holder, epoch });
}

/** Everything that the state machine relies on. */
async function check(
  uri: string,
  stop: () => Promise<void>,
  open: (group: string) => LeadershipEngine = (group) => openEngine(uri, group, TIMEOUT_MS),
): Promise<void> {
  const [one, other] = [open("B1"), open("B1")];
  const second = open("B2");
  try {
    const empty = await one.read();
    assert.is(empty.text, null);
    const first = await one.swap(empty.revision, recordOf("B1", 1));
    assert.equal(await other.read(), { revision: first, text: recordOf("B1", 1) });
    assert.is(await other.swap(empty.revision, recordOf("S1", 2)), null, "an old revision");
    const both = await Promise.all([
      one.swap(first!, recordOf("B1", 2)),
      other.swap(first!, recordOf("S1", 2)),
    ]);
    assert.is(both.filter((revision) => revision !== null).length, 1, "one of two writers");
    const last = await one.read();
    assert.ok(both.includes(last.revision));
    assert.match(last.text ?? "", '"epoch":2');
    assert.is((await second.read()).text, null, "another record");
    await stop();
    for (const engine of [one, other]) {
      assert.is(
        await engine.read().then(
          () => "answered",
          () => "failed",
        ),
        "failed",
      );
      const swapped = engine.swap(last.revision, recordOf("S1", 3));
      assert.is(
        await swapped.then(
          () => "answered",
          () => "failed",
        ),
        "failed",
      );
    }
  } finally {
    for (const engine of [one, other, second]) await engine.close();
  }
}

if (natsVersion() !== null) {
  test("nats-server", async () => {
    const servers = await NatsServers.start(1);
    try {
      await check(servers.uri("leaders"), () => servers.kill(0));
    } finally {
      await servers.stop();
    }
  });
} else test.skip("nats-server is not installed", () => undefined);

if (hasEtcd()) {
  test("etcd", async () => {
    const server = await EtcdServer.start();
    await check(server.uri("svc"), () => server.stop());
  });
} else test.skip("etcd is not installed", () => undefined);

const LEASE = "kubernetes://svc-shop";

function lease(server: FakeKubernetes, group = "B1", timeoutMs = TIMEOUT_MS): KubernetesEngine {
  return new KubernetesEngine(LEASE, group, timeoutMs, server.access);
}

/** The message of the error that a call rejects with. */
async function messageOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    (value) => assert.unreachable(JSON.stringify(value)) as never,
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  );
}

test("Kubernetes Leases", async () => {
  const server = await FakeKubernetes.start();
  await check(
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
    assert.match(await messageOf(engine.read()), "ca.crt cannot be read");
    copyFileSync(certificateFile("ca.pem"), join(server.account, "ca.crt"));
    if (expected === null) {
      const revision = await engine.swap("", recordOf("B1", 1));
      assert.equal(await engine.read(), { revision, text: recordOf("B1", 1) });
    } else assert.match(await messageOf(engine.read()), expected);
    assert.is(server.requests.length > 0, expected === null, "no token for another server");
    await server.stop();
  }
});

function leaderRecord(holder: string | null, epoch: number, beat = 0): string {
  return JSON.stringify({ holder, epoch, beat, synced: [], next: null });
}

test("a Lease shows who holds it", async () => {
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
  const other = lease(server);
  await other.read();
  await other.swap(second!, leaderRecord(null, 1));
  const released = server.leases.get("svc-shop-b1")!.spec;
  assert.equal(["holderIdentity" in released, released.acquireTime], [false, spec.acquireTime]);
  await server.stop();
});

test("a Lease that was removed, and one of another group", async () => {
  const server = await FakeKubernetes.start();
  const engine = lease(server);
  const first = await engine.swap("", recordOf("B1", 1));
  assert.is(await engine.swap("", recordOf("B1", 2)), null, "it exists");
  server.leases.clear();
  assert.is(await engine.swap(first!, recordOf("B1", 2)), null, "it is gone");
  assert.equal(await engine.read(), { revision: "", text: null });
  await lease(server, "b1").swap("", recordOf("B1", 1));
  assert.match(await messageOf(engine.read()), /^SVC3400: .*that of "b1".*another PREFIX/);
  await server.stop();
});

test("tokens are read again, and failures of the API server are failures", async () => {
  const server = await FakeKubernetes.start();
  const engine = lease(server);
  const first = await engine.swap("", recordOf("B1", 1));
  server.rotate("second", false);
  assert.match(await messageOf(engine.read()), "answers 401: Unauthorized");
  server.rotate("second");
  assert.is((await engine.read()).revision, first);
  for (const status of [401, 410, 429, 500, 503]) {
    server.statuses = [status, status];
    assert.match(await messageOf(engine.read()), `answers ${status}`);
    assert.match(await messageOf(engine.swap(first!, recordOf("B1", 2))), `answers ${status}`);
  }
  assert.equal((await engine.read()).text, recordOf("B1", 1));
  // Until the end: requests can arrive after their client has given up.
  server.isStuck = true;
  await messageOf(lease(server, "B1", 50).read());
  await messageOf(lease(server, "B1", 50).swap(first!, recordOf("B1", 2)));
  assert.ok(server.requests.every((line) => line.includes(`/namespaces/${NAMESPACE}/leases`)));
  await server.stop();
});

test("a missing permission is told with the rule to add", async () => {
  const server = await FakeKubernetes.start();
  for (const verb of ["get", "create", "update"]) {
    server.forbidden.clear();
    server.forbidden.add(verb);
    const engine = lease(server);
    const call =
      verb === "get" ? engine.read() : engine.swap(verb === "create" ? "" : "1", recordOf("B1", 1));
    const message = await messageOf(call);
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

test("without a cluster or credentials, the start says what is missing", async () => {
  const told = (run: () => unknown): string => {
    try {
      return String(run());
    } catch (error) {
      const { code, message } = error as { code: string; message: string };
      return `${code}: ${message}`;
    }
  };
  assert.match(
    told(() => findCluster({})),
    /^SVC3400: .*KUBERNETES_SERVICE_HOST/,
  );
  const inside = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "6443" };
  assert.is(findCluster(inside).url, "https://10.0.0.1:6443");
  assert.is(findCluster({ KUBERNETES_SERVICE_HOST: "fd00::1" }).url, "https://[fd00::1]:443");
  const access = { url: "http://127.0.0.1:1", account: "/nowhere" };
  const open = (uri: string) => told(() => new KubernetesEngine(uri, "B1", TIMEOUT_MS, access));
  assert.match(open(LEASE), /^SVC3400: .*automountServiceAccountToken: true/);
  for (const uri of ["kubernetes://", "kubernetes://A", "kubernetes://a/b", "kubernetes://-a"]) {
    assert.match(open(uri), /^SVC3400: .*kubernetes:\/\/PREFIX/);
  }
});

test("answers of etcd that are no answers fail", async () => {
  let [status, text] = [200, "[]"];
  const server = createServer((_request, response) => response.writeHead(status).end(text));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const engine = openEngine(`http://127.0.0.1:${port}/svc`, "B1", TIMEOUT_MS);
  assert.is((await engine.read()).text, null);
  const value = Buffer.from("{}").toString("base64");
  text = JSON.stringify({ kvs: [{ value, mod_revision: "7" }] });
  assert.equal(await engine.read(), { revision: "7", text: "{}" });
  for (const wrong of ["{", `"${"x".repeat(1_000_000)}"`]) {
    text = wrong;
    assert.is(
      await engine.read().then(
        () => "answered",
        () => "failed",
      ),
      "failed",
    );
  }
  [status, text] = [503, "{}"];
  assert.is(await engine.swap("0", recordOf("B1", 1)).catch(() => "failed"), "failed");
  await new Promise((resolve) => server.close(resolve));
});

test("unknown engines are refused with the known ones", () => {
  for (const [uri, form] of [
    ["ftp://a/b", "nats://"],
    ["http://a:1", "http://host:port"],
    ["nats://a:1", "nats://host:port"],
    ["nats://leaders", "nats://host:port"],
    ["nats://a:1/leaders?replicas=2", "nats://host:port"],
  ] as const) {
    assert.throws(
      () => openEngine(uri, "B1", TIMEOUT_MS),
      ({ code, message }: SvcError) => code === "SVC3400" && message.includes(form),
      uri,
    );
  }
});

test.run();
