// Properties that searches require of every metric: exact scores are symmetric and bounded below,
// and kernels agree with them as far as `kernelThreshold` allows. SEED=n repeats a run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { getAccess } from "../../../../runtime/graph/api/graph-handle.js";
import { METRICS } from "../../../../runtime/graph/vectors/metrics/metrics.js";
import { partsOfLike } from "../../../../runtime/graph/vectors/vector.js";
import {
  computeStride,
  SLAB_WORDS,
  Slab,
  Slot,
  Space,
} from "../../../../runtime/graph/vectors/vector-layout.js";
import { dot } from "../../../../runtime/graph/vectors/vector-parts.js";
import { Random, SEED } from "../../../property/support/random.js";
import { makeGraph } from "../support/make-graph.js";

const test = suite("vector metrics");
const COUNT = 200;
const LENGTH = 96;

/** A slab of random vectors, one of them zero, with the factors of a metric. */
function fill(metric: (typeof METRICS)[number]) {
  const random = new Random(SEED);
  const graph = makeGraph();
  const { store } = getAccess(graph);
  const parts = Array.from({ length: COUNT }, (_, at) => {
    const scale = at === 0 ? 0 : random.below(1000) / 100;
    const numbers = Array.from({ length: LENGTH }, () => (random.below(2001) / 1000 - 1) * scale);
    graph.createVertex(`v${at}`, { vector: numbers });
    return partsOfLike(numbers, "vector");
  });
  const { vectors: table } = store;
  const slots = parts.map((_, at) => table.slotOf(store.ids.find(`v${at}`)));
  for (const [at, slot] of slots.entries()) {
    const { squares, scale } = parts[at]!;
    table.memory.floats[slot + Slot.Factor] = metric.factor(squares, scale);
  }
  const score = (a: number, b: number): number => {
    const [one, other] = [parts[a]!, parts[b]!];
    const product = dot(one.bytes, other.bytes);
    return metric.score(product, one.squares, one.scale, other.squares, other.scale);
  };
  return { table, parts, slots, score };
}

for (const metric of METRICS) {
  test(`${metric.name}: exact scores are symmetric, float32 and bounded below`, () => {
    const { score } = fill(metric);
    for (let at = 1; at < COUNT; at++) {
      assert.is(score(at, at - 1), score(at - 1, at));
      assert.is(score(at, at - 1), Math.fround(score(at, at - 1)));
      assert.ok(score(at, at - 1) >= metric.lowest);
    }
  });

  test(`${metric.name}: kernel scores reach the kernel threshold of the exact score`, () => {
    const { table, parts, slots, score } = fill(metric);
    const { memory } = table;
    const { list, lists, scores } = memory;
    const kernel = memory.kernel!;
    for (const probe of [1, 2, 3]) {
      const { bytes, squares, scale } = parts[probe]!;
      memory.loadProbe(2 ** 30 + probe, bytes);
      const factor = metric.factor(squares, scale);
      for (const [at, slot] of slots.entries()) list[at] = memory.addressOf(slot);
      const to = lists + COUNT * 4;
      metric.scoreSlots(kernel, lists, COUNT, memory.probe, LENGTH, factor, to);
      for (let at = 0; at < COUNT; at++) {
        const exact = score(probe, at);
        assert.ok(scores[COUNT + at]! >= metric.kernelThreshold(exact), `slot ${at}`);
        const pair = metric.scorePair(memory, slots[probe]!, slots[at]!, LENGTH);
        assert.ok(pair >= metric.kernelThreshold(exact), `pair ${at}`);
      }
    }
  });

  test(`${metric.name}: a scan finds every slot that reaches the threshold`, () => {
    const { table, parts, slots, score } = fill(metric);
    const { memory } = table;
    const { list, lists } = memory;
    const kernel = memory.kernel!;
    const { bytes, squares, scale } = parts[5]!;
    memory.loadProbe(2 ** 30 + 9, bytes);
    const exact = slots.map((_, at) => score(5, at));
    const threshold = exact.toSorted((a, b) => b - a)[20]!;
    const found = new Set<number>();
    const [space] = table.spaces();
    let slab = table.readSpace(space!, Space.FirstSlab);
    for (; slab !== 0; slab = memory.words[slab + Slab.Next]!) {
      const first = memory.addressOf(slab + SLAB_WORDS);
      const used = memory.words[slab + Slab.Used]!;
      const least = metric.kernelThreshold(threshold);
      const factor = metric.factor(squares, scale);
      const bytesEach = computeStride(LENGTH) * 4;
      const count = metric.scanSlots(
        kernel,
        first,
        used,
        bytesEach,
        memory.probe,
        factor,
        least,
        lists,
      );
      for (let at = 0; at < count; at++) found.add(memory.wordAt(list[2 * at]!));
    }
    for (const [at, slot] of slots.entries()) {
      if (exact[at]! >= threshold) assert.ok(found.has(slot), `slot ${at}`);
    }
    assert.ok(found.size >= 21 && found.size < COUNT);
  });
}

test.run();
