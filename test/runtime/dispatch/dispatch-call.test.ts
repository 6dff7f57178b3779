// One request through a matrix of fake back-ends: its back-ends, its retries on other replicas, and
// its outcome.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DispatchCall } from "../../../runtime/dispatch/dispatch-call.js";
import { makeDispatch, Owner, PARTIAL } from "./support/call-owner.js";
import { type FakeRequest, responseText, until } from "./support/fake-back-end.js";
import { SmallMatrix } from "./support/small-matrix.js";

const test = suite("dispatch call");
let small: SmallMatrix | null = null;

test.after.each(async () => {
  await small?.close();
  small = null;
});

async function matrix(...size: Parameters<typeof SmallMatrix.start>): Promise<SmallMatrix> {
  small = await SmallMatrix.start(...size);
  return small;
}

test("sends the same bytes to each partition and orders the responses", async () => {
  await matrix(3, 2);
  const { owner } = small!.begin("/a?b=c");
  const heads = [
    await small!.respond(2, 0),
    await small!.respond(0, 0),
    await small!.respond(1, 0),
  ].map(({ head }) => head);
  assert.is(new Set(heads).size, 1);
  assert.is(await owner.outcome(), "p0r0,p1r0,p2r0");
  assert.equal(
    [...small!.matrix.all()].map(({ running }) => running),
    new Array(6).fill(0),
  );
});

test("maps a target to one partition, modulo the width", async () => {
  await matrix(3, 1);
  for (const target of [1n, 4n, 18446744073709551616n]) {
    const { owner } = small!.begin("/a", { target });
    await small!.respond(1, 0);
    assert.is(await owner.outcome(), "-,p1r0,-");
  }
  assert.is(small!.backEnd(0, 0).accepted + small!.backEnd(2, 0).accepted, 0);
});

test("sends nothing while one partition is busy", async () => {
  await matrix(2, 1, { channels: 1 });
  const blocker = small!.begin("/a", { target: 1n });
  const owner = new Owner();
  const call = new DispatchCall(small!.matrix, makeDispatch("/b"), owner);
  assert.is(call.advance(), false);
  assert.is(small!.matrix.backEnds[0]![0]!.running, 0);
  await small!.respond(1, 0);
  await blocker.owner.outcome();
  assert.is(call.advance(), true);
  await Promise.all([small!.respond(0, 0), small!.respond(1, 0)]);
  assert.is(await owner.outcome(), "p0r0,p1r0");
});

const FAULTS: [name: string, fault: (request: FakeRequest) => void][] = [
  ["503", (request) => request.respond(503, "")],
  ["a 503 that closes the connection", ({ socket }) => socket.end("HTTP/1.1 503 X\r\n\r\n")],
  ["429", (request) => request.respond(429, "")],
];
for (const [name, fault] of FAULTS) {
  test(`retries on another replica after ${name}, even for a POST`, async () => {
    await matrix(2, 2);
    for (const options of [{}, { method: "POST", body: "b" }] as const) {
      for (const backEnd of small!.matrix.all()) backEnd.markUp();
      const { owner } = small!.begin("/a", options);
      await small!.respond(0, 0);
      fault(await small!.backEnd(1, 0).next());
      const repeatedRequest = await small!.respond(1, 1);
      assert.is(repeatedRequest.body, options.body ?? "");
      assert.is(await owner.outcome(), "p0r0,p1r1");
      const isPenalised = small!.matrix.backEnds[1]![0]!.isPenalized;
      assert.equal([isPenalised, small!.down()], name === "429" ? [true, []] : [false, ["p1r0"]]);
    }
  });
}

test("retries on another replica after a refused connection, even for a POST", async () => {
  await matrix(1, 2);
  await small!.backEnd(0, 0).close();
  const { owner } = small!.begin("/a", { method: "POST", body: "b" });
  await small!.respond(0, 1);
  assert.is(await owner.outcome(), "p0r1");
  assert.equal(small!.down(), ["p0r0"]);
});

test("retries a GET but not a POST after a connection closed without a response", async () => {
  await matrix(1, 2);
  for (const end of ["end", "resetAndDestroy"] as const) {
    for (const backEnd of small!.matrix.all()) backEnd.markUp();
    const get = small!.begin();
    (await small!.backEnd(0, 0).next()).socket[end]();
    await small!.respond(0, 1);
    assert.is(await get.owner.outcome(), "p0r1");
    for (const backEnd of small!.matrix.all()) backEnd.markUp();
    const post = small!.begin("/a", { method: "POST", body: "b" });
    (await small!.backEnd(0, 0).next()).socket[end]();
    assert.match(await post.owner.outcome(), /^<partial: 0 width: 1> \| 503 \| /);
    assert.is(small!.backEnd(0, 1).requests.length, 0);
    assert.equal(small!.down(), ["p0r0"]);
  }
});

test("does not retry after a truncated or invalid response", async () => {
  await matrix(1, 2);
  for (const bytes of [responseText(200, "body", PARTIAL).slice(0, -1), "H", "220 mail\r\n\r\n"]) {
    for (const backEnd of small!.matrix.all()) backEnd.markUp();
    const { owner } = small!.begin();
    (await small!.backEnd(0, 0).next()).socket.end(bytes, "latin1");
    assert.match(await owner.outcome(), /^<partial: 0 width: 1> \| 503 \| (connection|invalid)/);
    assert.equal(small!.down(), ["p0r0"]);
  }
  assert.is(small!.backEnd(0, 1).accepted, 0);
});

test("reports other errors with the message of the lowest partition", async () => {
  await matrix(3, 2);
  const { owner } = small!.begin();
  const [second, thirdRequest] = [
    await small!.backEnd(1, 0).next(),
    await small!.backEnd(2, 0).next(),
  ];
  thirdRequest.respond(404, '{"message": "third"}', "Content-Type: application/json");
  second.respond(400, '{"message": "sec\\"ond"}', "Content-Type: application/json");
  await small!.respond(0, 0);
  assert.is(await owner.outcome(), "<partial: 1 width: 3> | 400 | sec ond");
  assert.equal(small!.down(), []);
});

test("rejects a response that is not a partial, unless it is relayed", async () => {
  await matrix(1, 1);
  const merged = small!.begin();
  (await small!.backEnd(0, 0).next()).respond(200, "plain", "Content-Type: text/plain");
  assert.is(await merged.owner.outcome(), "<partial: 0 width: 1> | 200 | ?");
  const failed = small!.begin();
  (await small!.backEnd(0, 0).next()).respond(500, "partial", PARTIAL);
  assert.is(await failed.owner.outcome(), "<partial: 0 width: 1> | 500 | ?");
  for (const status of [200, 404, 500]) {
    const relayed = small!.begin("/a", { isRelayed: true });
    (await small!.backEnd(0, 0).next()).respond(status, `plain ${status}`);
    assert.is(await relayed.owner.outcome(), `plain ${status}`);
  }
});

test("fails with 503 when no healthy replica is left", async () => {
  await matrix(2, 2);
  const { owner } = small!.begin();
  for (const replica of [0, 1]) (await small!.backEnd(1, replica).next()).respond(503, "");
  assert.is(await owner.outcome(), "503 Partition(s) down");
  // The back-end of the other partition did not fail.
  assert.equal(small!.down(), ["p1r0", "p1r1"]);
  await until(() => small!.backEnd(0, 0).open === 0, "end of the request that is under way");
  assert.is(await small!.begin().owner.outcome(), "503 Partition(s) down");
});

test("does not retry on a revived replica that failed the same request", async () => {
  await matrix(1, 2);
  const { owner } = small!.begin();
  (await small!.backEnd(0, 0).next()).respond(503, "");
  const second = await small!.backEnd(0, 1).next();
  small!.matrix.backEnds[0]![0]!.markUp();
  second.respond(503, "");
  assert.is(await owner.outcome(), "503 Partition(s) down");
});

test("fails with 429 when all replicas are overloaded", async () => {
  await matrix(1, 2);
  const { owner } = small!.begin();
  for (const replica of [0, 1]) {
    (await small!.backEnd(0, replica).next()).respond(429, '{"message": "too much"}');
  }
  assert.is(await owner.outcome(), "429 <partial: 0 width: 1> | 429 | too much");
});

test("fails with 429 when one replica is down and the other overloaded", async () => {
  await matrix(1, 2);
  const { owner } = small!.begin();
  (await small!.backEnd(0, 0).next()).respond(503, "");
  (await small!.backEnd(0, 1).next()).respond(429, '{"message": "too much"}');
  assert.is(await owner.outcome(), "429 <partial: 0 width: 1> | 429 | too much");
});

test("fails primary requests instead of sending them to another row", async () => {
  await matrix(1, 2);
  const { owner } = small!.begin("/a", { isPrimary: true });
  (await small!.backEnd(0, 0).next()).respond(503, "");
  assert.is(await owner.outcome(), "503 Partition(s) down");
  assert.is(small!.backEnd(0, 1).accepted, 0);
});

test("queues a retry when all other replicas are busy", async () => {
  await matrix(1, 2, { channels: 1 });
  const blocker = small!.begin("/block", { affinity: 1 });
  const blocking = await small!.backEnd(0, 1).next();
  const { call, owner } = small!.begin();
  assert.is(call.isRetried, false);
  (await small!.backEnd(0, 0).next()).respond(503, "");
  await until(() => owner.waits === 1, "waiting");
  assert.is(call.isRetried, true);
  assert.is(call.advance(), false);
  blocking.respond(200, "free", PARTIAL);
  await blocker.owner.outcome();
  assert.is(call.advance(), true);
  await small!.respond(0, 1);
  assert.is(await owner.outcome(), "p0r1");
});

test("completes once when cancelled, and aborts requests in flight", async () => {
  await matrix(2, 1);
  const { call, owner } = small!.begin();
  await small!.backEnd(0, 0).next();
  for (let times = 0; times < 2; times++) call.cancel(503, "Service Out");
  assert.is(await owner.outcome(), "503 Service Out");
  await until(
    () => small!.backEnd(0, 0).open + small!.backEnd(1, 0).open === 0,
    "end of the connections",
  );
  assert.equal(small!.down(), []);
});

test.run();
