// Serves the built plugins on a free port, inside this process, and calls them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { loadPlugins, system } from "svc-server";

async function call(path) {
  const { base } = system.serverPorts();
  const response = await fetch(`http://127.0.0.1:${base}/svc/plugin/${path}`);
  return { code: response.status, body: await response.json() };
}

before(async () => {
  await system.initialize("test");
  for (const plugin of await loadPlugins(".svc")) system.addPlugin(plugin);
  await system.startHTTP(0);
});

after(() => system.stopHTTP());

test("hello returns one greeting per time", async () => {
  const { code, body } = await call("hello?name=you&times=2");
  assert.equal(code, 200);
  assert.deepEqual(body.response, ["Hello, you!", "Hello, you!"]);
});

test("hello limits the number of greetings", async () => {
  const { body } = await call("hello?times=1000000000");
  assert.equal(body.response.length, 100);
});

test("hello rejects an invalid number", async () => {
  const { code, body } = await call("hello?times=two");
  assert.equal(code, 400);
  assert.match(body.message.svc.value, /times/);
});
