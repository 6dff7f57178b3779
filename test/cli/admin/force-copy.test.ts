// End of a copy: two equal instances, or instances that stay different.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminContext } from "../../../cli/admin/context.js";
import { waitUntilInSync } from "../../../cli/admin/force-copy.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("copy completion");

test("reports digests that stay different", async () => {
  const digests = ["a", "b"];
  const servers = digests.map((_, index) => {
    return createServer((_request, response) => {
      const status = {
        digest: digests[index],
        synchronizing: 0,
        "graph-order": 1,
        "graph-size": 2,
      };
      response.end(JSON.stringify({ status: "OK", response: status }));
    });
  });
  const ports: number[] = [];
  // Ports may be adjacent, which two instances of one host cannot have.
  const hosts = ["127.0.0.1", "127.0.0.2"];
  for (const [index, server] of servers.entries()) {
    await new Promise<void>((resolve) => server.listen(0, hosts[index], resolve));
    ports.push((server.address() as AddressInfo).port - 1);
  }
  const entries = ports.map((hport, index) => [`I${index}`, { hport, host: hosts[index] }]);
  const system = readDescriptor({ instances: Object.fromEntries(entries) });
  const context = new AdminContext(system, {});
  try {
    await waitUntilInSync(context, "I0", "I1", 1);
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC3332");
    const text = "digest mismatch after force copy sync attempt: I0 a, I1 b";
    assert.is((error as Error).message, text);
  }
  digests[1] = "a";
  await waitUntilInSync(context, "I0", "I1", 1);
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

test.run();
