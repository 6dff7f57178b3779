// A request to an instance: its response is validated, and the wait is limited.

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { requestInstance } from "../../../runtime/system/instance-client.js";

const test = suite("instance client");
const ENVELOPE = '{"status": "OK", "response": [1]}';

async function fetchFrom(listener: RequestListener, timeoutMs = 5000): Promise<unknown> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    return await requestInstance({ host: "127.0.0.1", port }, { path: "/x", timeoutMs });
  } catch (error) {
    return (error as SvcError).code;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("returns the response of an envelope", async () => {
  assert.equal(await fetchFrom((_, response) => response.end(ENVELOPE)), [1]);
});

test("returns null without an envelope, for errors, timeouts and truncated responses", async () => {
  assert.is(await fetchFrom((_, response) => response.end("SVC/3")), "SVC2701");
  assert.is(await fetchFrom((_, response) => response.end('{"status": "ERROR"}')), "SVC2701");
  assert.is(await fetchFrom(() => {}, 50), "SVC2701");
  const much = Buffer.alloc(5 * 1024 * 1024, " ");
  assert.is(await fetchFrom((_, response) => response.end(much)), "SVC2701");
  const half: RequestListener = (_, response) => {
    response.writeHead(200, { "content-length": 100 });
    response.write("{", () => response.destroy());
  };
  assert.is(await fetchFrom(half), "SVC2701");
});

test("returns null when the connection is refused", async () => {
  try {
    await requestInstance({ host: "127.0.0.1", port: 1 }, { path: "/x", timeoutMs: 5000 });
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /^no response from 127\.0\.0\.1:1: .*ECONNREFUSED/);
  }
});

test.run();
