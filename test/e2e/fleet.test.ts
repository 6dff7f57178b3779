// The benchmark of a fleet runs, at its smallest size: a dispatcher of dispatchers, back-ends
// that are killed, started again, stopped and continued, and no request that fails.
// takes 4 s
// starts processes

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { suite } from "uvu";
import * as assert from "uvu/assert";

const test = suite("fleet benchmark");
const SCRIPT = fileURLToPath(new URL("../../bench/fleet.mjs", import.meta.url));

test("responds to all requests while a row of back-ends is lost", () => {
  const size = ["--groups", "1", "--width", "2", "--lost", "2", "--ms", "200"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [SCRIPT, ...size], {
    encoding: "utf8",
  });
  assert.is(status, 0, stderr + stdout);
  for (const row of ["upper level +1 ", "lower level +4 ", "killed +[1-9]", "continued +[1-9]"]) {
    assert.match(stdout, new RegExp(`^${row}`, "m"));
  }
  assert.match(stdout, /^failed requests +0\.00 .* met$/m);
});

test.run();
