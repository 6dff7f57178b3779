// A rolling update checks instances before it changes anything, and recognizes another process.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminContext } from "../../../cli/admin/context.js";
import { run } from "../../../cli/admin/rolling-update.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("rolling update checks");

/** Updates an instance that answers as `answer` says. */
async function update(
  answer: (path: string) => object,
  values: AdminContext["values"] = {},
): Promise<void> {
  const server: Server = createServer((request, response) => {
    const told = { authtoken: "t", status: "granted", ...answer(request.url!) };
    response.end(JSON.stringify({ status: "OK", response: told }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hport = (server.address() as AddressInfo).port - 1;
  const system = readDescriptor({ instances: { S1: { hport } } });
  const context = new AdminContext(system, values);
  context.print = () => undefined;
  try {
    await run(context, { ids: "S1", more: undefined });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("leave readonly graphs alone", async () => {
  const asked: string[] = [];
  try {
    await update((path) => {
      asked.push(path);
      return { "service-in": 1, readonly: true, build: "a" };
    });
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC3119");
    assert.match((error as Error).message, "S1: graphs are read-only");
  }
  const others = asked.filter((path) => !/nodestat|GetAuthToken|ADMIN_Lease/.test(path));
  assert.equal([asked.length > 0, others], [true, []]);
});

test("wait for another process, also where all have the pid 1", async () => {
  let wasAsked = 0;
  let start = "2026-01-01 00:00:00";
  let isIn = 1;
  const order: string[] = [];
  const answer = (path: string): object => {
    const [, operation] = /ADMIN_(Shutdown|ServiceIn|ServiceOut)/.exec(path) ?? [];
    if (operation !== undefined) order.push(`${operation} ${start.slice(-2)}`);
    if (operation === "ServiceIn") isIn = 1;
    if (operation === "ServiceOut") isIn = 0;
    // The former process still answers after it was asked to stop.
    if (path.includes("/svc/time") && order.includes("Shutdown 00") && ++wasAsked === 2) {
      start = "2026-01-01 00:00:07";
    }
    return { pid: 1, "service-in": isIn, build: "a", time: { start } };
  };
  await update(answer, { restart: true });
  assert.equal(order, ["ServiceOut 00", "Shutdown 00", "ServiceIn 07"]);
  assert.is(wasAsked, 2);
});

test.run();
