// Type compatibility against a validator and random values: no value of a compatible type may be
// rejected. And it must not be too strict: a widened type accepts all former values. The seed is
// printed on failure and repeats the run as SEED=n.
// limit: 60 s

import { suite } from "uvu";
import * as assert from "uvu/assert";
import {
  type CompareDirection,
  findIncompatibility,
  type Type,
} from "../../argspec/diff/incompatibility.js";
import type { TypeTable } from "../../compiler/record/type-shape.js";
import { rounds } from "../support/rounds.js";
import { accepts, collectSchemas } from "./support/accepts-schema.js";
import { Random, SEED } from "./support/random.js";
import { confuseTypes, widenTypes } from "./support/random-edits.js";
import { randomTypes, randomValue } from "./support/random-shapes.js";

const ROUNDS = rounds(120);
const VALUES = 25;
const READINGS: readonly CompareDirection[] = ["strict", "tolerant"];

const test = suite("type differences");

test("are never missed", () => {
  const random = new Random();
  const tally = { fitting: 0, rejected: 0 };
  for (let round = 0; round < ROUNDS; round++) {
    const types = randomTypes(random);
    const wider = widenTypes(random, widenTypes(random, types));
    expectSound(random, types, confuseTypes(random, types), tally);
    expectSound(random, wider, types, tally);
    expectSound(random, types, randomTypes(random), tally);
  }
  // Values must have tested both outcomes.
  assert.ok(tally.fitting > ROUNDS * 20, `seed ${SEED}: ${JSON.stringify(tally)}`);
  assert.ok(tally.rejected > ROUNDS, `seed ${SEED}: ${JSON.stringify(tally)}`);
});

test("are not reported for a widened type", () => {
  const random = new Random();
  for (let round = 0; round < ROUNDS; round++) {
    const types = randomTypes(random);
    let wider = types;
    for (let step = 0; step < 3; step++) {
      wider = widenTypes(random, wider);
      for (const name of Object.keys(types)) {
        for (const reading of READINGS) {
          const misfit = findIncompatibility(
            declaredType(types, name),
            declaredType(renamed(wider), `${name}2`),
            reading,
          );
          assert.is(
            misfit,
            null,
            `seed ${SEED}: ${JSON.stringify({ misfit, name, types, wider })}`,
          );
        }
      }
    }
  }
});

/** Values of the first type are values of the second, if they are reported as compatible. */
function expectSound(
  random: Random,
  params: TypeTable,
  taken: TypeTable,
  tally: { fitting: number; rejected: number },
): void {
  for (const [name, shape] of Object.entries(params)) {
    const [from, to] = [declaredType(params, name), declaredType(taken, name)];
    const isStrict = { definitions: from.definitions, isOpen: false };
    const values = Array.from({ length: VALUES }, () => randomValue(random, params, shape, 4));
    const accepted = values.filter((value) => accepts(isStrict, from.schema, value));
    for (const reading of READINGS) {
      const by = { definitions: to.definitions, isOpen: reading === "tolerant" };
      const isFitting = findIncompatibility(from, to, reading) === null;
      for (const value of accepted) {
        const isTaken = accepts(by, to.schema, value);
        const describeCase = () =>
          `seed ${SEED}: ${JSON.stringify({ name, reading, value, given: params, taken })}`;
        if (isFitting && !isTaken) assert.unreachable(describeCase());
        if (isFitting) tally.fitting++;
        else if (!isTaken) tally.rejected++;
      }
    }
  }
}

function declaredType(types: TypeTable, name: string): Type {
  return { schema: { $ref: `#/$defs/${name}` }, definitions: collectSchemas(types) };
}

/** The same types under other names, so that names cannot affect the result. */
function renamed(types: TypeTable): TypeTable {
  const text = JSON.stringify(types).replaceAll(
    /"kind":"ref","name":"(\w+)"/g,
    '"kind":"ref","name":"$12"',
  );
  return Object.fromEntries(
    Object.entries(JSON.parse(text) as TypeTable).map(([name, shape]) => [`${name}2`, shape]),
  );
}

test.run();
