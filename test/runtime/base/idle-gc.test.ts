// Garbage collection once after a burst.
// limit: 30 s
// takes 4 s

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { IdleGc } from "../../../runtime/base/idle-gc.js";

const test = suite("idle gc");
const MIB = 1024 * 1024;

/** Old enough to survive a minor collection. */
async function oldGarbage(): Promise<WeakRef<object>> {
  const reference = new WeakRef<object>({ bytes: new Uint8Array(MIB) });
  await delay(1);
  return reference;
}

test("collects after a burst of allocations", async () => {
  const collector = new IdleGc();
  const garbage = await oldGarbage();
  collector.used(63 * MIB);
  collector.used(2 * MIB);
  while (garbage.deref() !== undefined) {
    // The result of `deref` is reachable until this task ends.
    await delay(20, undefined, { ref: true });
  }
  assert.is(garbage.deref(), undefined);
});

test.run();
