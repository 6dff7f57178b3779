// The leadership engines with real services: one writer wins, and an outage is an error.
// limit: 60 s
// starts processes

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { openEngine } from "../../../../runtime/interconnect/leadership/engines.js";
import { EtcdServer, hasEtcd } from "../support/etcd.js";
import { NatsServers, natsVersion } from "../support/nats.js";

const TIMEOUT_MS = 2_000;

const test = suite("leadership engines");

function recordOf(holder: string, epoch: number): string {
  return JSON.stringify({ holder, epoch });
}

/** Everything that the state machine relies on. */
async function check(uri: string, stop: () => Promise<void>): Promise<void> {
  const [one, other] = [openEngine(uri, "B1", TIMEOUT_MS), openEngine(uri, "B1", TIMEOUT_MS)];
  const second = openEngine(uri, "B2", TIMEOUT_MS);
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
  for (const uri of ["ftp://a/b", "http://a:1", "nats://a:1"]) {
    assert.throws(
      () => openEngine(uri, "B1", TIMEOUT_MS),
      ({ code }: { code: string }) => code === "SVC3400" || code === "SVC3360",
    );
  }
});

test.run();
