// The product's interconnect in virtual time, see support/interconnect/simulated-cluster.ts.
// SEED=n begins with another seed; `node test/run.mjs --simulate 100000` runs as many.
// limit: 3600 s
// takes 5 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../support/rounds.js";
import { simulateCluster } from "./support/interconnect/simulated-cluster.js";
import { SEED } from "./support/random.js";
import { runSeeds } from "./support/run-seeds.js";

const IN_CI = 500;
const { SIMULATE, CI } = process.env;
const SEEDS = Number(SIMULATE ?? (CI ? IN_CI : rounds(50)));

const test = suite("interconnect simulation");

test("is deterministic for a seed", async () => {
  const traces = new Set<number>();
  for (const seed of [SEED, SEED, SEED + 1]) traces.add((await simulateCluster(seed)).trace);
  assert.is(traces.size, 2);
});

test(`nothing acknowledged is lost or doubled, seeds ${SEED} and the following`, async () => {
  const { acknowledged, takeovers, text } = await runSeeds("interconnect", SEEDS);
  // A few seeds are replayed.
  if (SEEDS < 10) return;
  assert.ok(acknowledged > 10 * SEEDS && takeovers >= SEEDS / 2, text);
});

test.run();
