// Steps of a member that follows, leads, and follows again, and the roles that it publishes.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  FIRST,
  HOUR_MS,
  type LoneMembers,
  lead,
  OTHER,
  withLoneMembers,
} from "../support/lone-member.js";
import { MemoryEngine } from "../support/memory-engine.js";

const test = suite<LoneMembers>("roles of a member");
withLoneMembers(test);
const ROLE = /^(leading|readonly|refusing|following)/;

test("it publishes the highest epoch that its folder knows before it starts", ({ open }) => {
  const known = [
    { epoch: 3, fileEpoch: 7 },
    { epoch: 7, fileEpoch: 3 },
  ];
  for (const epochs of known) assert.equal(open(epochs).since(ROLE), ["following 7"]);
});

test("only the first member founds a group, and only if it was in none before", async ({
  open,
}) => {
  for (const [options, holder] of [
    [{ rules: FIRST }, "B1"],
    [{}, undefined],
    [{ rules: FIRST, fileEpoch: 3 }, undefined],
  ] as const) {
    const member = open(options);
    await member.start();
    assert.is(member.engine.record?.holder, holder, JSON.stringify(options));
    await member.stop();
  }
});

test("it leads once its instance provides, in an epoch that it has stored", async ({ open }) => {
  let provide = (): void => undefined;
  let stored = 0;
  const member = open({
    rules: { ...FIRST, whenAlone: "go-on" },
    parts: {
      lead: () => {
        stored = member.file.epoch;
        return new Promise((resolve) => {
          provide = resolve;
        });
      },
    },
  });
  await member.start();
  assert.is(stored, 1);
  assert.equal(member.since(ROLE), ["following 0", "following 1"]);
  assert.is(member.group.confirmedSn(), -1);
  provide();
  await member.settle();
  assert.equal(member.since(ROLE), ["leading 1"]);
  assert.is(member.group.confirmedSn(), Number.POSITIVE_INFINITY);
  await member.settle();
  assert.equal(member.since(/^(lead|changed)/), [], "once");
});

test("lets others claim for two ttl if its instance cannot provide", async ({ open }) => {
  let tries = 0;
  const provide = async (): Promise<void> => {
    if (++tries === 1) throw new Error("no disk");
  };
  const member = open({ rules: FIRST, parts: { lead: provide } });
  await member.start();
  assert.equal(member.lines, ["SVC3400: leadership: cannot lead: no disk"]);
  assert.is(member.group.report().role, "following");
  await member.pass(2 * HOUR_MS - 1);
  assert.is(tries, 1);
  await member.pass(1);
  assert.equal([tries, member.group.report().role], [2, "refusing"]);
});

test("it follows a leader of a higher epoch, which it stores", async ({ open }) => {
  const member = await lead(open);
  member.calls.length = 0;
  member.store({ holder: "S2", epoch: 5, synced: [OTHER] });
  await member.pass(HOUR_MS / 4);
  const calls = member.since(/^(leading|follow|met)/);
  assert.equal(calls.slice(0, 3), ["following 5", "follow", "met 5"]);
  assert.is(member.lines.at(-1), "leadership: this instance follows; leader: S2");
  assert.is(member.file.epoch, 5);
  const { epoch, leader } = member.group.report();
  assert.equal([epoch, leader], [5, "S2"]);
});

test("publishes the end of its lead before its instance stops leading", async ({ open }) => {
  let follow = (): void => undefined;
  const following = new Promise<void>((resolve) => {
    follow = resolve;
  });
  const member = await lead(open, { parts: { follow: () => following } });
  member.since(ROLE);
  member.group.onSuperseded(9);
  await member.settle();
  assert.equal(member.since(ROLE), ["following 9"]);
  follow();
});

test("each change of the leader, the role or the epoch is reported once", async ({ open }) => {
  const member = open();
  member.store({ holder: "S2" });
  await member.start();
  assert.equal(member.since(/changed/), ["changed", "changed"], "nothing, and a leader");
  await member.settle();
  assert.equal(member.since(/changed/), []);
  member.store({ holder: "B2" });
  await member.settle();
  assert.equal(member.since(/changed/), ["changed"]);
});

test("a leader is at risk without enough synced members, a follower is not", async ({ open }) => {
  const follower = open();
  follower.store({});
  await follower.start();
  assert.is(follower.group.report().isAtRisk, false);
  await follower.stop();
  const leader = open({ rules: { ...FIRST, whenAlone: "go-on" } });
  await leader.start();
  assert.equal([leader.group.report().isAtRisk, leader.group.report().synced], [true, []]);
  leader.group.onAcknowledged(OTHER, 0);
  await leader.settle();
  assert.equal([leader.group.report().isAtRisk, leader.group.report().synced], [false, ["S2"]]);
});

test("a leader logs when it starts and stops refusing changes", async ({ open }) => {
  const leader = open({ rules: FIRST });
  await leader.start();
  for (let quarter = 0; quarter <= 5 * 4; quarter++) await leader.pass(HOUR_MS / 4);
  assert.equal(leader.since(ROLE).slice(-2), ["refusing 1", "readonly 1"]);
  const rejection = "leadership: changes are refused, because too few members respond";
  assert.equal(leader.lines, [rejection]);
  leader.now += HOUR_MS + 1;
  leader.tick();
  assert.equal(leader.since(ROLE).at(-1), "refusing 1", "its lease has ended");
  leader.group.onAcknowledged(OTHER, 0);
  await leader.settle();
  assert.equal(leader.since(ROLE).at(-1), "leading 1");
  const accepted = "leadership: enough members respond: changes are accepted again";
  assert.equal(leader.lines, [rejection, accepted]);
});

test("it confirms changes, and sees its lease end, at short intervals", async ({ open }) => {
  const member = await lead(open);
  member.calls.length = 0;
  member.now = HOUR_MS + 1;
  member.tick();
  assert.equal(member.calls, ["confirm", "refusing 1", "changed"]);
});

test("a stopped member does nothing any more, and has closed its engine", async ({ open }) => {
  const closed: string[] = [];
  const opened = new MemoryEngine().open("S1");
  let respond = (): void => undefined;
  const responded = new Promise<void>((resolve) => {
    respond = resolve;
  });
  const member = open({
    rules: { ttl: 100 },
    parts: {
      engine: {
        ...opened,
        read: async () => {
          await responded;
          closed.push("answered");
          return opened.read();
        },
        close: async () => {
          closed.push("closed");
          throw new Error("it was closed");
        },
      },
    },
  });
  member.group.start();
  await member.settle();
  const stopped = member.group.stop();
  await member.settle();
  assert.equal(closed, []);
  respond();
  await stopped;
  assert.equal(closed, ["answered", "closed"]);
  member.calls.length = 0;
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.equal(member.calls, []);
});

test.run();
