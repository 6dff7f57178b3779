// An admin operation on an instance that is temporarily unreachable.

import { createServer, type Server } from "node:http";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { SvcError } from "../../../runtime/base/errors.js";
import { callAdminOperation } from "../../../runtime/system/call-admin-operation.js";

const test = suite("call admin operation");
/** Used by this test alone. */
const ADDRESS = { host: `127.77.${process.pid % 250}.${(process.pid >> 8) % 250}`, port: 9101 };
const WANTED = { operation: "ServiceIn", parameters: {}, headers: {} };

function listen(asked: string[], done: unknown = true): Promise<Server> {
  const server = createServer(({ url }, response) => {
    asked.push(new URL(url!, "http://x").pathname);
    const answer = url!.includes("GetAuthToken") ? { authtoken: "t" } : { done };
    response.end(JSON.stringify({ status: "OK", response: answer }));
  });
  return new Promise((resolve) => {
    server.listen(ADDRESS.port, ADDRESS.host, () => resolve(server));
  });
}

test("retries while the instance reopens its ports", async () => {
  const asked: string[] = [];
  const done = callAdminOperation(ADDRESS, WANTED);
  await new Promise((resolve) => setTimeout(resolve, 100));
  const server = await listen(asked);
  assert.equal(await done, { done: true });
  assert.equal(asked, ["/svc/builtin/ADMIN_GetAuthToken", "/svc/builtin/ADMIN_ServiceIn"]);
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

test.run();
