// A member compares its log with the other members before it claims, and joins as a replica.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CommitClock } from "../../../../runtime/graph/memory/commit-clock.js";
import { DurableLog } from "../../../../runtime/interconnect/durable-log.js";
import { encodeRecord } from "../../../../runtime/interconnect/leadership/leadership.js";
import { Member } from "../../../../runtime/interconnect/leadership/member.js";
import { MemberFile } from "../../../../runtime/interconnect/leadership/member-file.js";
import {
  Membership,
  type Replicating,
} from "../../../../runtime/interconnect/leadership/membership.js";
import { isReplicaRoot } from "../../../../runtime/interconnect/lineage.js";
import { realDisk } from "../../../../runtime/interconnect/log/disk.js";
import type { Positions } from "../../../../runtime/interconnect/wire/positions.js";
import { MemoryEngine } from "../support/memory-engine.js";

const TTL_MS = 100;
const [A, LOG] = ["a".repeat(32), "f".repeat(32)] as [string, string];

/** A position of the same log with a number of changes of one graph. */
function positionsAt(count: number): Positions {
  const graphs = [{ identity: A, count, digest: null }];
  const log = { id: LOG, sn: 5, chain: 0 };
  return { log, origin: null, epoch: 1, graphs, diverged: [] };
}

interface Context {
  root: string;
  /** Answers of the other members, in the order of their addresses. */
  answers: (Positions | null)[];
  ownPositions: Positions | null;
  calls: string[];
  lines: string[];
  engine: MemoryEngine;
  membership: Membership;
  end: () => Promise<void>;
}

const test = suite<Context>("membership of a group");

test.before.each((context) => {
  const root = mkdtempSync(join(tmpdir(), "svc-membership-"));
  const [calls, lines, engine]: [string[], string[], MemoryEngine] = [[], [], new MemoryEngine()];
  const warn = (line: string): number => lines.push(line);
  const { incarnation } = new MemberFile(root, "S1");
  const synced = [incarnation, ["S2", "2".repeat(32)], ["S3", "3".repeat(32)]] as const;
  engine.store(encodeRecord({ holder: "B1", epoch: 4, beat: 0, synced, next: null }));
  const log = new DurableLog({
    root,
    mode: "async",
    clock: new CommitClock(),
    warn,
    disk: realDisk,
  });
  const nothing = (): void => undefined;
  const replicating: Replicating = {
    lead: async (epoch, addresses) => void calls.push(`lead ${epoch} ${addresses}`),
    follow: async () => void calls.push("follow"),
    stopProviding: () => calls.push("release"),
    rejectEpochsBelow: (epoch) => calls.push(`met ${epoch}`),
    freeze: (isFrozen) => calls.push(`freeze ${isFrozen}`),
    ...{ lag: () => 0, heardAtMs: () => 0, onChange: nothing },
    positions: () => context.ownPositions,
    fetchPositions: async (addresses, ms) => {
      calls.push(`ask ${addresses} for ${ms} ms`);
      return context.answers;
    },
    restart: () => calls.push("restart"),
  };
  const members = { B1: "one:1", S2: "two:2", S3: "three:3" };
  const rules = { ttl: TTL_MS, minSynced: 1, whenAlone: "refuse" as const };
  const membership = new Membership({
    ...{ root, log, warn, replicating, openEngine: () => engine.open("S1") },
    settings: { engine: "memory:", ...rules, group: "B1", id: "S1", members },
  });
  const end = async (): Promise<void> => {
    await membership.group.stop();
    await log.close();
    rmSync(root, { recursive: true });
  };
  Object.assign(context, {
    root,
    answers: [],
    ownPositions: positionsAt(5),
    calls,
    lines,
    engine,
    membership,
    end,
  });
});

test.after.each(({ end }) => end());

/** Joins the group, and claims in place of its silent leader. Returns whether it was behind. */
async function claim({ membership, engine, lines }: Context): Promise<boolean> {
  const { onRivalsCompared } = Member.prototype;
  const states: boolean[] = [];
  Member.prototype.onRivalsCompared = function (now, isBehind) {
    states.push(isBehind);
    onRivalsCompared.call(this, now, isBehind);
  };
  try {
    await membership.join();
    while (engine.record!.holder !== "S1") await turn();
  } finally {
    Member.prototype.onRivalsCompared = onRivalsCompared;
  }
  assert.equal(lines, []);
  return states[0]!;
}

test("queries the other members before it claims, even if some do not respond", async (context) => {
  context.answers = [null, positionsAt(5)];
  assert.is(await claim(context), false);
  const [positionsCall] = context.calls.filter((call) => call.startsWith("ask"));
  assert.is(positionsCall, `ask two:2,three:3 for ${TTL_MS * 0.05} ms`);
});

test("lets a member with more changes claim first", async (context) => {
  context.answers = [null, positionsAt(6)];
  assert.is(await claim(context), true);
});

test("queries no member while it does not follow", async (context) => {
  context.ownPositions = null;
  assert.is(await claim(context), false);
  assert.not(context.calls.some((call) => call.startsWith("ask")));
});

test("joins as a replica that refuses leaders of earlier epochs", async (context) => {
  const { root, calls, membership } = context;
  assert.not(isReplicaRoot(root));
  await membership.join();
  assert.equal(calls.slice(0, 2), ["follow", "met 0"]);
  assert.ok(isReplicaRoot(root));
});

test("restarts once if it must discard changes", ({ membership, calls }) => {
  assert.is(membership.isRewinding, false);
  membership.restartWithoutChanges("it is ahead", null);
  membership.restartWithoutChanges("it is ahead", null);
  assert.equal([membership.isRewinding, calls], [true, ["restart"]]);
});

test.run();
