// End of a dump: complete, or no longer reported by its instance.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminContext } from "../../../cli/admin/context.js";
import { waitUntilDumped } from "../../../cli/admin/dump.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("dump completion");

test("reports a dump that ended incomplete", async () => {
  let subscribers = [["file:///data/opdump_1.tx", { status: "CONNECTED" }]];
  const server = createServer((_request, response) => {
    response.end(JSON.stringify({ status: "OK", response: { subscribers } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const system = readDescriptor({ instances: { B: { hport: port - 1, host: "127.0.0.1" } } });
  const context = new AdminContext(system, {});
  try {
    assert.is(await waitUntilDumped(context, "B", "opdump_1.tx", 1), "/data/opdump_1.tx");
    subscribers = [];
    await waitUntilDumped(context, "B", "opdump_1.tx", 1);
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC3341");
    assert.match((error as Error).message, "see the log of B");
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test.run();
