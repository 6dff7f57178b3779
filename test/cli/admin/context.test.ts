// What the verbs of `svc admin` wait for, and for how long.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminContext } from "../../../cli/admin/context.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("context of svc admin");

test("an instance that is fed all the time is not waited for without end", async () => {
  let idleMs = 10_000;
  const server = createServer((_, response) => {
    response.end(JSON.stringify({ status: "OK", response: { "idle-ms": idleMs } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hport = (server.address() as AddressInfo).port - 1;
  const context = new AdminContext(readDescriptor({ instances: { S1: { hport } } }), {});
  try {
    await context.untilIdle("S1");
    idleMs = 10;
    await context.untilIdle("S1", 1);
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
