// Calls of the engine by one member of a group: its claims, and its log lines for failures.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  FIRST,
  HOUR_MS,
  type LoneMembers,
  lead,
  OTHER,
  POLL_MS,
  withLoneMembers,
} from "../support/lone-member.js";

const test = suite<LoneMembers>("engine of a member");
withLoneMembers(test);

test("an engine that does not respond is logged twice a minute", async ({ open }) => {
  const member = open();
  member.engine.unreachableFor.add("S1");
  await member.start();
  const line =
    "SVC3408: leadership: memory: does not respond: engine is away; " +
    "meanwhile, this instance follows, and cannot take the lead";
  assert.equal(member.lines, [line]);
  member.now = 29_999;
  await member.settle();
  assert.is(member.lines.length, 1);
  member.now = 30_000;
  await member.settle();
  assert.equal(member.lines, [line, line]);
});

test("a leader continues without its engine and logs it", async ({ open }) => {
  const member = await lead(open);
  member.engine.unreachableFor.add("B1");
  await member.pass(HOUR_MS / 4);
  assert.match(member.lines.join(), /; meanwhile, this instance leads on while all synced members/);
});

test("a record that it cannot read is logged with its code", async ({ open }) => {
  const member = open();
  member.engine.store(JSON.stringify({ format: 2 }));
  await member.start();
  assert.match(member.lines.join(), /^SVC3400: leadership: record of the group: format 2 is of a/);
});

test("a lost record is reported by a member that had a leader, and only then", async ({ open }) => {
  const member = open({ fileEpoch: 3 });
  await member.start();
  await member.pass(5 * HOUR_MS);
  assert.match(member.lines.join(), /^SVC3402: .*: memory: has lost its record\./);
  const fresh = open();
  await fresh.start();
  await fresh.pass(6 * HOUR_MS);
  assert.equal(fresh.lines, []);
});

test("members that are eligible but do not lead are reported", async ({ open }) => {
  const member = open();
  member.store({ holder: "S2", synced: [OTHER] });
  await member.start();
  await member.pass(5 * HOUR_MS - POLL_MS);
  assert.equal(member.lines, []);
  await member.pass(POLL_MS);
  assert.match(
    member.lines.join(),
    /^SVC3402: .*: no member that may lead is available: S2 does not respond/,
  );
});

test("a member with incomplete graphs keeps reading the record, and does not claim", async ({
  open,
}) => {
  let isComplete = false;
  const member = open({ parts: { isComplete: () => isComplete } });
  member.store({});
  await member.start();
  await member.pass(2 * HOUR_MS);
  assert.is(member.engine.record!.holder, "B1");
  const { reads } = member.engine;
  await member.pass(HOUR_MS);
  assert.ok(member.engine.reads > reads);
  isComplete = true;
  await member.pass(2 * HOUR_MS);
  assert.is(member.engine.record!.holder, "S1");
});

test("a leader needs complete graphs for its claim only", async ({ open }) => {
  let calls = 0;
  const isComplete = (): boolean => ++calls > 0;
  const member = await lead(open, { parts: { isComplete } });
  const before = calls;
  await member.pass(HOUR_MS);
  assert.ok(member.engine.record!.beat > 2);
  assert.is(calls, before);
});

test("delays its claim in proportion to its lag", async ({ open }) => {
  const member = open({ parts: { lag: () => 40 } });
  member.store({});
  await member.start();
  member.tick();
  await member.pass(HOUR_MS + 39);
  assert.is(member.engine.record!.holder, "B1");
  await member.pass(1);
  assert.is(member.engine.record!.holder, "S1");
});

test("queries the other members once, of which only some may lead", async ({ open }) => {
  const member = open();
  member.store({ synced: [member.file.incarnation, OTHER, ["B1", "b".repeat(32)]] });
  await member.start();
  await member.pass(HOUR_MS);
  assert.is(member.engine.record!.holder, "S1");
  assert.equal(member.since(/ask/), ["ask S2"], "the silent leader is not asked");
  const lone = open();
  lone.store({ synced: [lone.file.incarnation] });
  await lone.start();
  await lone.pass(HOUR_MS);
  assert.equal([lone.engine.record!.holder, lone.since(/ask/)], ["S1", []]);
});

test("does not wait for members that it cannot query", async ({ open }) => {
  const isBehind = async (): Promise<boolean> => {
    throw new Error("closed");
  };
  const member = open({ parts: { isBehind } });
  member.store({});
  await member.start();
  await member.pass(HOUR_MS);
  assert.equal(member.lines, ["leadership: cannot ask other members: closed"]);
  assert.is(member.engine.record!.holder, "S1", "at once");
});

test("sleeps until the next step is due", async ({ open }) => {
  let looks = 0;
  const member = open({ rules: FIRST, parts: { lastSn: () => ++looks * 0 } });
  await member.start();
  looks = 0;
  await new Promise((resolve) => setTimeout(resolve, 10));
  assert.ok(looks <= 1, `${looks}`);
});

test.run();
