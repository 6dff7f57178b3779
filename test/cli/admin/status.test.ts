// `svc admin status` of instances that respond late, or only to health checks, and of groups.
// takes 4 s

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { AdminContext } from "../../../cli/admin/context.js";
import { run } from "../../../cli/admin/status.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

interface Context {
  server: Server;
  /** Answers all requests except health checks. */
  respond: (response: ServerResponse, body: string) => void;
  /** Null: one instance. */
  descriptor: object | null;
}

const test = suite<Context>("svc admin status");
const BODIES: Readonly<Record<string, string>> = {
  "/svc/ping": '{ "host": { "version": "svc 1.2.3" } }',
  "/svc/nodestat": '{ "service-in": 1, "uptime": 5, "ip": "127.0.0.1", "cpu": "Chip" }',
};

test.before(async (context) => {
  context.server = createServer(({ url }, response) => {
    if (url === "/svc/hc") return response.end("SVC/3");
    context.respond(response, `{ "status": "OK", "response": ${BODIES[url!]} }`);
    return undefined;
  });
  await new Promise<void>((resolve) => context.server.listen(0, "127.0.0.1", resolve));
});
test.after(({ server }) => {
  server.closeAllConnections();
  server.close();
});

/** Exit code and output. */
async function status({
  server,
  descriptor,
}: Context): Promise<readonly [code: number, out: string]> {
  const hport = (server.address() as AddressInfo).port - 1;
  const context = new AdminContext(
    readDescriptor(descriptor ?? { instances: { H: { hport } } }),
    {},
  );
  const { write } = process.stdout;
  let out = "";
  process.stdout.write = (text: string | Uint8Array) => {
    out += text;
    return true;
  };
  try {
    return [await run(context, { ids: undefined, more: undefined }), out];
  } finally {
    process.stdout.write = write;
  }
}

test("shows an instance that responds late as slow, and succeeds", async (context) => {
  context.respond = (response, body) => void setTimeout(() => response.end(body), 700);
  const [code, out] = await status(context);
  assert.is(code, 0);
  assert.match(out, /^H .*S-IN/m);
  assert.match(out, /^Slow: H \(responded after \d+ ms\)$/m);
});

test("shows an instance with health checks alone as slow, and fails", async (context) => {
  context.respond = () => {};
  const [code, out] = await status(context);
  assert.is(code, 1);
  assert.match(out, /^Slow: H \(responds to health checks only; no response .* timed out/m);
  assert.not.match(out, /Not running/);
});

test("reports other failures although health checks succeed", async (context) => {
  context.respond = (response) => response.destroy();
  const [code, out] = await status(context);
  assert.is(code, 1);
  assert.match(out, /^Not running: H \(/m);
});

test("reports a group that no member leads", async (context) => {
  const respondWithRole = (role: string) => (response: ServerResponse, body: string) => {
    const group = `{ "group": "B1", "role": "${role}" }`;
    response.end(body.replace('"uptime"', `"group": ${group}, "uptime"`));
  };
  context.respond = respondWithRole("following");
  const line = /^No leader: B1 \(no member that responds leads the group\)$/m;
  assert.match((await status(context))[1], line);
  for (const role of ["leading", "readonly", "refusing"]) {
    context.respond = respondWithRole(role);
    assert.not.match((await status(context))[1], line);
  }
});

test("reports a leader that waits for a member", async (context) => {
  const { port } = context.server.address() as AddressInfo;
  const instances = { H: { hport: port - 1 }, D: { hport: 1 } };
  context.descriptor = { instances };
  const respondWithGroup =
    (role: string, synced: string) => (response: ServerResponse, body: string) => {
      const group = JSON.stringify({ group: "H", role, synced: [synced] });
      response.end(body.replace('"uptime"', `"group": ${group}, "uptime"`));
    };
  context.respond = respondWithGroup("leading", "D");
  const line = /^Changes wait: H \(H acknowledges none before D responds\)$/m;
  assert.match((await status(context))[1], line);
  for (const [role, synced] of [
    ["following", "D"],
    ["leading", "H"],
  ] as const) {
    context.respond = respondWithGroup(role, synced);
    assert.not.match((await status(context))[1], /Changes/);
  }
  context.respond = respondWithGroup("readonly", "D");
  const changesRejected = /^Changes refused: H \(too few members respond to H, which leads\)$/m;
  assert.match((await status(context))[1], changesRejected);
  context.descriptor = null;
});

test("reports a member whose leadership engine does not respond", async (context) => {
  const line = /^Engine down: H \(the leadership engine does not respond: SVC3408 in .* log\)$/m;
  for (const isEngineDown of [true, false]) {
    const group = JSON.stringify({ group: "H", role: "leading", isEngineDown });
    context.respond = (response, body) =>
      response.end(body.replace('"uptime"', `"group": ${group}, "uptime"`));
    assert.is(line.test((await status(context))[1]), isEngineDown);
  }
});

test("names the command that attaches a replica without a provider", async (context) => {
  const hport = (context.server.address() as AddressInfo).port - 1;
  const leader = { hport, graph: "g", tport: 7002 };
  const replica = { hport, host: "localhost", tport: 7000, graph: "g" };
  const sibling = { ...replica, host: "127.0.0.2" };
  const statusLine = async (subscribers: string): Promise<string | undefined> => {
    context.respond = (response, body) =>
      response.end(body.replace('"uptime"', `"subscribers": [${subscribers}], "uptime"`));
    const lines = (await status(context))[1].split("\n");
    return lines.find((line) => line.startsWith("Not attached"));
  };
  const topology = { transaction: { H: ["R"] } };
  const descriptor = { graphs: ["g"], instances: { H: leader, R: replica }, topology };
  context.descriptor = descriptor;
  const detached = "Not attached: R (run svc admin attach H)";
  assert.is(await statusLine(""), detached);
  assert.is(await statusLine('{ "txport": 7001 }'), detached);
  assert.is(await statusLine('{ "txport": 7000 }'), undefined);
  const instances = { H: leader, R: replica, S: sibling };
  context.descriptor = { ...descriptor, instances, topology: { transaction: { H: ["R", "S"] } } };
  assert.is(await statusLine(""), "Not attached: R, S (run svc admin attach H)");
  const notAttachedLine = "Not attached: 1 of R, S (run svc admin attach H)";
  assert.is(await statusLine('{ "txport": 7000 }'), notAttachedLine);
  const leadership = { engine: "nats://n1:4222/leaders" };
  context.descriptor = { ...descriptor, leadership };
  assert.is(await statusLine(""), undefined, "a member of a group");
  context.descriptor = null;
});

test("reports instances that refuse changes", async (context) => {
  const lines = async (node: string): Promise<string[]> => {
    context.respond = (response, body) =>
      response.end(body.replace('"uptime"', `${node}, "uptime"`));
    return (await status(context))[1].split("\n").filter((line) => /: H \(/.test(line));
  };
  const isReadonly = (state: string) => `"readonly": true, "replica": { "state": "${state}" }`;
  assert.equal(await lines(isReadonly("caught-up")), []);
  assert.equal(await lines(isReadonly("leader")), [
    "Read-only: H (by its settings, or until svc admin clear-readonly H)",
  ]);
  for (const [state, start] of [
    ["good", null],
    ["low", "Disk low: H (less than 512 MiB are free)"],
    ["full", "Disk full: H (changes are refused: free space)"],
    ["failed", "Log failed: H (changes are refused: its server log has the reason)"],
  ])
    assert.equal(await lines(`"log-state": "${state}"`), start === null ? [] : [start]);
});

test.run();
