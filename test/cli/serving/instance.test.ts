// An instance whose process cannot be spawned: its supervisor is notified and continues.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Instance } from "../../../cli/serving/instance.js";
import { SvcError } from "../../../runtime/base/errors.js";

const test = suite("instance");
const { execPath } = process;

test.after.each(() => {
  process.execPath = execPath;
});

test("reports a failed spawn like an exit", async () => {
  process.execPath = "/nowhere/node";
  const nothing = (): void => assert.unreachable("it never served");
  const instance = new Instance("S1", 0, ["."], { up: nothing, down: nothing, line: nothing });
  const startError = await instance.start().catch((error) => error);
  assert.instance(startError, SvcError);
  assert.match(startError.message, /^S1 failed to start: .*ENOENT/);
  assert.is(instance.pid, null);
  assert.is(await instance.stop(), 0);
});

test.run();
