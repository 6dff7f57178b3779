// Processes that run, have ended, or belong to another user.

import { spawnSync } from "node:child_process";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { processExists } from "../../../runtime/base/process-exists.js";

const test = suite("existence of processes");

test("distinguishes running from ended processes", () => {
  assert.ok(processExists(process.pid));
  assert.not(processExists(spawnSync(process.execPath, ["-e", "0"]).pid));
});

test("a process of another user exists", () => {
  const { kill } = process;
  process.kill = () => {
    throw Object.assign(new Error("not permitted"), { code: "EPERM" });
  };
  try {
    assert.ok(processExists(1));
  } finally {
    process.kill = kill;
  }
});

test.run();
