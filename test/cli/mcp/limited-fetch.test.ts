// Limits the size of responses.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { limitedFetch } from "../../../cli/mcp/limited-fetch.js";

const test = suite("limitedFetch");
const MIB = Buffer.alloc(1024 * 1024, "a");

/** Serves the number of MiB in the path. */
const server = createServer(async ({ url = "" }, response) => {
  response.on("error", () => {});
  for (let remaining = Number(url.slice(1)); remaining > 0 && !response.destroyed; remaining--) {
    if (!response.write(MIB))
      await Promise.race([once(response, "drain"), once(response, "close")]);
  }
  response.end();
});
let base = "";

test.before(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.after(() => {
  server.closeAllConnections();
  server.close();
});

test("passes a response that is short enough", async () => {
  const response = await limitedFetch(`${base}/2`, {});
  assert.is((await response.arrayBuffer()).byteLength, 2 * MIB.length);
});

test("rejects a response that is too long", async () => {
  const response = await limitedFetch(`${base}/1000`, {});
  try {
    await response.arrayBuffer();
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, /^the answer has more than \d+ bytes$/);
  }
});

test.run();
