// Who counts as one client, and what one may hold of what all share.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { serverAnswers } from "../../../../runtime/http/net/answer-memory.js";
import { BodyBudget } from "../../../../runtime/http/net/body-store.js";
import { Client, Clients, clientKey } from "../../../../runtime/http/net/clients.js";

const test = suite("clients");

test("IPv4 clients are addresses, IPv6 clients are networks of 64 bits", () => {
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

test("a client takes its share and no more, and leaves nothing", () => {
  const budget = new BodyBudget(1000, 100);
  const clients = new Clients((key) => new Client(key, budget, 500, serverAnswers()));
  const first = clients.connected("10.0.0.1");
  const second = clients.connected("10.0.0.2");
  assert.is(clients.connected("10.0.0.1"), first);
  assert.ok(first.take(500, true));
  assert.not.ok(first.take(1, false), "its share is used up");
  assert.ok(second.take(400, true));
  assert.not.ok(second.take(1, true), "the rest is for small bodies");
  assert.ok(second.take(100, false));
  first.give(500);
  second.give(500);
  assert.is(budget.used, 0);
  clients.closed(first);
  clients.closed(second);
  assert.is(clients.size, 1);
  clients.closed(first);
  assert.is(clients.size, 0);
});

test.run();
