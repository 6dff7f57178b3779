// Leadership of a group under random faults, in virtual time: nothing acknowledged is lost or
// doubled, one member acknowledges changes of an epoch, and all are equal after the last fault.
// SEED=n begins with another seed; `node test/run.mjs --simulate 100000` runs as many.
// limit: 3600 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../support/rounds.js";
import { simulateGroup } from "./support/leadership/simulated-group.js";
import { SEED } from "./support/random.js";

const SEEDS = Number(process.env.SIMULATE ?? rounds(200));

const test = suite("leadership simulation");

test(`nothing acknowledged is lost, seeds ${SEED} and the following`, () => {
  let acknowledged = 0;
  let takeovers = 0;
  let stuck = 0;
  const startedAt = process.cpuUsage();
  for (let seed = SEED; seed < SEED + SEEDS; seed++) {
    try {
      const outcome = simulateGroup(seed);
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
  if (process.env.SIMULATE) console.error(`${SEEDS} seeds: ${counts}, ${ms.toFixed(1)} ms each`);
  assert.ok(acknowledged > 20 * SEEDS && takeovers > 2 * SEEDS && stuck < SEEDS / 4, counts);
});

test.run();
