// The heap against a sorted array, with seeded random operations. SEED=n repeats a run.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ScoredHeap } from "../../../runtime/base/scored-heap.js";
import { Random, SEED } from "../../property/support/random.js";

const test = suite("scored heap");

for (const breaksTies of [false, true]) {
  test(`pops the lowest score first, ${breaksTies ? "ties by item" : "ties in any order"}`, () => {
    const random = new Random(SEED);
    const heap = new ScoredHeap(breaksTies);
    let model: [item: number, score: number][] = [];
    const top = (): [number, number] =>
      model.reduce((best, entry) => {
        const order = best[1] - entry[1] || entry[0] - best[0];
        return order > 0 ? entry : best;
      });
    const drop = (item: number): void => {
      model = model.filter(([entry]) => entry !== item);
    };
    for (let step = 1; step <= 5000; step++) {
      const action = random.below(step % 1000 < 600 ? 4 : 8);
      const score = random.below(50);
      if (action < 3 || model.length === 0) {
        heap.push(step, score);
        model.push([step, score]);
      } else {
        assert.is(heap.first, top()[1], `seed ${SEED}, step ${step}`);
        const item = heap.items[0]!;
        if (breaksTies) assert.is(item, top()[0], `seed ${SEED}, step ${step}`);
        drop(item);
        if (action === 3) {
          heap.replaceTop(step, score);
          model.push([step, score]);
        } else assert.is(heap.pop(), item);
      }
      assert.is(heap.count, model.length);
    }
    heap.clear();
    assert.is(heap.count, 0);
  });
}

test.run();
