// One request through a matrix of fake back-ends, one of which hangs: retries, hedges and partial
// results.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { DispatchCall } from "../../../runtime/dispatch/dispatch-call.js";
import { makeDispatch, Owner, PARTIAL } from "./support/call-owner.js";
import { until } from "./support/fake-back-end.js";
import { later } from "./support/later.js";
import type { RequestOptions } from "./support/make-request.js";
import { SmallMatrix } from "./support/small-matrix.js";

const test = suite("dispatch healing");
const INCOMPLETE = { "allow-incomplete": true };
let small: SmallMatrix;

test.after.each(() => small.close());

function begin(isRepeatable: boolean, options: RequestOptions = {}) {
  const owner = new Owner();
  owner.repeats = isRepeatable;
  const call = new DispatchCall(small.matrix, makeDispatch("/a", options), owner);
  assert.is(call.advance(), true);
  return { call, owner };
}

async function respond(partition: number, replica: number): Promise<void> {
  const request = await small.backEnd(partition, replica).next();
  request.respond(200, `p${partition}r${replica}`, PARTIAL);
}

test("retries a retryable request on another replica after a timeout", async () => {
  small = await SmallMatrix.start(1, 2);
  const { call, owner } = begin(true);
  await small.backEnd(0, 0).next();
  later(100, () => call.expire(50));
  await respond(0, 1);
  assert.is(await owner.outcome(), "p0r1");
  assert.is(small.matrix.backEnds[0]![0]!.outlier.isEjected, true);
});

test("does not retry other requests, POSTs, or beyond the retry budget", async () => {
  small = await SmallMatrix.start(1, 2);
  for (const [isRepeatable, method, budget] of [
    [false, "GET", 1],
    [true, "POST", 1],
    [true, "GET", 0],
  ] as const) {
    for (const backEnd of small.matrix.all()) backEnd.markUp();
    const { call, owner } = begin(isRepeatable, { method, affinity: 0 });
    owner.budget = budget;
    await until(() => small.backEnds[0]!.some(({ requests }) => requests.length > 0), "request");
    later(100, () => call.expire(50));
    assert.match(await owner.outcome(), /^<partial: 0 width: 1> \| 503 \| timeout/);
    for (const { requests } of small.backEnds[0]!) requests.length = 0;
  }
});

test("retries a retryable request on another replica after a truncated response", async () => {
  small = await SmallMatrix.start(1, 2);
  for (const [isRepeatable, budget, expected] of [
    [true, 1, /^p0r1$/],
    [true, 0, /^<partial: 0 width: 1> \| 503 \| /],
    [false, 1, /^<partial: 0 width: 1> \| 503 \| /],
  ] as const) {
    for (const backEnd of small.matrix.all()) backEnd.markUp();
    const { owner } = begin(isRepeatable, { affinity: 0 });
    owner.budget = budget;
    const { socket } = await small.backEnd(0, 0).next();
    socket.end("HTTP/1.1 200 X\r\nContent-Length: 100\r\n\r\nhalf");
    if (isRepeatable && budget > 0) await respond(0, 1);
    assert.match(await owner.outcome(), expected);
  }
});

test("hedges a late request on another replica and uses the first response", async () => {
  small = await SmallMatrix.start(1, 2);
  const { call, owner } = begin(true);
  const slowRequest = await small.backEnd(0, 0).next();
  call.hedge(1000);
  assert.is(small.backEnd(0, 1).accepted, 0);
  later(2000, () => call.hedge(1000));
  later(2000, () => call.hedge(1000));
  await respond(0, 1);
  assert.is(await owner.outcome(), "p0r1");
  assert.is(small.backEnd(0, 1).accepted, 1);
  assert.equal([owner.budget, owner.leaves], [0, 0]);
  slowRequest.respond(200, "late", PARTIAL);
  await until(() => owner.leaves === 1, "end of the slow one");
  assert.equal([owner.outcomes.length, owner.successes], [1, 2]);
});

test("keeps waiting for the first replica when the hedge fails", async () => {
  small = await SmallMatrix.start(1, 2);
  const { call, owner } = begin(true);
  const slowRequest = await small.backEnd(0, 0).next();
  later(2000, () => call.hedge(1000));
  (await small.backEnd(0, 1).next()).socket.destroy();
  await until(() => small.matrix.backEnds[0]![1]!.isDown, "loss");
  slowRequest.respond(200, "late", PARTIAL);
  assert.is(await owner.outcome(), "late");
});

test("sends no more requests to a hanging replica while another one responds", async () => {
  small = await SmallMatrix.start(1, 2);
  const [first] = small.matrix.all();
  first!.outlier.recordTimeout();
  for (let round = 0; round < 3; round++) {
    const { owner } = begin(true);
    await respond(0, 1);
    assert.is(await owner.outcome(), "p0r1");
  }
  // The only replica is better than none.
  small.matrix.backEnds[0]![1]!.markDown("a test says so");
  const { owner } = begin(true);
  await respond(0, 0);
  assert.is(await owner.outcome(), "p0r0");
  assert.is(first!.outlier.isEjected, false);
});

test("counts the cost of an abandoned request", async () => {
  small = await SmallMatrix.start(1, 1);
  const [backEnd] = small.matrix.all();
  const { call } = begin(false);
  await small.backEnd(0, 0).next();
  later(100, () => call.expire(50));
  assert.equal([backEnd!.running, backEnd!.cost], [0, 2]);
});

test("returns a partial result after the soft timeout if coverage suffices", async () => {
  const options = { ...INCOMPLETE, "min-coverage": 0.5, required: [1] };
  small = await SmallMatrix.start(3, 1, {}, options);
  const { call, owner } = begin(false);
  const settle = () => later(1000, () => call.completePartially(500));
  settle();
  await respond(0, 0);
  await respond(2, 0);
  await until(() => small.matrix.backEnds[2]![0]!.running === 0, "answers");
  settle();
  // Partition 1 is required.
  assert.equal(owner.outcomes, []);
  await respond(1, 0);
  assert.is(await owner.outcome(), "p0r0,p1r0,p2r0");
  const second = begin(false);
  await Promise.all([respond(0, 0), respond(1, 0)]);
  await until(() => small.matrix.backEnds[1]![0]!.running === 0, "answers");
  call.completePartially(500);
  later(1000, () => second.call.completePartially(500));
  assert.is(await second.owner.outcome(), "p0r0,p1r0,-");
});

test("fails because of an error before the soft timeout", async () => {
  small = await SmallMatrix.start(3, 1, {}, INCOMPLETE);
  const { call, owner } = begin(false);
  await respond(0, 0);
  (await small.backEnd(1, 0).next()).respond(
    400,
    '{"message": "x"}',
    "Content-Type: application/json",
  );
  await until(() => small.matrix.backEnds[1]![0]!.running === 0, "the error");
  later(1000, () => call.completePartially(500));
  assert.is(await owner.outcome(), "<partial: 1 width: 3> | 400 | x");
});

test("fails when coverage is too low", async () => {
  small = await SmallMatrix.start(3, 1, {}, { ...INCOMPLETE, "min-coverage": 0.6 });
  for (const partition of [0, 1]) small.matrix.backEnds[partition]![0]!.markDown("a test says so");
  const { owner } = begin(false);
  await respond(2, 0);
  assert.is(await owner.outcome(), "503 Partition(s) down");
});

test("computes coverage from the largest number of leaves ever seen", async () => {
  small = await SmallMatrix.start(2, 1);
  assert.is(small.matrix.coverage([3, 1]), 1);
  assert.is(small.matrix.coverage([3, 0]), 0.75);
  assert.is(small.matrix.coverage([2, 0]), 0.5);
});

test.run();
