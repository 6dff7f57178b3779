// An executor continues after a result that cannot be sent.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { OwnedBytes } from "../../../runtime/base/owned-arrays.js";
import { PluginResponse } from "../../../runtime/plugin/response/plugin-response.js";
import { call, entry, setUp, until } from "./scheduler-setup.js";

const test = suite("executor");

/** A response in memory that cannot be transferred. */
class SharedResponse extends PluginResponse {
  override serialize(): OwnedBytes {
    return new Uint8Array(new SharedArrayBuffer(8)) as unknown as OwnedBytes;
  }
}

test("a result that cannot be sent delays no other result", async () => {
  const plugins = [entry("shared", () => new SharedResponse()), entry("other", () => "fine")];
  const { scheduler, outcomes, executor } = setUp(plugins);
  const caught: string[] = [];
  process.setUncaughtExceptionCaptureCallback(({ message }) => caught.push(message));
  try {
    scheduler.setExecutors([executor(1)]);
    const partial = call(0);
    Object.assign(partial.exchange.headers, { accept: "partial" });
    // In one message, with results that are not sent before.
    for (let n = 0; n < 10; n++) scheduler.submit(call(1));
    scheduler.submit(partial);
    scheduler.submit(call(1));
    await until(() => outcomes.length === 11);
    scheduler.submit(call(1));
    await until(() => outcomes.length === 12);
  } finally {
    process.setUncaughtExceptionCaptureCallback(null);
    scheduler.close();
  }
  assert.is(caught.length, 1);
  // Node.js 22 and later say "value".
  assert.match(caught[0]!, /^Found invalid (object|value) in transferList/);
  assert.ok(outcomes.every((line) => line.endsWith(' 200 "fine"')));
});

test.run();
