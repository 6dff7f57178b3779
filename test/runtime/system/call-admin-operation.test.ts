// An admin operation on an instance that is temporarily unreachable.

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { callAdminOperation } from "../../../runtime/system/call-admin-operation.js";

const test = suite("call admin operation");
/** Used by this test alone. */
const ADDRESS = { host: `127.77.${process.pid % 250}.${(process.pid >> 8) % 250}`, port: 9101 };
const WANTED = { operation: "ServiceIn", parameters: {}, headers: {} };

function listen(requests: string[], done: unknown = true): Promise<Server> {
  const server = createServer(({ url }, response) => {
    requests.push(new URL(url!, "http://x").pathname);
    const reply = url!.includes("GetAuthToken") ? { authtoken: "t" } : { done };
    response.end(JSON.stringify({ status: "OK", response: reply }));
  });
  return new Promise((resolve) => {
    server.listen(ADDRESS.port, ADDRESS.host, () => resolve(server));
  });
}

test("retries while the instance reopens its ports", async () => {
  const requests: string[] = [];
  const done = callAdminOperation(ADDRESS, WANTED);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const server = await listen(requests);
  assert.equal(await done, { done: true });
  assert.equal(requests, ["/svc/builtin/ADMIN_GetAuthToken", "/svc/builtin/ADMIN_ServiceIn"]);
  server.closeAllConnections();
  server.close();
});

test("retries while the instance closes its ports", async () => {
  const requests: string[] = [];
  const closing = createServer((_request, response) => {
    response.writeHead(503, { connection: "close" });
    response.end(JSON.stringify({ status: "ERROR", message: "Service Out" }));
  });
  await new Promise<void>((resolve) => {
    closing.listen(ADDRESS.port, ADDRESS.host, resolve);
  });
  const done = callAdminOperation(ADDRESS, WANTED);
  await once(closing, "request");
  await new Promise((resolve) => closing.close(resolve));
  const server = await listen(requests);
  assert.equal(await done, { done: true });
  assert.equal(requests, ["/svc/builtin/ADMIN_GetAuthToken", "/svc/builtin/ADMIN_ServiceIn"]);
  server.closeAllConnections();
  server.close();
});

test("rejects a response that is slow to parse", async () => {
  const server = await listen([], "x".repeat(300_000));
  const failure = await callAdminOperation(ADDRESS, WANTED).catch((error: SvcError) => error);
  assert.match((failure as SvcError).message, "exceeds 262144 bytes");
  server.closeAllConnections();
  server.close();
});

test("reports an instance that does not come back", async () => {
  const failure = await callAdminOperation(ADDRESS, WANTED).catch((error: SvcError) => error);
  const { code, message } = failure as SvcError;
  assert.is(code, "SVC2701");
  assert.match(message, "ECONNREFUSED");
});

test("uses the token in the response to the previous command of a move", async () => {
  const requests: string[] = [];
  let last = 0;
  let isRestarted = false;
  const server = createServer(({ url }, response) => {
    const { pathname, searchParams } = new URL(url!, "http://x");
    const operation = pathname.slice("/svc/builtin/ADMIN_".length);
    requests.push(operation);
    const isToken = operation === "GetAuthToken";
    const isLost = !isToken && searchParams.get("authtoken") !== `${last}`;
    const message = isRestarted ? "Not authorized" : "Invalid authtoken";
    isRestarted = isRestarted && !isToken;
    const token = { authtoken: `${isLost ? last : ++last}` };
    const reply = isLost
      ? { status: "ERROR", message }
      : { status: "OK", response: isToken ? token : { done: true, ...token } };
    response.end(JSON.stringify(reply));
  });
  await new Promise<void>((resolve) => {
    server.listen(ADDRESS.port, ADDRESS.host, resolve);
  });
  const operationCall = { ...WANTED, operation: "MoveSlots" };
  const run = async (): Promise<string> => {
    requests.length = 0;
    assert.equal(await callAdminOperation(ADDRESS, operationCall), { done: true });
    return requests.join(" ");
  };
  /** On a busy machine, a token may be too old. */
  const runUntil = async (wantedCalls: string, before: () => unknown = () => {}): Promise<void> => {
    for (let attempt = 0; attempt < 100; attempt++) {
      await before();
      if ((await run()) === wantedCalls) return;
    }
    assert.unreachable(wantedCalls);
  };
  assert.is(await run(), "GetAuthToken MoveSlots");
  await runUntil("MoveSlots");
  // Another run of the same client has got one since.
  await runUntil("MoveSlots GetAuthToken MoveSlots", () => last++);
  // The instance has restarted since, and knows no token.
  const restart = (): void => {
    last++;
    isRestarted = true;
  };
  await runUntil("MoveSlots GetAuthToken MoveSlots", restart);
  // It is restarting: its port is closed for a while.
  const close = async (): Promise<void> => {
    restart();
    server.close();
    server.closeAllConnections();
    await delay(10);
    setTimeout(() => server.listen(ADDRESS.port, ADDRESS.host), 50);
  };
  await runUntil("MoveSlots GetAuthToken MoveSlots", close);
  server.closeAllConnections();
  server.close();
});

test("repeats a restart of the HTTP service that another one interrupts", async () => {
  const requests: string[] = [];
  const server = createServer(({ url }, response) => {
    const operation = new URL(url!, "http://x").pathname.slice("/svc/builtin/ADMIN_".length);
    requests.push(operation);
    const isToken = operation === "GetAuthToken";
    const reply = isToken || requests.length > 2 ? { authtoken: "t" } : null;
    const refusal = { status: "ERROR", message: "Service Out" };
    response.end(JSON.stringify(reply === null ? refusal : { status: "OK", response: reply }));
  });
  await new Promise<void>((resolve) => {
    server.listen(ADDRESS.port, ADDRESS.host, resolve);
  });
  const restart = { ...WANTED, operation: "RestartHTTP" };
  assert.equal(await callAdminOperation(ADDRESS, restart), { authtoken: "t" });
  assert.is(requests.join(" "), "GetAuthToken RestartHTTP GetAuthToken RestartHTTP");
  requests.length = 0;
  // Another operation may have begun.
  const failure = await callAdminOperation(ADDRESS, WANTED).catch((error: SvcError) => error);
  assert.is((failure as SvcError).code, "SVC3115");
  server.closeAllConnections();
  server.close();
});

test.run();
