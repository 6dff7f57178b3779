// Preconditions that a rolling update checks before it changes anything.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminContext } from "../../../cli/admin/context.js";
import { run } from "../../../cli/admin/rolling-update.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("rolling update checks");

test("leave readonly graphs alone", async () => {
  const asked: string[] = [];
  const server: Server = createServer((request, response) => {
    asked.push(request.url!);
    const state = { "service-in": 1, readonly: true, build: "a" };
    // The same response to all requests.
    const told = { ...state, authtoken: "t", status: "granted" };
    response.end(JSON.stringify({ status: "OK", response: told }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hport = (server.address() as AddressInfo).port - 1;
  const system = readDescriptor({ instances: { S1: { hport } } });
  try {
    await run(new AdminContext(system, {}), { ids: "S1", more: undefined });
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC3119");
    assert.match((error as Error).message, "S1: graphs are read-only");
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const others = asked.filter((path) => !/nodestat|GetAuthToken|ADMIN_Lease/.test(path));
  assert.equal([asked.length > 0, others], [true, []]);
});

test.run();
