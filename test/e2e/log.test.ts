// The server log as operators read it: JSON lines with levels and request ids, exceptions with
// source positions, access logs on request, and each state change of a back-end.
// limit: 60 s
// takes 10 s

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { matrix } from "./support/matrix.js";
import { buildProject, fixture, get, type RunningServer, serve } from "./support/server.js";

const test = suite("log");
let server: RunningServer | null = null;

test.before(async () => {
  await buildProject(fixture("engine"));
});
test.after.each(async () => {
  await server?.stop("SIGKILL");
  server = null;
});

type Line = Readonly<Record<string, unknown>>;

/** All lines so far, each valid JSON, once one of them matches. */
async function lines(pattern: RegExp): Promise<Line[]> {
  for (; !pattern.test(server!.log()); await delay(10)) await get(server!.port, "/svc/hc");
  const whole = server!.log().slice(0, server!.log().lastIndexOf("\n"));
  return whole.split("\n").map((line) => JSON.parse(line) as Line);
}

const named = (id: string): RequestInit => ({ headers: { "X-Request-Id": id } });

test("logs an exception of a plugin with the client's request id", async () => {
  server = await serve(fixture("engine"), "--log-format", "json");
  const response = await get(server.port, "/svc/plugin/fails?text=gone", named("order-7"));
  assert.is(response.status, 500);
  assert.is(response.headers.get("x-request-id"), "order-7");
  const [line] = (await lines(/order-7/)).filter(({ request }) => request === "order-7");
  assert.is(line!.level, "error");
  assert.is(line!.path, "/svc/plugin/fails");
  assert.match(
    String(line!.msg),
    /^\/svc\/plugin\/fails threw \w+: gone\n +at .*faults\.ts:\d+:\d+/,
  );
  assert.ok(Math.abs(Date.parse(String(line!.time)) - Date.now()) < 600_000);
});

test("ignores ids that are too long or unprintable, and creates none", async () => {
  server = await serve(fixture("engine"), "--log-format", "json");
  for (const id of ["x".repeat(129), "a b", "ä"]) {
    const { status, headers } = await get(server.port, "/svc/plugin/fails", named(id));
    assert.is(status, 500);
    assert.is(headers.get("x-request-id"), null, id);
  }
  assert.is((await get(server.port, "/svc/plugin/add?a=1")).headers.get("x-request-id"), null);
  const entries = (await lines(/threw/)).filter(({ msg }) => String(msg).includes("threw"));
  for (const { request } of entries) assert.match(String(request), /^\d+$/);
});

test("prints the exception in text format, with the id after its first line", async () => {
  server = await serve(fixture("engine"), "--log-format", "text");
  await get(server.port, "/svc/plugin/fails?text=gone", named("order-8"));
  while (!server.log().includes("faults.ts")) await get(server.port, "/svc/hc");
  assert.match(
    server.log(),
    /^svc: \/svc\/plugin\/fails threw \w+: gone \(request order-8\)\n {4}at /m,
  );
});

test("limits entries that clients cause", async () => {
  server = await serve(fixture("engine"), "--log-format", "json");
  const requests = Array.from({ length: 400 }, (_, n) => {
    return get(server!.port, `/svc/plugin/fails?text=${n}`, named(`id${n}`));
  });
  await Promise.all(requests);
  const entries = await lines(/more entries dropped/);
  const left = entries.filter(({ msg }) => String(msg).includes("more entries dropped"));
  const sum = left.reduce((total, { repeats }) => total + Number(repeats), 0);
  const thrown = entries.filter(({ path }) => path === "/svc/plugin/fails").length;
  assert.ok(sum > 0 && thrown + sum <= 400, `${thrown} and ${sum}`);
});

test("omits entries below the configured level", async () => {
  server = await serve(fixture("engine"), "--log-format", "json", "--log-level", "error");
  await get(server.port, "/svc/plugin/fails");
  await lines(/threw/);
  server.process.kill("SIGTERM");
  assert.is(await server.stop(), 0);
  assert.not.match(server.log(), "SIGTERM");
});

test("logs a sample of requests without their query", async () => {
  server = await serve(fixture("engine"), "--log-format", "json", "--access-log-sample-every", "2");
  for (let n = 0; n < 6; n++) await get(server.port, "/svc/plugin/add?a=4711", named(`r${n}`));
  const entries = (await lines(/r4/)).filter(({ method }) => method === "GET");
  assert.equal(
    entries.map(({ request, path, status }) => [request, path, status]),
    ["r0", "r2", "r4"].map((id) => [id, "/svc/plugin/add", 200]),
  );
  assert.not.match(server.log(), "4711");
});

test("logs no requests by default", async () => {
  server = await serve(fixture("engine"), "--log-format", "json");
  await get(server.port, "/svc/plugin/add?a=1");
  await get(server.port, "/svc/plugin/fails");
  const entries = await lines(/threw/);
  assert.equal(
    entries.filter(({ method }) => method !== undefined),
    [],
  );
});

test("logs each change of a back-end in one line, and passes ids down the matrix", async () => {
  const nodes = await matrix(2, 1);
  try {
    const { dispatcher } = nodes;
    const request = (init = {}) => get(dispatcher.port, "/svc/plugin/find?n=1", init);
    assert.is((await request(named("top-1"))).headers.get("x-request-id"), "top-1");
    await nodes.place(0, 0).kill();
    while (!dispatcher.log.includes("is down")) await request();
    await nodes.place(0, 0).restart();
    while (!dispatcher.log.includes("is back")) await request();
    const changes = dispatcher.log.split("\n").filter((line) => line.startsWith("svc: back-end"));
    assert.is(changes.length, 2, dispatcher.log);
    assert.match(
      changes[0]!,
      /^svc: back-end 127\.0\.0\.1:\d+ \(partition 0, replica 0\) is down: /,
    );
    assert.match(changes[1]!, /\(partition 0, replica 0\) is back$/);
  } finally {
    await nodes.stop();
  }
});

test.run();
