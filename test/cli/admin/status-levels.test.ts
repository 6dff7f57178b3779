// `svc admin status` of a large system: sums by dispatcher, and instances that need attention.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { describeLevels } from "../../../cli/admin/status-levels.js";
import { readDescriptor } from "../../../runtime/system/read-descriptor.js";
import { HEALTH, LIVE_COLUMNS, REST_COLUMNS } from "../../../runtime/system/short-rows.js";

const test = suite("status by level");
const GIB = 2 ** 30;

/** A row of the short overview. */
function row(columns: readonly string[], values: Readonly<Record<string, unknown>>) {
  return [0, ...columns.map((name) => values[name] ?? null)];
}

function makeLevels(states: Readonly<Record<string, object>>) {
  const system = readDescriptor({
    instances: {
      T: { type: "dispatch", hport: 9000 },
      "D{1..2}": { type: "dispatch", hport: 9000, host: "d{1}" },
      G: { hport: 9100 },
      "S{1..4}": { type: "search", hport: 9000, host: "s{1}" },
    },
    topology: {
      dispatch: {
        T: [{ partitions: ["D{1..2}"] }],
        D1: [{ partitions: ["S{1..3}"] }],
        D2: [{ partitions: ["S4"] }],
      },
    },
  });
  const usual = { health: HEALTH.good, "service-in": 1, "graph-order": 10, "graph-size": 5 };
  const ids = [...system.instances.keys()];
  const rest = ids.map((id) => [id, row(REST_COLUMNS, { ...usual, ...states[id] })] as const);
  const figures = { "service-rate": 0.5, "memory-process": GIB };
  const live = ids.map((id) => [id, row(LIVE_COLUMNS, figures)] as const);
  return describeLevels(system, { rest: new Map(rest), live: new Map(live) });
}

test("summarizes the instances below each dispatcher", () => {
  const { sums, attention, isGood } = makeLevels({ T: { "matrix-complete": true } });
  const usual = { slow: 0, failing: 0, down: 0, unknown: 0, out: 0, complete: null };
  const of = (id: string, instances: number) => ({
    ...{ ...usual, id, instances, in: instances, rate: instances / 2 },
    ...{ memory: instances * GIB, order: instances * 10, size: instances * 5 },
  });
  assert.equal(sums, [
    ...[{ ...of("T", 7), complete: true }, of("D1", 4), of("D2", 2), of("(others)", 1)],
  ]);
  assert.equal([attention, isGood], [[], true]);
});

test("counts and names instances that need attention, the worst first", () => {
  const { sums, attention, isGood } = makeLevels({
    S1: { health: HEALTH.slow },
    S2: { "service-in": 0, "service-out-reason": "catching up" },
    S3: { health: HEALTH.unreachable, "service-in": null, "graph-order": null },
    S4: { health: HEALTH.failing },
    G: { health: HEALTH.waiting, "service-in": null },
    D1: { "matrix-complete": false },
  });
  const { in: up, out, slow, failing, down, complete, order } = sums[1]!;
  assert.equal(
    { up, out, slow, failing, down, complete, order },
    {
      ...{ up: 2, out: 1, slow: 1, failing: 0, down: 1, complete: false, order: 30 },
    },
  );
  assert.equal([sums[2]!.failing, sums[3]!.unknown], [1, 1]);
  assert.equal(attention, [
    ...["Not running: S3", "Failing: S4", "Unknown: G", "Out of service: S2 (catching up)"],
    "Slow: S1",
  ]);
  assert.not.ok(isGood);
  assert.ok(makeLevels({ S1: { health: HEALTH.slow } }).isGood);
});

test.run();
