// Values that the console derives from consecutive samples: rates from counts, busy instances, and
// cells of a matrix.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { BusyDetector } from "../../console/data/busy-detector.js";
import { instanceState } from "../../console/data/instance-state.js";
import {
  cellKey,
  groupByPartition,
  parseCounts,
  stateOfBackEnd,
} from "../../console/data/matrices.js";
import { Rates } from "../../console/data/rates.js";
import { BackEndMetrics } from "../../runtime/dispatch/back-end-metrics.js";

const test = suite("live metrics");

test("computes a rate over two to six samples, and restarts after a counter reset", () => {
  const rates = new Rates();
  const look = (time: number, n: number) => rates.add(time, new Map([["a", n]]));
  look(0, 0);
  assert.is(rates.of("a"), null);
  look(1000, 10);
  assert.is(rates.of("a"), 10);
  look(1000, 99);
  assert.is(rates.of("a"), 10);
  for (let second = 2; second <= 7; second++) look(second * 1000, second * 100);
  assert.is(rates.of("a"), 100);
  look(8000, 1);
  assert.is(rates.of("a"), null);
  assert.is(rates.of("b"), null);
});

test("reports busy after five changed samples, at any polling rate", () => {
  const looks = new BusyDetector();
  const look = (time: number, ms: number) => looks.add(time, new Map([["a", ms]]));
  for (let time = 0; time < 16_000; time += 500) look(time, 100);
  assert.is(looks.isBusy("a"), false);
  look(16_000, 4999);
  assert.is(looks.isBusy("a"), true);
  look(20_000, 5000);
  assert.is(looks.isBusy("a"), false);
  assert.is(looks.isBusy("b"), false);
});

test("gives busy precedence over lesser states", () => {
  const node = { ready: true, "service-in": 1, "memory-total": 100, "memory-available": 18 };
  assert.is(instanceState(node, null, null, true).word, "Busy");
  assert.is(instanceState(node, null, null, false).word, "Memory 82%");
  assert.is(instanceState({ ...node, "service-in": 0 }, null, null, true).word, "S-OUT");
});

test("counts cells by position, with their problems", () => {
  const partitions = groupByPartition([[{ answered: 3 }, "nonsense"], 5, [{ answered: 4 }]]);
  const counts = parseCounts([{ id: "x", partitions }]);
  assert.equal(
    [counts.get(cellKey("x", 0, 0)), counts.get(cellKey("x", 1, 0)), counts.size],
    [3, 4, 2],
  );
  const word = (backEnd: unknown) => stateOfBackEnd(backEnd).word;
  assert.equal(
    [
      { state: "up" },
      { state: "up", serving: false },
      { state: "ejected" },
      { state: "down" },
      7,
    ].map(word),
    ["up", "not serving", "ejected", "down", "unknown"],
  );
  assert.equal(groupByPartition("no matrix"), []);
});

test("shows latencies of recent responses and discards older ones", () => {
  const figures = new BackEndMetrics();
  assert.is(figures.slowMs, null);
  figures.recordResponse(200, 8);
  assert.is(figures.slowMs, 8);
  for (let ms = 1; ms <= 19; ms++) figures.recordResponse(200, ms);
  assert.is(figures.slowMs, 18);
  for (let i = 0; i < 64; i++) figures.recordResponse(200, 2);
  assert.is(figures.slowMs, 2);
});

test.run();
