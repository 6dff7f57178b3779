// The Prometheus text format: names, labels, buckets; and bounded counters for plugin names from
// clients.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { Log2Histogram } from "../../../runtime/base/log2-histogram.js";
import { counter, gauge, histogram, singleSample } from "../../../runtime/metrics/exposition.js";
import { Metrics } from "../../../runtime/metrics/metrics.js";
import { PluginCounters } from "../../../runtime/metrics/plugin-counters.js";

const test = suite("exposition");

test("writes a family with help and type, and none without samples", () => {
  assert.is(
    [...counter("a_total", "All.", singleSample(7))].join(""),
    "# HELP a_total All.\n# TYPE a_total counter\na_total 7\n",
  );
  assert.equal([...gauge("b", "None.", [])], []);
});

test("escapes characters that would end a label", () => {
  const text = [...gauge("g", "Odd.", [[{ name: 'a"b\\c\nd', n: 1 }, 0]])].join("");
  assert.is(text.split("\n")[2], 'g{name="a\\"b\\\\c\\nd",n="1"} 0');
});

test("keeps counters when the metrics of the interface are reset", () => {
  const metrics = new Metrics();
  metrics.countResponse(404, 1, true);
  metrics.reset();
  metrics.countResponse(404, 1, true);
  assert.is(metrics.totals().requests, 1);
  assert.is(metrics.totalsSinceStart().requests, 2);
  assert.equal(metrics.totalsSinceStart().errorsByCode, { 404: 2 });
});

test("writes many samples in chunks", () => {
  const samples = Array.from({ length: 1000 }, (_, n) => [{ n }, n] as const);
  const pieces = [...gauge("g", "Many.", samples)];
  assert.ok(pieces.length > 3);
  assert.is(pieces.join("").split("\n").length, 1000 + 3);
});

test("counts a latency in its bucket and all above", () => {
  const latency = new Log2Histogram();
  for (const ms of [0, 0.1, 0.100001, 0.2, 1, 1e9]) latency.add(ms);
  const buckets = [...latency.cumulative()];
  assert.equal(buckets.slice(0, 5), [
    [0.0001, 2],
    [0.0002, 4],
    [0.0004, 4],
    [0.0008, 4],
    [0.0016, 5],
  ]);
  assert.equal(buckets.at(-1), [104.8576, 5]);
  const text = [...histogram("h", "Time.", [[{ plugin: "p" }, latency]])].join("");
  assert.match(text, 'h_bucket{plugin="p",le="+Inf"} 6\n');
  assert.match(text, 'h_count{plugin="p"} 6\n');
  assert.match(text, /h_sum\{plugin="p"\} 1000000\.0014/);
});

test("places each latency within the bounds of its bucket", () => {
  for (let step = 0; step < 2000; step++) {
    const ms = 0.05 * 1.008 ** step;
    const latency = new Log2Histogram();
    latency.add(ms);
    const bounds = [...latency.cumulative()];
    const first = bounds.findIndex(([, count]) => count === 1);
    if (first < 0) assert.ok(ms / 1000 > bounds.at(-1)![0], `${ms}`);
    else assert.ok(ms / 1000 <= bounds[first]![0] * (1 + 1e-12), `${ms}`);
    if (first > 0) assert.ok(ms / 1000 > bounds[first - 1]![0] * (1 - 1e-12), `${ms}`);
  }
});

test("adds a counter for a client-supplied name once it proves to be a plugin", () => {
  const counters = new PluginCounters();
  const request = (path: string, status: number): void => {
    counters.countResponse(counters.forwarded(path), status, 1);
  };
  request("/svc/plugin/find", 200);
  request("/svc/plugin/find", 500);
  for (let n = 0; n < 5000; n++) request(`/svc/plugin/no${n}`, 404);
  const rows = [...counters.all()].map(({ name, latency, errors }) => [
    name,
    latency.count,
    [...errors],
  ]);
  assert.equal(rows, [
    ["find", 2, [[500, 1]]],
    ["(other)", 5000, [[404, 5000]]],
  ]);
});

test("limits the number of plugin names of back-ends", () => {
  const counters = new PluginCounters();
  for (let n = 0; n < 1200; n++)
    counters.countResponse(counters.forwarded(`/svc/plugin/p${n}`), 200, 1);
  const rows = [...counters.all()];
  assert.is(rows.length, 1001);
  assert.is(rows.at(-1)!.latency.count, 200);
});

test("forgets the counts of all plugins", () => {
  const counters = new PluginCounters();
  counters.countResponse(counters.own("/svc/plugin/add"), 404, 1);
  counters.countResponse(counters.forwarded("/svc/plugin/find"), 200, 1);
  counters.tick(0);
  assert.is(counters.windows.read(0, 300, null).plugins.length, 2);
  counters.forget();
  assert.equal([...counters.all()], []);
  assert.equal(counters.windows.read(0, 300, null).plugins, []);
  counters.countResponse(counters.own("/svc/plugin/add"), 200, 1);
  assert.equal(
    [...counters.all()].map(({ name, latency, errors }) => [name, latency.count, errors.size]),
    [["add", 1, 0]],
  );
});

test("merges the instance's own plugins with those of back-ends", () => {
  const counters = new PluginCounters();
  counters.countResponse(counters.forwarded("/svc/plugin/add"), 200, 1);
  counters.countResponse(counters.own("/svc/plugin/add"), 200, 1);
  counters.countResponse(counters.own("/svc/builtin/echo"), 200, 1);
  assert.equal(
    [...counters.all()].map(({ name }) => name),
    ["add", "builtin/echo"],
  );
});

test.run();
