// When the thread of vector indexes has something to do.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { IndexProcessor } from "../../../../runtime/graph/vectors/index-processor.js";
import { Random } from "../../../property/support/random.js";
import { loggedStore } from "../support/logged-graph.js";
import { openStore } from "../support/make-graph.js";

const LENGTH = 96;
/** So few vectors are compared one by one. */
const FEW = 10;
const MANY = 300;

const test = suite("index processor");

class CountedProcessor extends IndexProcessor {
  works = 0;

  override run(limitMs: number): boolean {
    this.works++;
    return super.run(limitMs);
  }

  /** Returns how often it has worked until nothing was left to do. */
  poll(): number {
    this.works = 0;
    while (this.slice());
    return this.works;
  }
}

test("a sign index over few vectors does no work while it waits for more", () => {
  const random = new Random(1);
  const store = loggedStore();
  const graph = openStore(store);
  const add = (from: number, end: number): void => {
    for (let n = from; n < end; n++) {
      const vector = Array.from({ length: LENGTH }, () => random.below(100) / 100);
      graph.createVertex(`v${n}`, { vector });
    }
  };
  const processor = new CountedProcessor(store, assert.unreachable);
  graph.index("vectors", { length: LENGTH, signs: true });
  add(0, FEW);
  assert.is(processor.poll(), 0);
  add(FEW, MANY);
  assert.ok(processor.poll() > 0);
  assert.is(graph.indexes()[0]!.indexed, MANY);
  assert.is(processor.poll(), 0, "it is complete");
  graph.dropIndex("vectors", { length: LENGTH });
  assert.ok(processor.poll() > 0);
  assert.is(processor.poll(), 0, "nothing is left of it");
});

test.run();
