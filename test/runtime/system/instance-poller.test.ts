// Number of requests to the instances of a system, for many concurrent callers.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { InstancePoller } from "../../../runtime/system/instance-poller.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import type { System } from "../../../runtime/system/system.js";

const IDS = ["A", "B", "C"];
const PATHS = () => ["/figures"];

interface Context {
  server: Server;
  system: System;
  /** Number of requests per path. */
  requestCounts: Map<string, number>;
}

const test = suite<Context>("instance poller");

test.before.each(async (context) => {
  const requestCounts = new Map<string, number>();
  const server = createServer(({ url }, response) => {
    requestCounts.set(url!, (requestCounts.get(url!) ?? 0) + 1);
    response.end(url === "/svc/hc" ? "SVC/3" : '{"status": "OK", "response": 1}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  Object.assign(context, { server, requestCounts, system: systemAt(server) });
});
test.after.each(({ server }) => {
  server.closeAllConnections();
  server.close();
});

function systemAt(server: Server, third = "127.0.0.3"): System {
  const hport = (server.address() as AddressInfo).port - 1;
  const hosts = ["127.0.0.1", "127.0.0.2", third];
  const instances = IDS.map((id, index) => [id, { type: "generic", host: hosts[index], hport }]);
  const emptyStates = Object.fromEntries(IDS.map((id) => [id, {}]));
  return readDescriptor({
    name: "Asked",
    graphs: [],
    instances: Object.fromEntries(instances),
    topology: { transaction: emptyStates, dispatch: emptyStates },
  });
}

test("polls each topic once for all callers", async (context) => {
  const { system, requestCounts } = context;
  const survey = new InstancePoller();
  const subsets = [["A"], ["B", "A"], ["C", "nobody"], [], IDS];
  const polled = await Promise.all(subsets.map((ids) => survey.read(system, "t", PATHS, ids)));
  const polledIds = polled.map((some) => some.map(({ instance }) => instance.id));
  assert.equal(polledIds, [["A"], ["A", "B"], ["C"], [], ["A", "B", "C"]]);
  assert.equal(polled[0]![0]!.figures, { "/figures": 1 });
  assert.is(requestCounts.get("/figures"), 1);
});

test("tries again before it counts an instance as down", async ({
  system,
  server,
  requestCounts,
}) => {
  const [respond] = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (request.url === "/svc/hc" && !requestCounts.has("lost")) {
      requestCounts.set("lost", 1);
      request.socket.destroy();
    } else respond!(request, response);
  });
  const polled = await new InstancePoller().read(system, "t", PATHS, ["A"]);
  assert.equal([polled[0]!.health, requestCounts.get("lost")], ["SVC/3", 1]);
});

for (const [label, path, health, isSlow] of [
  ["an instance that responds at the second try as slow", "/svc/hc", "SVC/3", true],
  ["an instance without metrics as slow", "/figures", "SVC/3", true],
  ["a quick instance as not slow", "/other", "SVC/3", false],
] as const) {
  test(`reports ${label}`, async ({ system, server, requestCounts }) => {
    const [respond] = server.listeners("request") as RequestListener[];
    server.removeAllListeners("request");
    server.on("request", (request, response) => {
      if (request.url !== path || requestCounts.has("silent")) return respond!(request, response);
      // No response to the first request.
      requestCounts.set("silent", 1);
    });
    const [result] = await new InstancePoller().read(system, "t", PATHS, ["A"]);
    assert.equal([result!.health, result!.isSlow], [health, isSlow]);
  });
}

test("reports how long an instance has not responded", async ({ system, server }) => {
  const [respond] = server.listeners("request") as RequestListener[];
  let isDown = true;
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    if (isDown) request.socket.destroy();
    else respond!(request, response);
  });
  const survey = new InstancePoller();
  // Each topic is polled for itself.
  const poll = async (topic: string): Promise<number | null> =>
    (await survey.read(system, topic, PATHS, ["A"]))[0]!.unreachableMs;
  assert.is(await poll("1"), 0);
  const second = await poll("2");
  assert.ok(second! > 0);
  assert.ok((await poll("3"))! > second!);
  isDown = false;
  assert.is(await poll("4"), null);
  isDown = true;
  assert.is(await poll("5"), 0);
});

test("polls again for another topic or another system", async ({
  system,
  server,
  requestCounts,
}) => {
  const survey = new InstancePoller();
  await survey.read(system, "t", PATHS, IDS);
  await survey.read(system, "u", PATHS, IDS);
  await survey.read(systemAt(server, "127.0.0.4"), "t", PATHS, IDS);
  assert.is(requestCounts.get("/figures"), 3);
});

test("does not poll again after the same system was reloaded", async (context) => {
  const { server, requestCounts } = context;
  const survey = new InstancePoller();
  const read = [systemAt(server), systemAt(server), systemAt(server)];
  await Promise.all(read.map((system) => survey.read(system, "t", PATHS, IDS)));
  assert.is(requestCounts.get("/figures"), 1);
});

test.run();
