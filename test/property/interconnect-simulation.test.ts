// The product's interconnect in virtual time, see support/interconnect/simulated-cluster.ts.
// SEED=n begins with another seed; `node test/run.mjs --simulate 100000` runs 1,000 of these.
// limit: 3600 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../support/rounds.js";
import { simulateCluster } from "./support/interconnect/simulated-cluster.js";
import { SEED } from "./support/random.js";

/** A seed takes fifty times as long as one of leadership alone. */
const PER_SEED = 100;
const { SIMULATE } = process.env;
const SEEDS = SIMULATE === undefined ? rounds(8) : Math.ceil(Number(SIMULATE) / PER_SEED);

const test = suite("interconnect simulation");

test(`nothing acknowledged is lost or doubled, seeds ${SEED} and the following`, async () => {
  let acknowledged = 0;
  let takeovers = 0;
  let stuck = 0;
  const startedAt = process.cpuUsage();
  for (let seed = SEED; seed < SEED + SEEDS; seed++) {
    try {
      const outcome = await simulateCluster(seed);
      acknowledged += outcome.acknowledged;
      takeovers += outcome.takeovers;
      if (outcome.isStuck) stuck++;
    } catch (error) {
      throw new Error(`SEED=${seed}, of which SIMULATE=1: ${(error as Error).message}`);
    }
  }
  const { user, system } = process.cpuUsage(startedAt);
  const ms = (user + system) / 1000 / SEEDS;
  const counts = `${acknowledged} acknowledged, ${takeovers} takeovers, ${stuck} stuck`;
  if (SIMULATE !== undefined) console.error(`${SEEDS} seeds: ${counts}, ${ms.toFixed(1)} ms each`);
  assert.ok(acknowledged > 10 * SEEDS && takeovers >= SEEDS / 2, counts);
});

test.run();
