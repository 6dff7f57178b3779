// Connections that write before the turn of the event loop ends.

import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ScheduledTurn, scheduleTurn } from "../../../../runtime/http/net/scheduled-turns.js";

const test = suite("scheduled turns");

test("come once each, in order, and again for a connection that schedules another", async () => {
  const turns: string[] = [];
  const second: ScheduledTurn = { isScheduled: false, turn: () => turns.push("second") };
  const first: ScheduledTurn = {
    isScheduled: false,
    turn: () => {
      turns.push("first");
      assert.not.ok(first.isScheduled);
      if (turns.length < 4) scheduleTurn(first);
    },
  };
  scheduleTurn(first);
  scheduleTurn(second);
  assert.ok(first.isScheduled && second.isScheduled);
  assert.equal(turns, []);
  await nextTurn();
  assert.equal(turns, ["first", "second", "first", "first"]);
  assert.not.ok(first.isScheduled || second.isScheduled);
});

test.run();
