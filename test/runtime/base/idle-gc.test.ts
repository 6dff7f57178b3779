// Garbage of a burst is collected once it is over, and only then.
// limit: 30 s
// takes 4 s

import { setTimeout as delay } from "node:timers/promises";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { IdleGc } from "../../../runtime/base/idle-gc.js";

const test = suite("idle collector");
const MIB = 1024 * 1024;

/** Old enough that a collection of young objects does not find it. */
async function oldGarbage(): Promise<WeakRef<object>> {
  const found = new WeakRef<object>({ bytes: new Uint8Array(MIB) });
  await delay(1);
  return found;
}

test("much that was used is looked for after a while", async () => {
  const collector = new IdleGc();
  const garbage = await oldGarbage();
  collector.used(63 * MIB);
  collector.used(2 * MIB);
  while (garbage.deref() !== undefined) {
    // What `deref` returns lives until this task ends.
    await delay(20, undefined, { ref: true });
  }
  assert.is(garbage.deref(), undefined);
});

test.run();
