// The log thread's wait for the answers of requests with a key.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CommitClock } from "../../../runtime/graph/memory/commit-clock.js";
import { PendingResponses } from "../../../runtime/interconnect/log/pending-responses.js";

const test = suite<{ clock: CommitClock; answers: PendingResponses }>("answers that follow");
const [ONE, OTHER] = [3, 7];

test.before.each((context) => {
  context.clock = new CommitClock();
  context.answers = new PendingResponses(context.clock);
});

/** Announces a change of a thread, and commits it. */
function commit(clock: CommitClock, thread: number): number {
  clock.announce(thread, clock.lastTicket + 1);
  return clock.nextTicket();
}

test("changes are written up to the first one without a response", ({ clock, answers }) => {
  clock.nextTicket();
  assert.is(answers.lastCompleteTicket(), 1);
  const first = commit(clock, ONE);
  commit(clock, OTHER);
  clock.nextTicket();
  assert.is(answers.lastCompleteTicket(), first - 1);
  clock.answered(ONE, 0);
  assert.is(answers.lastCompleteTicket(), first);
  clock.answered(OTHER, 0);
  assert.is(answers.lastCompleteTicket(), clock.lastTicket);
});

test("a thread with several pending changes reports the first", ({ clock, answers }) => {
  const first = commit(clock, ONE);
  clock.announce(ONE, first);
  clock.nextTicket();
  clock.answered(ONE, first);
  assert.is(answers.lastCompleteTicket(), first - 1);
  clock.answered(ONE, 0);
  assert.is(answers.lastCompleteTicket(), clock.lastTicket);
});

test("waits for answers of earlier changes only", async ({ clock, answers }) => {
  await answers.wait(clock.lastTicket);
  const first = commit(clock, ONE);
  await answers.wait(first - 1);
  const order: string[] = [];
  const waiting = answers.wait(first).then(() => order.push("waited"));
  await Promise.resolve();
  order.push("answered");
  clock.answered(ONE, 0);
  await waiting;
  assert.equal(order, ["answered", "waited"]);
});

test("a late response is not awaited again", async ({ clock, answers }) => {
  const first = commit(clock, ONE);
  await answers.wait(first);
  assert.is(answers.lastCompleteTicket(), first);
  clock.afterAnswer = async () => assert.unreachable();
  await answers.wait(first);
  clock.answered(ONE, 0);
  const next = commit(clock, ONE);
  assert.is(answers.lastCompleteTicket(), next - 1);
});

test("responses of a dead thread are not awaited", async ({ clock, answers }) => {
  const first = commit(clock, ONE);
  commit(clock, OTHER);
  clock.forgetAnnounced(ONE);
  assert.is(answers.lastCompleteTicket(), first);
  clock.forgetAnnounced(OTHER);
  clock.forgetAnnounced(OTHER);
  assert.is(answers.lastCompleteTicket(), clock.lastTicket);
  // The counts of a dead thread with several changes never agree again.
  commit(clock, ONE);
  clock.announce(ONE, clock.lastTicket);
  clock.forgetAnnounced(ONE);
  const last = commit(clock, OTHER);
  assert.is(answers.lastCompleteTicket(), last - 1);
});

test("a change announced during the scan is excluded", (c) => {
  const { clock, answers } = c;
  const { lastTicket } = clock;
  Object.defineProperty(clock, "lastTicket", {
    get: () => {
      delete (clock as { lastTicket?: number }).lastTicket;
      return commit(clock, ONE);
    },
    configurable: true,
  });
  assert.is(answers.lastCompleteTicket(), lastTicket);
});

test("stops waiting at the time limit", async ({ clock, answers }) => {
  const { now } = performance;
  const times = [0, 5, 9];
  performance.now = () => times.shift()!;
  let waits = 0;
  clock.afterAnswer = async () => void waits++;
  try {
    await answers.wait(commit(clock, ONE));
    assert.equal([waits, times], [0, [9]]);
  } finally {
    performance.now = now;
  }
});

test("stops looking when other threads announce changes all the time", ({ clock, answers }) => {
  let announced = 0;
  Object.defineProperty(clock, "announcedCount", { get: () => announced++ });
  assert.is(answers.lastCompleteTicket(), clock.lastTicket);
});

test.run();
