// Windows of plugins over time: against a naive model that keeps every request.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Log2Histogram } from "../../../runtime/base/log2-histogram.js";
import { PluginWindows } from "../../../runtime/metrics/plugin-windows.js";

const SEED = Number(process.env.SEED ?? 38);

/** A linear congruential generator: the same numbers for the same seed. */
function rng(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const test = suite("plugin windows");
const START_MS = 1_800_000_000_000;

class Source {
  latency = new Log2Histogram();
  readonly errors = new Map<number, number>();
  constructor(readonly name: string) {}
}

test("counts each request in the step of its sample, in all three ranges", () => {
  const random = rng(SEED);
  for (let round = 0; round < 20; round++) {
    const windows = new PluginWindows();
    const source = new Source("find");
    const made: { atMs: number; code: number }[] = [];
    let atMs = START_MS;
    for (let tick = 0; tick < 120; tick++) {
      atMs += Math.floor(random() * (round % 2 === 0 ? 3000 : 120_000));
      for (let request = Math.floor(random() * 4); request > 0; request--) {
        const code = random() < 0.2 ? 404 : 200;
        source.latency.add(random() * 100);
        if (code === 404) source.errors.set(code, (source.errors.get(code) ?? 0) + 1);
        made.push({ atMs, code });
      }
      windows.sample(atMs, [source]);
    }
    for (const range of [300, 3600, 86_400]) {
      const { stepMs, plugins } = windows.read(atMs, range, null);
      const steps = range === 86_400 ? 48 : 60;
      const last = Math.floor(atMs / stepMs);
      const expected = (code: number | null) =>
        Array.from({ length: steps }, (_, index) => {
          const step = last - steps + 1 + index;
          return made.filter(
            (call) =>
              Math.floor(call.atMs / stepMs) === step && (code === null || call.code === code),
          ).length;
        });
      const [window] = plugins;
      assert.equal(window?.counts ?? expected(null), expected(null));
      assert.equal(window?.errors["404"] ?? expected(404).fill(0), expected(404));
      const sums = window?.buckets.map((step) => (step === 0 ? 0 : step.reduce((a, b) => a + b)));
      assert.equal(sums ?? [], window?.counts ?? []);
    }
  }
});

test("continues after the counters were cleared", () => {
  const windows = new PluginWindows();
  const source = new Source("find");
  for (let request = 0; request < 5; request++) source.latency.add(1);
  windows.sample(START_MS, [source]);
  source.latency = new Log2Histogram();
  source.latency.add(1);
  windows.sample(START_MS + 1000, [source]);
  const [window] = windows.read(START_MS + 1000, 300, "find").plugins;
  assert.is(window?.counts.at(-1), 6);
});

test("has no windows for more than 200 plugins, and none for an unknown name", () => {
  const windows = new PluginWindows();
  const sources = Array.from({ length: 250 }, (_, index) => new Source(`p${index}`));
  for (const { latency } of sources) latency.add(1);
  windows.sample(START_MS, sources);
  assert.is(windows.read(START_MS, 300, null).plugins.length, 200);
  assert.is(windows.read(START_MS, 300, "none").plugins.length, 0);
});

test.run();
