// The waterfall of a request through a matrix: rows of each level, and foreign explanations.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { buildWaterfall } from "../../console/data/explanation.js";

const test = suite("console explanation");

const step = (ms: number, outcome: unknown, below?: object) => ({
  ...{ replica: 0, address: "a:1", costs: [0, "down"], outcome, ms },
  ...(below === undefined ? {} : { below }),
});

test("orders phases and attempts, with lower levels centered", () => {
  const waterfall = buildWaterfall({
    ms: { total: 20, merge: 2, wait: 1, backends: 17 },
    partitions: [
      { partition: 0, tries: [step(4, "refused"), step(10, 200, { ms: { total: 6 } })] },
      { partition: 1, tries: [step(16, null)] },
    ],
  })!;
  assert.is(waterfall.totalMs, 20);
  assert.equal(
    waterfall.rows.map(({ level, title, startMs, ms }) => [level, title, startMs, ms]),
    [
      [0, "queue", 0, 1],
      [0, "back-ends", 1, 17],
      [1, "partition 0", 1, 4],
      [1, "partition 0", 5, 10],
      [2, "run", 7, 6],
      [1, "partition 1", 1, 16],
      [0, "merge", 18, 2],
    ],
  );
  assert.is(waterfall.rows[2]!.detail, "replica 0 at a:1: refused; costs 0, down");
  assert.is(waterfall.rows[5]!.detail, "replica 0 at a:1: no response; costs 0, down");
});

test("tolerates invalid and oversized explanations", () => {
  for (const explain of [undefined, null, 5, "x", {}, { ms: 1 }, { ms: { total: "1" } }]) {
    assert.is(buildWaterfall(explain), null);
  }
  let deep: object = { ms: { total: 1, backends: 1 } };
  for (let level = 0; level < 1000; level++) {
    const tries = [step(1, 200, deep)];
    deep = { ms: { total: 1, backends: 1 }, partitions: [{ partition: 0, tries }] };
  }
  assert.ok(buildWaterfall(deep)!.rows.length < 50);
  const tries = new Array(100_000).fill(step(1, 200));
  const wide = { ms: { total: 1, backends: 1 }, partitions: [{ partition: 0, tries }] };
  assert.is(buildWaterfall(wide)!.rows.length, 400);
});

test.run();
