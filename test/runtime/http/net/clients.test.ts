// Identity of a client, and its quota of shared resources.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { clientKey } from "../../../../runtime/base/client-key.js";
import { BodyBudget } from "../../../../runtime/http/net/body-store.js";
import { Client, Clients } from "../../../../runtime/http/net/clients.js";
import { ResponseMemory } from "../../../../runtime/http/net/response-memory.js";
import type { ClientLimits } from "../../../../runtime/http/transport.js";

const test = suite("clients");

test("identifies clients by IPv4 address or by IPv6 /64 network", () => {
  const keys: [address: string, key: string][] = [
    ["10.0.0.1", "10.0.0.1"],
    ["::1", "0:0:0:0"],
    ["::", "0:0:0:0"],
    ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2"],
    ["2001:db8:1:2::9", "2001:db8:1:2"],
    ["2001:db8::5:6:7:8:9", "2001:db8:0:5"],
    ["2001:db8::", "2001:db8:0:0"],
    ["fe80::1%eth0", "fe80:0:0:0"],
    ["", ""],
  ];
  for (const [address, key] of keys) assert.is(clientKey(address), key, address);
});

function createClients(limits: ClientLimits, budget = new BodyBudget(1000, 100)): Clients {
  return new Clients((key) => new Client(key, budget, 500, new ResponseMemory(1000, null), limits));
}

test("limits a client to its quota and leaves no entry behind", () => {
  const budget = new BodyBudget(1000, 100);
  const clients = createClients({ connections: 0, requestsPerSecond: 0 }, budget);
  const first = clients.at("10.0.0.1");
  const second = clients.at("10.0.0.2");
  for (const client of [first, second, first]) clients.connected(client, true);
  assert.is(clients.at("10.0.0.1"), first);
  assert.ok(first.take(500, true));
  assert.not.ok(first.take(1, false), "its share is used up");
  assert.ok(second.take(400, true));
  assert.not.ok(second.take(1, true), "the rest is for small bodies");
  assert.ok(second.take(100, false));
  first.give(500);
  second.give(500);
  assert.is(budget.used, 0);
  clients.recordClose(first, true);
  clients.recordClose(second, true);
  assert.is(clients.size, 1);
  clients.recordClose(first, true);
  assert.is(clients.size, 0);
});

test("limits connections per client, except for dispatchers", () => {
  const clients = createClients({ connections: 2, requestsPerSecond: 0 });
  const client = clients.at("10.0.0.1");
  clients.connected(client, true);
  clients.connected(client, false);
  assert.not.ok(client.isFull);
  clients.connected(client, true);
  assert.ok(client.isFull);
  assert.not.ok(clients.at("10.0.0.2").isFull);
  clients.recordClose(client, false);
  assert.ok(client.isFull);
  clients.recordClose(client, true);
  assert.not.ok(client.isFull);
});

test("applies a rate limit across reconnects", () => {
  const clients = createClients({ connections: 0, requestsPerSecond: 10 });
  const client = clients.at("10.0.0.1");
  clients.connected(client, true);
  const now = performance.now();
  for (let count = 0; count < 10; count++) assert.ok(client.requests!.take(now));
  assert.not.ok(client.requests!.take(now));
  assert.ok(client.requests!.take(now + 101), "one in a tenth of a second");
  assert.not.ok(client.requests!.take(now + 101));
  clients.recordClose(client, true);
  assert.is(clients.at("10.0.0.1"), client);
  clients.sweep(now + 900);
  assert.is(clients.size, 1);
  clients.sweep(now + 2000);
  assert.is(clients.size, 0);
});

test.run();
