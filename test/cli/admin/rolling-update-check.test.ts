// A rolling update checks instances before it changes anything, and recognizes another process.

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminContext } from "../../../cli/admin/context.js";
import { handOverLead, isSynced } from "../../../cli/admin/rolling-update/group-members.js";
import { run } from "../../../cli/admin/rolling-update.js";
import type { SvcError } from "../../../runtime/base/errors.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("rolling update checks");

/** Updates an instance whose responses come from `answer`. */
async function update(
  respond: (path: string, body: string) => object,
  values: AdminContext["values"] = {},
  descriptor: object = {},
): Promise<void> {
  const server: Server = createServer(async (request, response) => {
    const body = {
      authtoken: "t",
      status: "granted",
      ...respond(request.url!, await text(request)),
    };
    response.end(JSON.stringify({ status: "OK", response: body }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const hport = (server.address() as AddressInfo).port - 1;
  const system = readDescriptor({
    graphs: ["g"],
    common: { graph: "g", host: "127.0.0.1" },
    instances: { S1: { hport, tport: 9003 }, S2: { hport: 9000, tport: 9002 } },
    topology: { transaction: { S1: ["S2"] } },
    ...descriptor,
  });
  const context = new AdminContext(system, values);
  context.print = () => undefined;
  try {
    await run(context, { ids: "S1", more: undefined });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test("reject instances with readonly graphs, except followers", async () => {
  const requests: string[] = [];
  try {
    await update((path) => {
      requests.push(path);
      return { "service-in": 1, readonly: true, build: "a" };
    });
    assert.unreachable();
  } catch (error) {
    assert.is((error as SvcError).code, "SVC3119");
    assert.match((error as Error).message, "S1: graphs are read-only");
  }
  const others = requests.filter((path) => !/nodestat|GetAuthToken|ADMIN_Lease/.test(path));
  assert.equal([requests.length > 0, others], [true, []]);
  const group = { group: "S1", role: "following", leader: null, synced: [] };
  // The instance follows another member at present.
  await update(() => ({ "service-out-reason": "operator", readonly: true, build: "a", group }));
});

test("stop at once if the leadership engine does not respond", async () => {
  const group = { group: "S1", role: "leading", leader: "S1", synced: ["S2"], isEngineDown: true };
  const failure = await update(() => ({ "service-in": 1, build: "a", group })).catch(String);
  assert.match(String(failure), /the leadership engine does not respond to S1 \(SVC3408\)/);
});

test("stop no leader before another member can lead, and wait for updated members", async () => {
  const groups: Record<string, object> = {
    B1: { group: "B1", leader: "B1", role: "leading", synced: [] },
    S1: { group: "B1", leader: "B1", role: "following", synced: [] },
  };
  const commands: string[] = [];
  const server = createServer((request, response) => {
    const id = request.headers.host!.startsWith("127.0.0.2:") ? "B1" : "S1";
    if (request.url!.includes("ADMIN_Console")) commands.push(request.url!);
    const body = { authtoken: "t", group: groups[id], result: [{}] };
    response.end(JSON.stringify({ status: "OK", response: body }));
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const hport = (server.address() as AddressInfo).port - 1;
  const system = readDescriptor({
    graphs: ["shop"],
    common: { graph: "shop", hport },
    leadership: { engine: "nats://n1:4222/leaders" },
    instances: {
      B1: { type: "builder", host: "127.0.0.2", tport: 9102 },
      S1: { type: "search", host: "127.0.0.1", tport: 9112 },
    },
    topology: { transaction: { B1: ["S1"] } },
  });
  const context = new AdminContext(system, {});
  try {
    const rejection = await handOverLead(context, "B1", { group: groups.B1 }).catch(String);
    assert.match(String(rejection), /no other member of B1 is synced/);
    await handOverLead(context, "S1", { group: groups.S1 });
    assert.equal([commands, await isSynced(context, "S1")], [[], false]);
    groups.B1 = { ...groups.B1, synced: ["S1"] };
    await handOverLead(context, "B1", { group: groups.B1 });
    assert.equal([commands.length, await isSynced(context, "S1")], [1, true]);
    assert.is(await isSynced(context, "B1"), true);
    // A leader that refuses changes still leads.
    await handOverLead(context, "B1", { group: { ...groups.B1, role: "readonly" } });
    assert.is(commands.length, 2);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("update instances out of service first, then replicas before their providers", async () => {
  const order: string[] = [];
  const ids: Record<string, string> = { "127.0.0.2": "B1", "127.0.0.3": "X1", "127.0.0.4": "S1" };
  const leftOut = { "service-in": 0, "service-out-reason": "rolling update" };
  const server = createServer((request, response) => {
    const id = ids[request.headers.host!.split(":")[0]!]!;
    if (request.url!.includes("ADMIN_ServiceIn")) order.push(id);
    const status = id === "U1" && !order.includes(id) ? leftOut : { "service-in": 1 };
    const body = { authtoken: "t", status: "granted", build: "a", ...status };
    response.end(JSON.stringify({ status: "OK", response: body }));
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const hport = (server.address() as AddressInfo).port - 1;
  ids["127.0.0.5"] = "U1";
  const instances: Record<string, object> = {};
  for (const [host, id] of Object.entries(ids)) {
    instances[id] = { type: "generic", host, tport: 9102 };
  }
  const system = readDescriptor({
    graphs: ["shop"],
    common: { graph: "shop", hport },
    instances,
    topology: { transaction: { B1: { X1: ["S1"] }, U1: [] } },
  });
  const context = new AdminContext(system, { pause: 0 });
  context.print = () => undefined;
  try {
    await run(context, { ids: "B1,X1,S1,U1", more: undefined });
    assert.equal(order, ["U1", "S1", "X1", "B1"]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

const restarts: readonly [label: string, descriptor: object, attached: readonly string[]][] = [
  // `svc admin attach` added the subscriber.
  ["attach its subscribers", {}, ['UpdateSubscribers["10.0.0.1:9002"] 07']],
  ["attach nothing in a group", { leadership: { engine: "nats://n1:4222/leaders" } }, []],
];
for (const [label, descriptor, attached] of restarts) {
  test(`wait for another process, also with the same pid, and ${label}`, async () => {
    let timeRequests = 0;
    let start = "2026-01-01 00:00:00";
    let isIn = 1;
    const order: string[] = [];
    const respond = (path: string, body: string): object => {
      const names = /ADMIN_(Shutdown|ServiceIn|ServiceOut|UpdateSubscribers)/;
      const [, operation] = names.exec(path) ?? [];
      if (operation !== undefined) order.push(`${operation}${body} ${start.slice(-2)}`);
      if (path.includes("/svc/peerstat")) {
        return { subscribers: [["svc://10.0.0.1:9002"], ["nats://10.0.0.1:4222/shop"]] };
      }
      if (operation === "ServiceIn") isIn = 1;
      if (operation === "ServiceOut") isIn = 0;
      // The old process still responds after the command to stop.
      if (path.includes("/svc/time") && order.includes("Shutdown 00") && ++timeRequests === 2) {
        start = "2026-01-01 00:00:07";
      }
      return { pid: 1, "service-in": isIn, build: "a", time: { start } };
    };
    await update(respond, { restart: true }, descriptor);
    assert.equal(order, ["ServiceOut 00", "Shutdown 00", ...attached, "ServiceIn 07"]);
    assert.is(timeRequests, 2);
  });
}

for (const [reason, expected] of [
  ["operator", []],
  // An update can remove the cause.
  ["executors keep dying", ["Shutdown"]],
] as const) {
  test(`restart of an instance that is out of service: ${reason}`, async () => {
    const operations: string[] = [];
    const answer = (path: string): object => {
      const [, operation] = /ADMIN_(Shutdown|Service\w+)/.exec(path) ?? [];
      if (operation !== undefined) operations.push(operation);
      const time = { start: `2026-01-01 00:00:0${operations.length}` };
      return { pid: 1, "service-in": 0, "service-out-reason": reason, build: "a", time };
    };
    await update(answer, { restart: true });
    assert.equal(operations, expected);
  });
}

test("ignore the builds of instances that were not restarted", async () => {
  const status = { "service-in": 0, "service-out-reason": "operator" };
  const server = createServer((request, response) => {
    const body = { authtoken: "t", status: "granted", build: request.headers.host, ...status };
    response.end(JSON.stringify({ status: "OK", response: body }));
  });
  await new Promise<void>((resolve) => server.listen(0, "0.0.0.0", resolve));
  const hport = (server.address() as AddressInfo).port - 1;
  const system = readDescriptor({
    graphs: ["shop"],
    common: { graph: "shop", hport, type: "generic" },
    instances: { B1: { host: "127.0.0.1", tport: 9102 }, B2: { host: "127.0.0.2", tport: 9102 } },
    topology: { transaction: { B1: [], B2: [] } },
  });
  const lines: string[] = [];
  const context = new AdminContext(system, { pause: 0, restart: true });
  context.print = (_row, texts) => void lines.push(...texts);
  try {
    await run(context, { ids: "B1,B2", more: undefined });
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const text = "is out of service (operator) and was not restarted";
  assert.equal(lines, [`B1: ${text}`, `B2: ${text}`]);
});

test.run();
