// Validation of converted arguments by schemas before the call, and its order.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ParameterError, SvcError } from "../../../../runtime/base/errors.js";
import type { StandardSchema } from "../../../../runtime/plugin/response/schema-issues.js";
import {
  type ArgumentSchema,
  callValidated,
  DeferredCall,
} from "../../../../runtime/plugin/run/validate-arguments.js";

const test = suite("validate arguments");

function position(
  index: number,
  path: ArgumentSchema["path"],
  validate: (value: never) => unknown,
  acceptsAbsence = false,
): ArgumentSchema {
  const standard = { version: 1, vendor: "test", validate };
  const schema = { "~standard": standard } as unknown as StandardSchema;
  return { at: index, name: `a${index}`, path, acceptsAbsence, schema };
}

const doubled = (value: number) =>
  value > 9 ? { issues: [{ message: "too many", path: ["n", 0] }] } : { value: value * 2 };
const call = (...args: unknown[]) => args;

test("validates each position, and absent values only where requested", () => {
  const args = [1, [1, 2], { a: { b: 3 } }, undefined, undefined, {}];
  const places = [
    position(0, [], doubled),
    position(1, [null], doubled),
    position(2, ["a", "b"], doubled),
    position(3, [], doubled),
    position(4, [], () => ({ value: "given" }), true),
    position(5, ["toString"], doubled),
  ];
  const result = callValidated(args, places, call);
  assert.equal(result, [2, [2, 4], { a: { b: 6 } }, undefined, "given", {}]);
});

test("rejects the first invalid argument by name without calling the plugin", () => {
  let calls = 0;
  const refuse = () => callValidated([[1, 10]], [position(0, [null], doubled)], () => ++calls);
  assert.throws(refuse, (error: unknown) => {
    return error instanceof ParameterError && error.message === "a0[1].n[0] (too many)";
  });
  assert.is(calls, 0);
});

test("awaits asynchronous schemas in order before the call", async () => {
  const steps: string[] = [];
  const slow = (value: number) => {
    steps.push(`begin ${value}`);
    return Promise.resolve().then(() => {
      steps.push(`end ${value}`);
      return { value: -value };
    });
  };
  const args = [[1, 2], 3];
  const late = callValidated(args, [position(0, [null], slow), position(1, [], slow)], call);
  assert.instance(late, DeferredCall);
  await (late as DeferredCall).checked;
  assert.equal((late as DeferredCall).call(), [[-1, -2], -3]);
  assert.is(steps.join(), "begin 1,end 1,begin 2,end 2,begin 3,end 3");
});

test("reports an invalid result of a schema as an error of the schema", () => {
  for (const result of [undefined, null, "yes", { issues: "none" }]) {
    assert.throws(
      () => callValidated([1], [position(0, [], () => result)], call),
      (error: unknown) => error instanceof SvcError && error.code === "SVC3290",
    );
  }
});

test.run();
