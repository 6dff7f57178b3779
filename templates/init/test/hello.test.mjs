// Serves the built plugins on a free port, inside this process, and calls them.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { loadPlugins, system } from "svc-server";

async function call(path) {
  const { base } = system.serverPorts();
  const answer = await fetch(`http://127.0.0.1:${base}/svc/plugin/${path}`);
  return { status: answer.status, ...(await answer.json()) };
}

before(async () => {
  await system.initialize("test");
  for (const plugin of await loadPlugins(".svc")) system.addPlugin(plugin);
  await system.startHTTP(0);
});

after(() => system.stopHTTP());

test("hello greets as often as it is asked to", async () => {
  const { status, response } = await call("hello?name=you&times=2");
  assert.equal(status, 200);
  assert.deepEqual(response, ["Hello, you!", "Hello, you!"]);
});

test("hello refuses a number that is none", async () => {
  const { status, message } = await call("hello?times=two");
  assert.equal(status, 400);
  assert.match(message.svc.value, /times/);
});
