// Commands of an operator to one member of a group, and the reasons of refusals.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeFailure } from "../support/describe-failure.js";
import {
  FIRST,
  HOUR_MS,
  type LoneMembers,
  lead,
  OTHER,
  POLL_MS,
  withLoneMembers,
} from "../support/lone-member.js";

const test = suite<LoneMembers>("commands to a member");
withLoneMembers(test);

test("only a leader hands over, and only to a synced member", async ({ open }) => {
  const follower = open();
  follower.store({});
  await follower.start();
  const handOver = "SVC3403: handover";
  const lone = open({ rules: { ...FIRST, whenAlone: "go-on" } });
  await lone.start();
  const leader = await lead(open);
  assert.equal(
    [
      await describeFailure(follower.group.handOver("S2", 1)),
      await describeFailure(lone.group.handOver("S2", 1)),
      await describeFailure(leader.group.handOver("S3", 1)),
    ],
    [
      `${handOver}: this instance does not lead`,
      `${handOver}: S2 is not synced; synced members: none`,
      `${handOver}: S3 is not synced; synced members: S2`,
    ],
  );
  assert.equal(leader.since(/freeze|thaw/), []);
});

test("a handover refuses changes first, and accepts them again if it is late", async (context) => {
  let end = 0;
  const member = await lead(context.open, { parts: { lastSn: () => end } });
  end = 1;
  member.now = 50;
  member.calls.length = 0;
  const handover = describeFailure(member.group.handOver("S2", 1_000));
  await member.settle();
  assert.equal(member.since(/leading|refusing|freeze/), ["refusing 1", "freeze until 1050"]);
  member.now = 1_050;
  assert.is(await handover, "SVC3403: handover: S2 did not get everything within 1000 ms");
  assert.equal(member.since(/leading|thaw/), ["thaw", "leading 1"]);
  member.group.onAcknowledged(OTHER, 1);
  await member.settle();
  assert.is(member.group.report().role, "leading", "it has given up");
});

test("a handover without an engine blocks no request", async ({ open }) => {
  const member = await lead(open);
  member.calls.length = 0;
  member.engine.unreachableFor.add("B1");
  assert.is(
    await describeFailure(member.group.handOver("S2", 1_000)),
    "SVC3408: handover: memory: does not respond: engine is away",
  );
  assert.equal(member.since(/refusing|freeze|thaw/), []);
  assert.is(member.group.report().role, "leading");
});

test("a handover during which the engine fails ends before its deadline", async ({ open }) => {
  const member = await lead(open, {
    parts: { freeze: async () => void member.engine.unreachableFor.add("B1") },
  });
  member.calls.length = 0;
  const handover = describeFailure(member.group.handOver("S2", HOUR_MS));
  await member.settle();
  await member.pass(2 * POLL_MS);
  assert.is(await handover, "SVC3408: handover: memory: does not respond");
  assert.equal(member.since(/leading|thaw/), ["thaw", "leading 1"]);
  assert.is(member.group.report().isEngineDown, true);
  member.engine.unreachableFor.clear();
  await member.pass(POLL_MS);
  assert.is(member.group.report().isEngineDown, false);
});

test("a handover overtaken by another leader freezes no later changes", async (context) => {
  for (const [leadsAgain, expected] of [
    [true, ["thaw"]],
    [false, []],
  ] as const) {
    let end = (): void => undefined;
    const frozen = new Promise<void>((resolve) => {
      end = resolve;
    });
    const member = await lead(context.open, { parts: { freeze: () => frozen } });
    const handover = member.group.handOver("S2", 1_000);
    await member.settle();
    member.store({ holder: leadsAgain ? null : "S2", next: "B1", epoch: 9 });
    member.group.onSuperseded(9);
    await member.settle();
    assert.is(member.group.report().epoch, leadsAgain ? 10 : 9);
    member.calls.length = 0;
    end();
    await handover;
    assert.equal(member.since(/thaw/), expected);
  }
});

test("a leader that stops hands over to a synced member", async ({ open }) => {
  const member = await lead(open);
  await member.group.stop();
  assert.equal([member.engine.record!.holder, member.engine.record!.next], [null, "S2"]);
  const lone = open({ rules: FIRST });
  await lone.start();
  await lone.group.stop();
  assert.is(lone.engine.record!.holder, "B1");
});

test("a promotion names the members that have everything", async ({ open }) => {
  const empty = { log: null, origin: null, epoch: 1, graphs: [], diverged: [] };
  const otherMember = { ...empty, member: OTHER };
  const member = open({ parts: { fetchPositions: async () => new Map([["S2", otherMember]]) } });
  await member.start();
  const text = "SVC3402: promote: the members that have all changes are";
  const numbers = "master-serial of each member: S2 0";
  const advice = `start one of them, or add --accept-loss. ${numbers}`;
  assert.is(
    await describeFailure(member.group.force(false)),
    "SVC3402: promote: no record names the members that have all changes; start all members, " +
      `or add --accept-loss. ${numbers}`,
  );
  member.store({});
  await member.settle();
  assert.is(await describeFailure(member.group.force(false)), `${text}: S1, S2; ${advice}`);
  assert.is(member.engine.record!.holder, "B1");
});

test("a promotion with loss queries no member, and needs no complete graphs", async ({ open }) => {
  const member = open({ parts: { isComplete: () => false } });
  member.store({ epoch: 4 });
  await member.start();
  assert.is(await member.group.force(true), 5);
  const { holder, synced } = member.engine.record!;
  assert.equal([holder, synced], ["S1", [member.file.incarnation]]);
  assert.equal(member.since(/ask/), []);
});

test("a promotion does not wait for the next read, and ends after 10 s", async ({ open }) => {
  const member = open();
  member.store({});
  await member.start();
  assert.is(await member.group.force(true), 2);
  const away = open();
  away.engine.unreachableFor.add("S1");
  await away.start();
  const forced = describeFailure(away.group.force(true));
  await away.settle();
  away.now = 9_999;
  await away.settle();
  assert.is(await Promise.race([forced, "waits"]), "waits");
  away.now = 10_000;
  assert.is(await forced, "SVC3408: leadership: memory: does not respond");
  away.engine.unreachableFor.clear();
  await away.pass(HOUR_MS);
  assert.is(away.engine.record, null, "it claims no more");
});

test.run();
