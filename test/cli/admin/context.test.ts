// Waits of the verbs of `svc admin`, and their limits.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminContext } from "../../../cli/admin/context.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("svc admin context");

test("limits the wait for an instance that is fed continuously", async () => {
  let idleMs = 10_000;
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ status: "OK", response: { "idle-ms": idleMs } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hport = (server.address() as AddressInfo).port - 1;
  const context = new AdminContext(readDescriptor({ instances: { S1: { hport } } }), {});
  try {
    await context.waitUntilIdle("S1");
    idleMs = 10;
    await context.waitUntilIdle("S1", 1);
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC3118");
    assert.is((error as Error).message, "Operation incomplete: Instance S1 is busy");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.run();
