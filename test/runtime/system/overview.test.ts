// Entries of the system overview: the state of an instance from its poll results.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildOverview } from "../../../runtime/system/overview.js";
import type { PollResult } from "../../../runtime/system/poll-instance.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";

const test = suite("system overview");
const system = readDescriptor({ instances: { G1: { hport: 9000 } } });
const HEALTHY: PollResult = {
  instance: system.instances.get("G1")!,
  partition: "1000.001",
  group: 1,
  health: "SVC/3",
  figures: { "/svc/nodestat": { ready: true } },
  error: null,
  isSlow: false,
  unreachableMs: null,
};

function entry(result: Partial<PollResult>): Record<string, unknown> {
  const [only] = buildOverview(system, [{ ...HEALTHY, ...result }]);
  return only as Record<string, unknown>;
}

test("distinguishes instances that are healthy, slow and down", () => {
  const rows = [
    entry({}),
    entry({ isSlow: true }),
    entry({ isSlow: true, error: "timed out", figures: {} }),
    entry({ health: null, error: "refused", figures: {}, unreachableMs: 1500 }),
  ];
  assert.equal(
    rows.map((row) => [row.hc, row.slow, row.error, row["unreachable-ms"]]),
    [
      ["SVC/3", undefined, undefined, undefined],
      ["SVC/3", true, undefined, undefined],
      ["SVC/3", true, true, undefined],
      [undefined, undefined, true, 1500],
    ],
  );
});

test.run();
