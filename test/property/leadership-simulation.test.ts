// Leadership of a group under random faults, in virtual time: nothing acknowledged is lost or
// doubled, one member acknowledges changes of an epoch, and all are equal after the last fault.
// SEED=n begins with another seed; `node test/run.mjs --simulate 100000` runs as many.
// limit: 3600 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../support/rounds.js";
import { SEED } from "./support/random.js";
import { runSeeds } from "./support/run-seeds.js";

const SEEDS = Number(process.env.SIMULATE ?? rounds(200));

const test = suite("leadership simulation");

test(`nothing acknowledged is lost, seeds ${SEED} and the following`, async () => {
  const { acknowledged, takeovers, stuck, text } = await runSeeds("leadership", SEEDS);
  // A few seeds are replayed.
  if (SEEDS < 10) return;
  assert.ok(acknowledged > 20 * SEEDS && takeovers > 2 * SEEDS && stuck < SEEDS / 4, text);
});

test.run();
