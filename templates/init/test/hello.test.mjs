// Calls the plugins inside this process, with a temporary data folder.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testService } from "svc-server/testing";

let service;

before(async () => {
  service = await testService(".", { build: false });
});

after(() => service.close());

test("hello returns one greeting per time", async () => {
  const greetings = await service.call("hello", { name: "you", times: 2 });
  assert.deepEqual(greetings, ["Hello, you!", "Hello, you!"]);
});

test("hello limits the number of greetings", async () => {
  assert.equal((await service.call("hello", { times: 1_000_000_000 })).length, 100);
});

test("hello rejects an invalid number", async () => {
  const response = await service.fetch("/svc/plugin/hello?times=two");
  assert.equal(response.status, 400);
  const { message } = await response.json();
  assert.match(message.svc.value, /times/);
});
