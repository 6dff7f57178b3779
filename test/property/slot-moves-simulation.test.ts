// Slots that move under random faults: clients, coordinators, crashes and changes of leaders in
// random order. No vertex is lost or twice in an answer, each acknowledged change is in the owner
// afterwards, and each slot has one owner per version of the map. Without any one of the guards of
// the protocol, a seed fails. SEED=n begins with another seed; SIMULATE=10000 runs as many.
// limit: 3600 s
// takes 4 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { rounds } from "../support/rounds.js";
import { SEED } from "./support/random.js";
import type { Guard } from "./support/slots/simulated-clients.js";
import { simulateMoves } from "./support/slots/simulated-move.js";

const SEEDS = Number(process.env.SIMULATE ?? rounds(100));
/** The search for a seed that fails begins with the one that was found last. */
const GUARDS = Object.entries({
  ...{ hold: 271, owner: 388, "map of answers": 40, "abort first": 88, drop: 52, verify: 5 },
  ...{ lease: 272, "all members": 866, removal: 2, settled: 52 },
  ...{ "latest term": 1648, confirmed: 2114, adopted: 2680, "map of keys": 277 },
  ...{ restart: 2274, written: 5, flushed: 53 },
} satisfies Record<Guard, number>) as [Guard, number][];
const MAX_SEEDS = 2000;

const test = suite("slot moves simulation");

test(`nothing is lost or doubled, seeds ${SEED} and the following`, () => {
  let cuts = 0;
  let responses = 0;
  let changes = 0;
  const startedAt = process.cpuUsage();
  for (let seed = SEED; seed < SEED + SEEDS; seed++) {
    try {
      const outcome = simulateMoves(seed);
      cuts += outcome.cuts;
      responses += outcome.responses;
      changes += outcome.changes;
    } catch (error) {
      throw new Error(`SEED=${seed}, of which SIMULATE=1: ${(error as Error).message}`);
    }
  }
  const { user, system } = process.cpuUsage(startedAt);
  const ms = ((user + system) / 1000 / SEEDS).toFixed(1);
  const counts = `${cuts} cuts, ${responses} responses, ${changes} changes`;
  if (process.env.SIMULATE) console.error(`${SEEDS} seeds: ${counts}, ${ms} ms each`);
  assert.ok(cuts > 2 * SEEDS && responses > 10 * SEEDS && changes > 20 * SEEDS, counts);
});

for (const [guard, first] of GUARDS) {
  test(`some seed fails without: ${guard}`, () => {
    const failed = () => {
      for (let seed = first; seed < first + MAX_SEEDS; seed++) {
        try {
          simulateMoves(seed, guard);
        } catch (error) {
          return { seed, message: (error as Error).message };
        }
      }
      return null;
    };
    const failures = failed();
    if (process.env.SIMULATE) console.error(`${guard}: ${JSON.stringify(failures)}`);
    assert.ok(failures !== null);
  });
}

test.run();
