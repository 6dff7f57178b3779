// `svc serve` chooses `uws` by itself if hyper-express is installed, with the limits of the server.
// limit: 60 s

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { MAX_HEADER_LINE_BYTES, MAX_REQUEST_LINE_BYTES } from "../../runtime/base/limits.js";
import { RawClient } from "../conformance/raw-client.js";
import { buildProject, fixture, get, type RunningServer, serve } from "../e2e/support/server.js";

const test = suite("serve on uws");
let server: RunningServer;

test.before(async () => {
  await buildProject(fixture("engine"));
  server = await serve(fixture("engine"), "--transport", "auto");
});
test.after(async () => {
  assert.is(await server.stop(), 0);
});

async function fetchStatus(request: string): Promise<number> {
  const client = await RawClient.open(server.port);
  client.send(request);
  const [response] = await client.responses(1);
  client.close();
  return response!.status;
}

test("prints its transport and the reason", () => {
  assert.match(server.output(), /transport uws \(hyper-express 6\.17\.4 is installed\)/);
});

test("accepts request lines up to the limit", async () => {
  const around = "GET /svc/plugin/add?a=1&x= HTTP/1.1".length;
  const requestLine = (length: number): string => {
    const filler = "x".repeat(length - around);
    return `GET /svc/plugin/add?a=1&x=${filler} HTTP/1.1\r\nHost: a\r\n\r\n`;
  };
  assert.is(await fetchStatus(requestLine(MAX_REQUEST_LINE_BYTES)), 200);
  assert.is(await fetchStatus(requestLine(MAX_REQUEST_LINE_BYTES + 1)), 414);
});

test("accepts several header fields up to the limit", async () => {
  const line = `X-Long: ${"x".repeat(MAX_HEADER_LINE_BYTES - "X-Long: ".length)}\r\n`;
  const fields = `Host: a\r\n${line.repeat(7)}`;
  assert.is(await fetchStatus(`GET /svc/plugin/add?a=1 HTTP/1.1\r\n${fields}\r\n`), 200);
});

test("shows a request whose body is incomplete", async () => {
  const states = async (): Promise<string> => {
    return (await get(server.port + 1, "/svc/inspect?level=1&main=1")).text;
  };
  const client = await RawClient.open(server.port);
  client.send("POST /svc/builtin/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
  while (!(await states()).includes("EXPECT_CONTENT")) await delay(10);
  client.send("cd");
  assert.is((await client.responses(1))[0]?.status, 200);
  assert.not.match(await states(), "EXPECT_CONTENT");
  client.send("POST /svc/builtin/echo HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nab");
  while (!(await states()).includes("EXPECT_CONTENT")) await delay(10);
  client.close();
  while ((await states()).includes("EXPECT_CONTENT")) await delay(10);
});

test.run();
