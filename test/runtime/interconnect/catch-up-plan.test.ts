// Which members of a group may discard what they have: former leaders of it, no other instance.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  isSuperseded,
  type OwnLog,
  type StartingPoint,
} from "../../../runtime/interconnect/catch-up-plan.js";
import type { Positions } from "../../../runtime/interconnect/wire/positions.js";

const test = suite("catch-up plan");

const [KEPT, ERASED, NEW, CLOSED] = ["1", "2", "3", "4"].map((digit) => digit.repeat(32)) as [
  string,
  string,
  string,
  string,
];
const known = { number: 2, name: "e", path: "e", before: 0, after: 9 };
const OWN: OwnLog = {
  log: { logId: "c".repeat(32), epoch: 5 },
  graphs: {
    byIdentity: (identity) =>
      [ERASED, CLOSED].includes(identity)
        ? { ...known, identity, isErased: identity === ERASED }
        : undefined,
  },
};
const FORMER = { id: "a".repeat(32), sn: 100, chain: 1 };
const ORIGIN: StartingPoint = {
  isRoot: true,
  log: OWN.log.logId,
  ancestors: [FORMER],
  isCaughtUp: true,
};

function positions(id: string, sn: number, epoch: number, origin: string | null = id): Positions {
  const log = { id, sn, chain: 1 };
  return { log, origin, epoch, member: ["B2", "1"], graphs: [], diverged: [] };
}

test("a former leader is superseded past the point at which another one continued", () => {
  assert.is(isSuperseded(positions(FORMER.id, 101, 4), ORIGIN, OWN), true);
  assert.is(isSuperseded(positions(FORMER.id, 100, 4), ORIGIN, OWN), false);
});

test("the counts of its graphs show that a replica is past that point", () => {
  const origin = { ...ORIGIN, ancestors: [{ ...FORMER, counts: { [KEPT]: 40 } }] };
  const isPast = (sn: number, ...graphs: (readonly [string, number])[]): boolean => {
    const graphPositions = graphs.map(([identity, count]) => ({ identity, count, digest: null }));
    return isSuperseded({ ...positions(FORMER.id, sn, 4), graphs: graphPositions }, origin, OWN);
  };
  assert.is(isPast(90, [KEPT, 41]), true);
  assert.is(isPast(101, [KEPT, 40]), false);
  assert.is(isPast(90, [KEPT, 40], [NEW, 1]), true, "created after that point");
  for (const sn of [90, 101]) {
    assert.is(isPast(sn, [KEPT, 40], [ERASED, 1]), false, "erased before that point");
  }
  assert.is(isPast(100, [CLOSED, 41]), false, "closed there, so that the position decides");
  assert.is(isPast(101, [CLOSED, 41]), true, "closed there, and behind that point");
});

test("a former leader that no other member followed is superseded", () => {
  const unfollowed = "b".repeat(32);
  assert.is(isSuperseded(positions(unfollowed, 7, 4), ORIGIN, OWN), true);
  assert.is(isSuperseded(positions(unfollowed, 7, 5), ORIGIN, OWN), false, "same epoch");
  assert.is(isSuperseded(positions(unfollowed, 7, 4, OWN.log.logId), ORIGIN, OWN), false, "origin");
});

test("changes of an instance without a group are never discarded", () => {
  assert.is(isSuperseded(positions("d".repeat(32), 7, 1), ORIGIN, OWN), false);
  const ownPositions = positions(OWN.log.logId, 7, 4, "e".repeat(32));
  assert.is(isSuperseded(ownPositions, ORIGIN, OWN), false, "what is here");
  assert.is(isSuperseded({ ...ownPositions, log: null }, ORIGIN, OWN), false);
});

test.run();
