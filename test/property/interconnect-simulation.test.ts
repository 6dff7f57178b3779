// The product's interconnect in virtual time, see support/interconnect/simulated-cluster.ts.
// SEED=n begins with another seed; `node test/run.mjs --simulate 100000` runs 1,000 of these.
// limit: 3600 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../support/rounds.js";
import { simulateCluster } from "./support/interconnect/simulated-cluster.js";
import { SEED } from "./support/random.js";
import { runSeeds } from "./support/run-seeds.js";

/** A seed takes fifty times as long as one of leadership alone. */
const PER_SEED = 100;
const { SIMULATE } = process.env;
const SEEDS = SIMULATE === undefined ? rounds(8) : Math.ceil(Number(SIMULATE) / PER_SEED);

const test = suite("interconnect simulation");

test(`nothing acknowledged is lost or doubled, seeds ${SEED} and the following`, async () => {
  const { acknowledged, takeovers, text } = await runSeeds(SEEDS, simulateCluster);
  assert.ok(acknowledged > 10 * SEEDS && takeovers >= SEEDS / 2, text);
});

test.run();
