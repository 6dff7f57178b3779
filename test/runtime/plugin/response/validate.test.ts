// Schemas of other libraries: accepted values, and messages of rejections.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type {
  StandardIssue,
  StandardSchema,
} from "../../../../runtime/plugin/response/schema-issues.js";
import { ValidationError, validate } from "../../../../runtime/plugin/response/validate.js";

const test = suite("validation by Standard Schema");

/** Schemas as libraries build them. */
function makeSchema<T>(
  check: (value: unknown) => { value: T } | { issues: readonly StandardIssue[] },
  isLate = false,
): StandardSchema<T> {
  const validate = (value: unknown) => (isLate ? Promise.resolve(check(value)) : check(value));
  return { "~standard": { version: 1, vendor: "test", validate } };
}

async function refusal(schema: StandardSchema, name?: string): Promise<ValidationError> {
  try {
    await validate(schema, {}, name);
  } catch (error) {
    assert.instance(error, ValidationError);
    return error as ValidationError;
  }
  throw new Error("it was not refused");
}

test("passes on the value that the schema returns, sync or async", async () => {
  for (const isLate of [false, true]) {
    const schema = makeSchema((value) => ({ value: Number(value) }), isLate);
    const number: number = await validate(schema, "7");
    assert.is(number, 7);
  }
});

test("responds with 400 with the path of each issue", async () => {
  const issues = [
    { message: "too many", path: ["lines", 0, { key: "count" }] },
    { message: "strange", path: [Symbol("s")] },
    { message: "as a whole" },
  ];
  const error = await refusal(makeSchema(() => ({ issues })));
  assert.is(error.status, 400);
  assert.is(error.message, "content.lines[0].count (too many)");
  assert.equal(error.details.issues, [
    { path: "content.lines[0].count", message: "too many" },
    { path: "content.Symbol(s)", message: "strange" },
    { path: "content", message: "as a whole" },
  ]);
  assert.is(
    (
      await refusal(
        makeSchema(() => ({ issues: [] })),
        "q",
      )
    ).message,
    "q",
  );
});

test("limits the size of the message", async () => {
  const path = Array.from({ length: 9999 }, () => "deep");
  const issues = Array.from({ length: 5000 }, () => ({ message: "x".repeat(9999), path }));
  const { details } = await refusal(makeSchema(() => ({ issues }), true));
  assert.is(details.issues.length, 20);
  assert.ok(JSON.stringify(details).length < 25_000);
});

test.run();
