// Errors of invalid arguments name the position, the value and the allowed values.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { QueryError, SearchError } from "../../../../runtime/graph/model/errors.js";
import { INVALID_ARCS } from "./examples/invalid-arcs.js";
import { INVALID_QUERIES } from "./examples/invalid-queries.js";
import type { Calls } from "./examples/rejected-call.js";
import { makeShop } from "./examples/shop.js";

const test = suite("invalid query arguments");

const shop = makeShop() as unknown as Calls;
for (const [call, problem, path] of [...INVALID_ARCS, ...INVALID_QUERIES]) {
  test(String(call).replace("(shop) => shop.", ""), () => {
    let thrown: unknown;
    try {
      call(shop);
    } catch (error) {
      thrown = error;
    }
    assert.ok(thrown instanceof QueryError || thrown instanceof SearchError, "it is refused");
    assert.is(`${thrown.name}: ${thrown.message}`, `${problem}\n  ${path}`);
    assert.is(`${thrown.name}: ${thrown.problem}`, problem);
    // Not the names known when the error was created.
    assert.ok(thrown.stack?.includes(path), "the stack begins with the same text");
  });
}

test("shows any value in a few words", () => {
  const shown = (value: unknown): string => {
    try {
      shop.neighborhood("ann", { arc: [value] });
    } catch (error) {
      return /arc\[0\] is (.*); expected/.exec((error as Error).message)![1]!;
    }
    return "nothing";
  };
  assert.is(shown("9".repeat(200)), `"${"9".repeat(60)}..."`);
  assert.is(
    shown([1, [2, [3, [4]]], 5n, Symbol("x"), 6]),
    "[1, [2, [3, [...]]], 5n, a symbol, ...]",
  );
  assert.is(
    shown(() => 1),
    "a function",
  );
  assert.is(shown(new Map()), "an object of a class");
  assert.is(
    shown({ "a b": Number.NaN, b: { c: { d: {} } } }),
    '{["a b"]: NaN, b: {c: {d: {...}}}}',
  );
});

test.run();
