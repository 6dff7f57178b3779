// The leadership engines with real services: one writer wins, and an outage is an error.
// limit: 60 s
// starts processes

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../../runtime/base/errors.js";
import { openEngine } from "../../../../runtime/interconnect/leadership/engines.js";
import { checkEngine, recordOf, TIMEOUT_MS } from "../support/engine-check.js";
import { EtcdServer, hasEtcd } from "../support/etcd.js";
import { NatsServers, natsVersion } from "../support/nats.js";

const test = suite("leadership engines");

if (natsVersion() !== null) {
  test("nats-server", async () => {
    const servers = await NatsServers.start(1);
    try {
      await checkEngine(servers.uri("leaders"), () => servers.kill(0));
    } finally {
      await servers.stop();
    }
  });
} else test.skip("nats-server is not installed", () => undefined);

if (hasEtcd()) {
  test("etcd", async () => {
    const server = await EtcdServer.start();
    await checkEngine(server.uri("svc"), () => server.stop());
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
