// Build reports in shared memory: the last one wins, and long ones are truncated.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { enableBuildReports, lastBuild, reportBuild } from "../../../runtime/base/build-report.js";

const test = suite("build report");

test("returns the last report, truncated if long, or null before it is enabled", () => {
  reportBuild({ at: 1, broken: null, findings: "" });
  assert.is(lastBuild(), null);
  enableBuildReports();
  assert.is(lastBuild(), null);
  reportBuild({ at: 2, broken: "build", findings: "a long one ø 🦊" });
  reportBuild({ at: 3, broken: null, findings: "ø" });
  assert.equal(lastBuild(), { at: 3, broken: null, findings: "ø" });
  reportBuild({ at: 4, broken: "load", findings: "\u0001".repeat(1_000_000) });
  assert.is(lastBuild()!.findings, `${"\u0001".repeat(40_000)}\n...`);
});

test.run();
