// The generated check of a type, its JSON Schema and the rule for defaults and examples accept the
// same values: clients rely on the schema, the server on the check, readers on examples. Random
// types, random values; the seed is printed on a difference and repeats the run as SEED=n.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { limitCheck } from "../../argspec/limits/limits.js";
import { ShapeRule } from "../../compiler/check/shape-rule.js";
import { CheckFunctions } from "../../compiler/emit/check-functions.js";
import { toJsonSchema } from "../../compiler/emit/json-schema.js";
import type { TypeShape, TypeTable } from "../../compiler/record/type-shape.js";
import {
  isObject,
  memoizedCheck,
  ownProperty,
  type ShapeCheck,
} from "../../runtime/plugin/contract/shape-check.js";
import { truncateForMessage } from "../../runtime/plugin/contract/truncate-for-message.js";
import { accepts, collectSchemas } from "./support/accepts-schema.js";
import { Random, SEED } from "./support/random.js";
import { randomTypes, randomValue } from "./support/random-shapes.js";

const ROUNDS = 60;
const VALUES = 150;
const test = suite("checks and schemas");

test("accept the same values", () => {
  const random = new Random();
  let accepted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const types = randomTypes(random);
    const by = { definitions: collectSchemas(types), isOpen: true };
    for (const [name, shape] of Object.entries(types)) {
      const check = compile(types, { kind: "ref", name });
      const rule = new ShapeRule(types, "open");
      for (let n = 0; n < VALUES; n++) {
        const value = randomValue(random, types, shape, 5);
        const fault = check(value);
        const isAccepted = accepts(by, toJsonSchema(shape), value);
        const label = `seed ${SEED}: ${JSON.stringify({ fault, shape, value, types })}`;
        assert.is(fault === null, isAccepted, label);
        assert.is(rule.fault(shape, value) === null, isAccepted, label);
        accepted += Number(isAccepted);
      }
    }
  }
  assert.ok(accepted > 1000, `seed ${SEED}: only ${accepted} values were right`);
});

function compile(types: TypeTable, shape: TypeShape): ShapeCheck {
  const checks = new CheckFunctions(types);
  const name = checks.functionFor(shape);
  const helpers = {
    isObject,
    ownProperty,
    truncateForMessage,
    limitCheck,
    memoizedCheck,
  };
  const make = new Function(...Object.keys(helpers), `${checks.emit()}\nreturn ${name};`);
  return make(...Object.values(helpers)) as ShapeCheck;
}

test.run();
