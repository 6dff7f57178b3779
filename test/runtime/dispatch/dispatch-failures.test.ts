// Outcome of a request through a matrix of fake back-ends when partitions fail, hang or are
// missing.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SlotMap, type SlotRuns } from "../../../runtime/base/slot-map.js";
import { DispatchCall } from "../../../runtime/dispatch/dispatch-call.js";
import type { Failure } from "../../../runtime/dispatch/partition-call.js";
import { failureMessage } from "../../../runtime/engine/error-message.js";
import { PluginResponse } from "../../../runtime/plugin/response/plugin-response.js";
import { makeDispatch, Owner, PARTIAL } from "./support/call-owner.js";
import { type FakeRequest, responseText, until } from "./support/fake-back-end.js";
import { SmallMatrix } from "./support/small-matrix.js";

const test = suite("dispatch failures");
let small: SmallMatrix | null = null;

test.after.each(async () => {
  await small?.close();
  small = null;
});

async function matrix(...size: Parameters<typeof SmallMatrix.start>): Promise<SmallMatrix> {
  small = await SmallMatrix.start(...size);
  return small;
}

const INCOMPLETE = { "allow-incomplete": true };

test("fails when the request line is too long for a back-end", async () => {
  await matrix(1, 1);
  const { owner } = small!.begin();
  (await small!.backEnd(0, 0).next()).respond(414, '{"message": "URI Too Long"}');
  assert.is(await owner.outcome(), "<partial: 0 width: 1> | 414 | URI Too Long");
  assert.is((owner.outcomes[0] as Failure).status, 414);
});

test("forwards the error of a full disk, and keeps the back-end", async () => {
  await matrix(1, 1);
  for (let turn = 0; turn < 6; turn++) {
    const { owner } = small!.begin("/a", { method: "POST", body: "b" });
    (await small!.backEnd(0, 0).next()).respond(507, '{"message": "full"}');
    assert.is(await owner.outcome(), "<partial: 0 width: 1> | 507 | full");
    assert.is((owner.outcomes[0] as Failure).status, 507);
  }
  assert.is(small!.matrix.backEnds[0]![0]!.state, "up");
});

/** Ways in which a leader leaves a request undecided. */
const LOSSES: Readonly<Record<string, (request: FakeRequest) => void>> = {
  "its connection breaks": ({ socket }) => socket.resetAndDestroy(),
  "its answer breaks": ({ socket }) => socket.end("HTTP/1.1 200 X\r\nContent-Le"),
  "it lost its role": (request) =>
    request.respond(500, `{"message":${failureMessage("not-durable", "p").json}}`),
  "it says as text that it lost its role": (request) =>
    request.respond(500, failureMessage("not-durable", "p").text),
};

for (const [label, lose] of Object.entries(LOSSES)) {
  test(`sends a request with a key to the next leader if ${label}`, async () => {
    await matrix(1, 2, { leader: true });
    const change = { method: "POST", body: "b", isKeyed: true } as const;
    const { owner } = small!.begin("/a", change);
    const [first, second] = [small!.backEnd(0, 0), small!.backEnd(0, 1)];
    await until(() => first.requests.length + second.requests.length > 0, "request");
    const isFirst = first.requests.length > 0;
    lose(await (isFirst ? first : second).next());
    (await (isFirst ? second : first).next()).respond(200, "done", PARTIAL);
    assert.is(await owner.outcome(), "done");
  });

  test(`a request with a key waits for the next leader if ${label}`, async () => {
    await matrix(1, 2, { leader: true });
    const next = small!.matrix.backEnds[0]![1]!;
    next.markDown("does not lead");
    const { call, owner } = small!.begin("/a", { method: "POST", body: "b", isKeyed: true });
    lose(await small!.backEnd(0, 0).next());
    await until(() => owner.waits + owner.outcomes.length > 0, "decision");
    assert.equal([owner.waits, owner.outcomes], [1, []]);
    next.markUp();
    assert.is(call.advance(), true);
    (await small!.backEnd(0, 1).next()).respond(200, "done", PARTIAL);
    assert.is(await owner.outcome(), "done");
  });

  test(`sends a request without a key to no other instance if ${label}`, async () => {
    for (const [row, isKeyed] of [
      [{ leader: true }, false],
      [{}, true],
    ] as const) {
      await matrix(1, 2, row);
      const { owner } = small!.begin("/a", { method: "POST", body: "b", isKeyed });
      const backEnds = [small!.backEnd(0, 0), small!.backEnd(0, 1)];
      await until(() => backEnds.some(({ requests }) => requests.length > 0), "request");
      lose(await backEnds.find(({ requests }) => requests.length > 0)!.next());
      assert.match(await owner.outcome(), "<partial: 0 width: 1> | 50");
      assert.is(
        backEnds.every(({ requests }) => requests.length === 0),
        true,
      );
      await small!.close();
    }
    small = null;
  });
}

test("a plugin error that quotes its input does not depose the leader", async () => {
  await matrix(1, 1, { leader: true });
  const { owner } = small!.begin("/a", { method: "POST", body: "b", isKeyed: true });
  const value = failureMessage("not-durable", "p").json;
  const message = { plugin: { exception: "<class 'Error'>", value } };
  (await small!.backEnd(0, 0).next()).respond(500, JSON.stringify({ message }));
  assert.match(await owner.outcome(), "<partial: 0 width: 1> | 500");
  assert.equal([owner.waits, small!.matrix.backEnds[0]![0]!.state], [0, "up"]);
});

test("forwards rejections of keys, and no other responses with these statuses", async () => {
  await matrix(1, 1);
  for (const [status, isKeyed, expected] of [
    [409, true, 409],
    [422, true, 422],
    [409, false, 500],
    [404, true, 500],
  ] as const) {
    const { owner } = small!.begin("/a", { method: "POST", body: "b", isKeyed });
    (await small!.backEnd(0, 0).next()).respond(status, '{"message": "no"}');
    assert.is(await owner.outcome(), `<partial: 0 width: 1> | ${status} | no`);
    assert.is((owner.outcomes[0] as Failure).status, expected);
  }
});

test("never merges responses for other slots", async () => {
  const slots = {
    count: 16,
    runs: [
      [0, 0],
      [8, 1],
    ],
    id: "0123456789abcdef",
  };
  await matrix(2, 2, {}, { slots });
  const [sameSlots, otherSlots] = [slots.id, "fedcba9876543210"].map((id) => [
    PARTIAL,
    `X-SVC-Slots: ${id}`,
  ]);
  const text = "back-end has other slots: restart it with the descriptor in use";
  for (const fields of [otherSlots!, [PARTIAL]]) {
    const { owner } = small!.begin();
    (await small!.backEnd(0, 0).next()).respond(200, "a", ...sameSlots!);
    (await small!.backEnd(1, 0).next()).respond(200, "b", ...fields);
    assert.is(await owner.outcome(), `<partial: 1 width: 2> | 500 | ${text}`);
  }
  // A back-end that has owned a key for the whole time has a map, whichever it is.
  const keyed = small!.begin("/a", { key: "k1" });
  const partition = new SlotMap(slots as unknown as SlotRuns).ownerOfKey("k1");
  (await small!.backEnd(partition, 0).next()).respond(200, "k", ...otherSlots!);
  assert.match(await keyed.owner.outcome(), /k$/);
  const doubtful = small!.begin("/a", { key: "k1" });
  (await small!.backEnd(partition, 0).next()).respond(200, "k", PARTIAL);
  assert.match(await doubtful.owner.outcome(), text);
  // A plugin that changes nothing is asked of another replica.
  const { owner } = small!.begin();
  owner.repeats = true;
  (await small!.backEnd(1, 0).next()).respond(200, "b", ...otherSlots!);
  (await small!.backEnd(1, 1).next()).respond(200, "c", ...sameSlots!);
  (await small!.backEnd(0, 0).next()).respond(200, "a", ...sameSlots!);
  assert.is(await owner.outcome(), "a,c");
});

test("repeats a readonly request until all parts have one slot map", async () => {
  const id = "0123456789abcdef";
  await matrix(2, 1, {}, { slots: { count: 16, runs: [[0, 0]], id } });
  const [sameSlots, otherSlots] = [id, "fedcba9876543210"].map((slotsId) => [
    PARTIAL,
    `X-SVC-Slots: ${slotsId}`,
  ]);
  const { owner } = small!.begin();
  owner.repeats = true;
  owner.matrix = small!.matrix;
  (await small!.backEnd(0, 0).next()).respond(200, "old", ...sameSlots!);
  (await small!.backEnd(1, 0).next()).respond(200, "b", ...otherSlots!);
  // The first part is asked again, too.
  (await small!.backEnd(0, 0).next()).respond(200, "a", ...sameSlots!);
  (await small!.backEnd(1, 0).next()).respond(200, "b", ...sameSlots!);
  assert.is(await owner.outcome(), "a,b");
});

test("reports the position in the matrix where an error arose", async () => {
  await matrix(3, 1);
  const { owner } = small!.begin();
  const below = '{"message": "bad", "level": 2, "partitions": [4, 1, 7]}';
  (await small!.backEnd(1, 0).next()).respond(500, below);
  const response = new PluginResponse().serialize();
  const text = Buffer.from(response).toString("latin1");
  (await small!.backEnd(0, 0).next()).respond(200, text, PARTIAL);
  (await small!.backEnd(2, 0).next()).respond(500, '{"message": "worse"}');
  await owner.outcome();
  const { status, hierarchy } = owner.outcomes[0] as Failure;
  assert.equal([status, hierarchy], [500, { level: 3, partitions: [3, 0, 8] }]);
});

test("fails without waiting for slow partitions, whose channels are reused later", async () => {
  await matrix(2, 1);
  const { owner } = small!.begin();
  const slowRequest = await small!.backEnd(0, 0).next();
  (await small!.backEnd(1, 0).next()).respond(500, '{"message": "bad"}');
  assert.is(await owner.outcome(), "<partial: 1 width: 2> | 500 | bad");
  assert.equal([owner.leaves, small!.matrix.backEnds[0]![0]!.running], [0, 1]);
  slowRequest.respond(200, "late", PARTIAL);
  await until(() => owner.leaves === 1, "end of the request");
  assert.equal([owner.outcomes.length, small!.matrix.backEnds[0]![0]!.running], [1, 0]);
  assert.is(small!.backEnd(0, 0).open, 1);
});

test("aborts the remaining partitions of a failed request at the deadline", async () => {
  await matrix(2, 1);
  const { call, owner } = small!.begin();
  await small!.backEnd(0, 0).next();
  (await small!.backEnd(1, 0).next()).respond(500, "");
  await owner.outcome();
  call.expire(1);
  assert.equal([owner.leaves, owner.outcomes.length], [1, 1]);
  await until(() => small!.backEnd(0, 0).open === 0, "end of the connection");
});

test("omits invalid and truncated responses from a partial result", async () => {
  await matrix(2, 1, {}, INCOMPLETE);
  const broken = responseText(200, "body", PARTIAL).slice(0, -1);
  for (const bytes of [broken, "H", "220 mail\r\n\r\n", "\0".repeat(100_000)]) {
    for (const backEnd of small!.matrix.all()) backEnd.markUp();
    const { owner } = small!.begin();
    (await small!.backEnd(0, 0).next()).socket.end(bytes, "latin1");
    await small!.respond(1, 0);
    assert.is(await owner.outcome(), "-,p1r0");
  }
});

test("omits unhealthy partitions from a partial result", async () => {
  await matrix(3, 1, {}, INCOMPLETE);
  const first = small!.begin();
  (await small!.backEnd(0, 0).next()).respond(503, "");
  await Promise.all([small!.respond(1, 0), small!.respond(2, 0)]);
  assert.is(await first.owner.outcome(), "-,p1r0,p2r0");
  const second = small!.begin();
  await Promise.all([small!.respond(1, 0), small!.respond(2, 0)]);
  assert.is(await second.owner.outcome(), "-,p1r0,p2r0");
});

test("fails when a partial result would have no partition", async () => {
  await matrix(2, 1, {}, INCOMPLETE);
  const first = small!.begin();
  for (const partition of [0, 1]) (await small!.backEnd(partition, 0).next()).respond(503, "");
  assert.is(await first.owner.outcome(), "503 All partitions down");
  assert.is(await small!.begin().owner.outcome(), "503 All partitions down");
});

test("fails requests for one partition or row even when partial results are allowed", async () => {
  await matrix(2, 1, {}, INCOMPLETE);
  small!.matrix.backEnds[0]![0]!.markDown("a test says so");
  for (const options of [{ target: 0n }, { isPrimary: true }]) {
    assert.is(await small!.begin("/a", options).owner.outcome(), "503 Partition(s) down");
  }
});

test("reports errors and waits for busy partitions when partial results are allowed", async () => {
  await matrix(2, 1, { channels: 1 }, INCOMPLETE);
  const { owner } = small!.begin();
  (await small!.backEnd(0, 0).next()).respond(500, '{"message": "bad"}');
  const lateRequest = await small!.backEnd(1, 0).next();
  const call = new DispatchCall(small!.matrix, makeDispatch("/b"), new Owner());
  assert.is(call.advance(), false);
  lateRequest.respond(200, "x", PARTIAL);
  assert.is(await owner.outcome(), "<partial: 0 width: 2> | 500 | bad");
});

test("counts failed partitions as responses, and only others as missing", async () => {
  await matrix(3, 1, {}, INCOMPLETE);
  small!.matrix.backEnds[1]![0]!.markDown("test");
  const { owner } = small!.begin();
  (await small!.backEnd(0, 0).next()).respond(500, '{"message": "bad"}');
  (await small!.backEnd(2, 0).next()).respond(500, '{"message": "bad too"}');
  await owner.outcome();
  assert.equal((owner.outcomes[0] as Failure).hierarchy, { level: 1, partitions: [3, 1, 0] });
});

test("counts a partition whose connection fails as missing", async () => {
  await matrix(2, 1);
  const { owner } = small!.begin("/a", { method: "POST", body: "b" });
  (await small!.backEnd(0, 0).next()).socket.destroy();
  await small!.respond(1, 0);
  await owner.outcome();
  const [parts, missing] = (owner.outcomes[0] as Failure).hierarchy.partitions;
  assert.equal([parts, missing], [2, 2]);
});

test("rejects a change before any partition executes it while one is down", async () => {
  await matrix(2, 1, {}, INCOMPLETE);
  small!.matrix.backEnds[1]![0]!.markDown("test");
  const change = small!.begin("/a", { method: "POST", body: "b" });
  assert.match(await change.owner.outcome(), /^503 Partition\(s\) down: a POST needs all/);
  assert.is((change.owner.outcomes[0] as { isBegun?: boolean }).isBegun, false);
  assert.is(small!.backEnd(0, 0).accepted, 0);
});

test("fails a change that one partition may not have executed", async () => {
  await matrix(2, 1, {}, INCOMPLETE);
  const { owner } = small!.begin("/a", { method: "POST", body: "b" });
  (await small!.backEnd(0, 0).next()).socket.destroy();
  await small!.respond(1, 0);
  assert.match(await owner.outcome(), /^<partial: 0 width: 2> \| 503 \| /);
});

test("omits missing partitions from the response to a POST that changes nothing", async () => {
  await matrix(2, 1, {}, INCOMPLETE);
  small!.matrix.backEnds[1]![0]!.markDown("test");
  const owner = new Owner();
  owner.isReadonly = true;
  const query = makeDispatch("/a", { method: "POST", body: "b" });
  new DispatchCall(small!.matrix, query, owner).advance();
  await small!.respond(0, 0);
  assert.is(await owner.outcome(), "p0r0,-");
});

test("aborts a request at its timeout without a retry", async () => {
  await matrix(2, 2);
  const { call, owner } = small!.begin();
  await small!.backEnd(0, 0).next();
  await small!.respond(1, 0);
  call.expire(10_000);
  assert.equal(owner.outcomes, []);
  await new Promise((resolve) => setTimeout(resolve, 5));
  call.expire(1);
  assert.is(await owner.outcome(), "<partial: 0 width: 2> | 503 | timeout after 1 ms");
  assert.equal(small!.down(), ["p0r0"]);
  assert.is(small!.backEnd(0, 1).accepted, 0);
  await until(() => small!.backEnd(0, 0).open === 0, "end of the connection");
});

test("omits partitions that time out from a partial result", async () => {
  await matrix(2, 1, {}, INCOMPLETE);
  const { call, owner } = small!.begin();
  await small!.backEnd(0, 0).next();
  await small!.respond(1, 0);
  await new Promise((resolve) => setTimeout(resolve, 5));
  call.expire(1);
  assert.is(await owner.outcome(), "-,p1r0");
});

test("omits a partition that times out after another replica was overloaded", async () => {
  await matrix(2, 2, {}, INCOMPLETE);
  const { call, owner } = small!.begin();
  await small!.respond(1, 0);
  (await small!.backEnd(0, 0).next()).respond(429, "");
  await small!.backEnd(0, 1).next();
  await new Promise((resolve) => setTimeout(resolve, 5));
  call.expire(1);
  assert.is(await owner.outcome(), "-,p1r0");
});

test("reports in a refusal whether a back-end may have executed the request", async () => {
  const isBegun = async ({ owner }: { owner: Owner }): Promise<boolean | null> => {
    await owner.outcome();
    const [outcome] = owner.outcomes;
    return outcome!.kind === "refused" ? outcome!.isBegun : null;
  };
  await matrix(2, 1);
  const running = small!.begin();
  await small!.backEnd(1, 0).next();
  (await small!.backEnd(0, 0).next()).respond(503, "");
  assert.is(await isBegun(running), true);
  const unsentRequest = small!.begin();
  assert.is(await isBegun(unsentRequest), false);
  for (const backEnd of small!.matrix.all()) backEnd.markUp();
  const half = small!.begin();
  await small!.respond(0, 0);
  (await small!.backEnd(1, 0).next()).respond(503, "");
  assert.is(await isBegun(half), true);
  small!.matrix.backEnds[1]![0]!.markUp();
  const request = small!.begin("/a", { target: 1n });
  (await small!.backEnd(1, 0).next()).respond(503, "");
  assert.is(await isBegun(request), false);
});

test("reports requests in flight at the deadline as possibly executed", async () => {
  await matrix(1, 1, {}, INCOMPLETE);
  const { call, owner } = small!.begin();
  await small!.backEnd(0, 0).next();
  await new Promise((resolve) => setTimeout(resolve, 5));
  call.expire(1);
  assert.is(await owner.outcome(), "503 All partitions down");
  assert.is((owner.outcomes[0] as { isBegun?: boolean }).isBegun, true);
});

test.run();
