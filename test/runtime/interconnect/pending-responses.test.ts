// The log thread waits for the responses of requests with an idempotency key.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import { PendingResponses } from "../../../runtime/interconnect/log/pending-responses.js";

const test = suite<{ clock: CommitClock; responses: PendingResponses }>("pending responses");
const [ONE, OTHER] = [3, 7];

test.before.each((context) => {
  context.clock = new CommitClock();
  context.responses = new PendingResponses(context.clock);
});

/** Announces a change of a thread, and commits it. */
function commit(clock: CommitClock, thread: number): number {
  clock.announce(thread, clock.lastTicket + 1);
  return clock.nextTicket();
}

test("changes are written up to the first one without a response", ({ clock, responses }) => {
  clock.nextTicket();
  assert.is(responses.lastCompleteTicket(), 1);
  const first = commit(clock, ONE);
  commit(clock, OTHER);
  clock.nextTicket();
  assert.is(responses.lastCompleteTicket(), first - 1);
  clock.answered(ONE, 0);
  assert.is(responses.lastCompleteTicket(), first);
  clock.answered(OTHER, 0);
  assert.is(responses.lastCompleteTicket(), clock.lastTicket);
});

test("a thread with several pending changes reports the first", ({ clock, responses }) => {
  const first = commit(clock, ONE);
  clock.announce(ONE, first);
  clock.nextTicket();
  clock.answered(ONE, first);
  assert.is(responses.lastCompleteTicket(), first - 1);
  clock.answered(ONE, 0);
  assert.is(responses.lastCompleteTicket(), clock.lastTicket);
});

test("waits for responses to earlier changes only", async ({ clock, responses }) => {
  await responses.wait(clock.lastTicket);
  const first = commit(clock, ONE);
  await responses.wait(first - 1);
  const order: string[] = [];
  const waiting = responses.wait(first).then(() => order.push("waited"));
  await Promise.resolve();
  order.push("answered");
  clock.answered(ONE, 0);
  await waiting;
  assert.equal(order, ["answered", "waited"]);
});

test("a late response is not awaited again", async ({ clock, responses }) => {
  const first = commit(clock, ONE);
  await responses.wait(first);
  assert.is(responses.lastCompleteTicket(), first);
  clock.waitForResponses = async () => assert.unreachable();
  await responses.wait(first);
  clock.answered(ONE, 0);
  const next = commit(clock, ONE);
  assert.is(responses.lastCompleteTicket(), next - 1);
});

test("responses of a dead thread are not awaited", async ({ clock, responses }) => {
  const first = commit(clock, ONE);
  commit(clock, OTHER);
  clock.forgetAnnounced(ONE);
  assert.is(responses.lastCompleteTicket(), first);
  clock.forgetAnnounced(OTHER);
  clock.forgetAnnounced(OTHER);
  assert.is(responses.lastCompleteTicket(), clock.lastTicket);
  // The counts of a dead thread with several changes never agree again.
  commit(clock, ONE);
  clock.announce(ONE, clock.lastTicket);
  clock.forgetAnnounced(ONE);
  const last = commit(clock, OTHER);
  assert.is(responses.lastCompleteTicket(), last - 1);
});

test("a change announced during the scan is excluded", (c) => {
  const { clock, responses } = c;
  const { lastTicket } = clock;
  Object.defineProperty(clock, "lastTicket", {
    get: () => {
      delete (clock as { lastTicket?: number }).lastTicket;
      return commit(clock, ONE);
    },
    configurable: true,
  });
  assert.is(responses.lastCompleteTicket(), lastTicket);
});

test("stops waiting at the time limit", async ({ clock, responses }) => {
  const { now } = performance;
  const times = [0, 5, 9];
  performance.now = () => times.shift()!;
  let waits = 0;
  clock.waitForResponses = async () => void waits++;
  try {
    await responses.wait(commit(clock, ONE));
    assert.equal([waits, times], [0, [9]]);
  } finally {
    performance.now = now;
  }
});

test("stops looking when other threads announce changes all the time", ({ clock, responses }) => {
  let announced = 0;
  Object.defineProperty(clock, "announcedCount", { get: () => announced++ });
  assert.is(responses.lastCompleteTicket(), clock.lastTicket);
});

test.run();
