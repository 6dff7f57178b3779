// The leadership engines with real services: one writer wins, and an outage is an error.
// limit: 60 s
// starts processes

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../../runtime/base/errors.js";
import { openEngine } from "../../../../runtime/interconnect/leadership/engines.js";
import { checkEngine, TIMEOUT_MS } from "../support/engine-check.js";
import { EtcdServer, hasEtcd } from "../support/etcd.js";
import { NatsServers, natsVersion } from "../support/nats.js";

const test = suite("leadership engines");

if (natsVersion() !== null) {
  test("nats-server passes the checks of an engine", async () => {
    const servers = await NatsServers.start(1);
    try {
      await checkEngine(servers.uri("leaders"), () => servers.kill(0));
    } finally {
      await servers.stop();
    }
  });
} else test.skip("is skipped without nats-server", () => undefined);

if (hasEtcd()) {
  test("etcd passes the checks of an engine", async () => {
    const server = await EtcdServer.start();
    await checkEngine(server.uri("svc"), () => server.stop());
  });
} else test.skip("is skipped without etcd", () => undefined);

test("unknown engines are rejected with a list of known ones", () => {
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
