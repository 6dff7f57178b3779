// How long a leader is silent, step by step.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { SilenceWatch } from "../../../../runtime/interconnect/leadership/silence-watch.js";

const TTL_MS = 2_000;
const POLL_MS = 200;
const test = suite("silence of a leader");

class Watch extends SilenceWatch {
  now = 1_000;

  constructor() {
    super(TTL_MS, POLL_MS);
    this.read("1", 1);
  }

  /** Reads a record; epoch null: there is none. */
  read(revision: string, epoch: number | null, ms = 0): void {
    this.now += ms;
    const record = epoch === null ? null : { holder: "B1", epoch, beat: 0, synced: [], next: null };
    this.heard(this.now, { revision, record });
  }

  /** Whether the leader may be replaced without being heard elsewhere, and if it is. */
  states(delayMs = 0): [boolean, boolean] {
    return [
      this.mayReplaceHolder(this.now, delayMs, false),
      this.mayReplaceHolder(this.now, delayMs, true),
    ];
  }

  /** The record stays the same for some time. */
  pass(revision: string, epoch: number, ms: number): void {
    for (let remaining = ms; remaining > 0; remaining -= POLL_MS)
      this.read(revision, epoch, POLL_MS);
  }
}

test("restarts with each change of the record, and limits each step", () => {
  const watch = new Watch();
  assert.is(watch.silentMs, 0);
  watch.read("1", 1, 150);
  assert.is(watch.silentMs, 150);
  watch.read("1", 1, 400);
  assert.is(watch.silentMs, 550);
  watch.read("1", 1, 401);
  assert.is(watch.silentMs, 950);
  watch.read("2", 1, 10);
  assert.is(watch.silentMs, 0);
  watch.read("2", 1, 10);
  assert.is(watch.silentMs, 10);
});

test("ends after a ttl and the delay of the member", () => {
  const watch = new Watch();
  watch.pass("1", 1, TTL_MS - POLL_MS);
  watch.read("1", 1, POLL_MS - 1);
  assert.equal(watch.states(), [false, false]);
  watch.read("1", 1, 1);
  assert.equal(
    [watch.states(), watch.states(50)],
    [
      [true, true],
      [false, false],
    ],
  );
  watch.read("1", 1, 50);
  assert.equal(
    [watch.states(50), watch.states(51)],
    [
      [true, true],
      [false, false],
    ],
  );
});

test("soon after a takeover, a leader heard by other means has twice the time", () => {
  const watch = new Watch();
  watch.read("2", 2, POLL_MS);
  const takenOverAt = watch.now;
  watch.pass("2", 2, TTL_MS);
  assert.equal(watch.states(), [true, false]);
  watch.pass("2", 2, TTL_MS - POLL_MS);
  assert.equal(watch.states(), [true, false]);
  watch.read("2", 2, POLL_MS);
  assert.equal(watch.states(), [true, true]);
  watch.read("3", 2);
  watch.pass("3", 2, TTL_MS);
  assert.equal(watch.states(), [true, false]);
  const passed = watch.now - takenOverAt;
  assert.equal(
    [10_000 - passed - 1, 10_000 - passed].map((ms) =>
      watch.mayReplaceHolder(watch.now + ms, 0, true),
    ),
    [false, true],
    "10 s later",
  );
});

test("frequent takeovers double that time, up to five minutes", () => {
  const watch = new Watch();
  const calm = (): number => {
    watch.pass(`${epoch}`, epoch, TTL_MS);
    for (let ms = 0; ; ms += 1_000) {
      if (watch.mayReplaceHolder(takenOverAt + ms, 0, true)) return ms;
    }
  };
  let epoch = 1;
  let takenOverAt = 0;
  const takeOver = (ms: number): number => {
    watch.read(`${++epoch}`, epoch, ms);
    takenOverAt = watch.now;
    return calm();
  };
  const times = Array.from({ length: 7 }, () => takeOver(5_000));
  assert.equal(
    times,
    [10, 20, 40, 80, 160, 300, 300].map((s) => 1000 * s),
  );
  assert.is(takeOver(2 * 300_000 - TTL_MS - 1), 300_000);
  assert.is(takeOver(2 * 300_000 - TTL_MS), 10_000);
});

test("sees no takeover in the first record, an earlier one, or none", () => {
  for (const epochs of [
    [null, 3],
    [3, 3],
    [3, 2],
    [3, null, 4],
  ] as const) {
    const watch = new SilenceWatch(TTL_MS, POLL_MS);
    const knownEpochs: readonly (number | null)[] = epochs;
    for (const [n, epoch] of knownEpochs.entries()) {
      const record =
        epoch === null ? null : { holder: "B1", epoch, beat: 0, synced: [], next: null };
      watch.heard(0, { revision: `${n}`, record });
    }
    for (let now = 0; now <= TTL_MS; now += POLL_MS) {
      watch.heard(now, { revision: `${knownEpochs.length - 1}`, record: null });
    }
    assert.is(watch.mayReplaceHolder(TTL_MS, 0, true), true, JSON.stringify(knownEpochs));
  }
});

test.run();
