// Connections that write before the turn of the event loop ends.

import { setImmediate as nextTurn } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { type ScheduledTurn, scheduleTurn } from "../../../../runtime/http/net/scheduled-turns.js";

const test = suite("scheduled turns");

test("run once each, in order, and again if scheduled again", async () => {
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

test("run for all other connections if one fails, now and later", async () => {
  const turns: string[] = [];
  const make = (name: string, turn = () => {}): ScheduledTurn => ({
    isScheduled: false,
    turn: () => {
      turns.push(name);
      turn();
    },
  });
  const fail = (): never => {
    throw new Error("broken");
  };
  const caught: string[] = [];
  process.setUncaughtExceptionCaptureCallback(({ message }) => caught.push(message));
  try {
    for (const turn of [make("a"), make("b", fail), make("c"), make("d", fail)]) scheduleTurn(turn);
    for (let n = 0; n < 4; n++) await nextTurn();
    scheduleTurn(make("e"));
    scheduleTurn(make("f"));
    await nextTurn();
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
  }
  assert.equal(turns, ["a", "b", "c", "d", "e", "f"]);
  assert.equal(caught, ["broken", "broken"]);
});

test.run();
