// The 134 worked examples of the interface, through the public Graph.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { VERTEX_CONDITIONS } from "./examples/conditions.js";
import type { Example } from "./examples/example.js";
import { NEIGHBORHOODS } from "./examples/neighborhoods.js";
import {
  AGGREGATIONS,
  CHANGES_SEEN,
  LISTS,
  PREPARED_QUERIES,
  SELECTIONS,
} from "./examples/other-queries.js";
import { makeShop } from "./examples/shop.js";

const test = suite("worked examples");

const EXAMPLES: readonly Example[] = [
  ...NEIGHBORHOODS,
  ...VERTEX_CONDITIONS,
  ...AGGREGATIONS,
  ...LISTS,
  ...SELECTIONS,
  ...PREPARED_QUERIES,
  ...CHANGES_SEEN,
];
const COUNT = 134;

const shop = makeShop();

test("all are present, once and in order", () => {
  assert.equal(
    EXAMPLES.map(({ number }) => number),
    Array.from({ length: COUNT }, (_, index) => index + 1),
  );
  assert.is(shop.order, 10);
  assert.is(shop.size, 18);
});

for (const example of EXAMPLES) {
  test(`example ${example.number}`, () => {
    if (example.error !== undefined) expectError(example, example.error);
    else expectResult(example);
  });
}

function expectResult({ ask: query, gives, isUnordered }: Example): void {
  const result = query(shop);
  if (isUnordered) assert.equal(sorted(result), sorted(gives));
  else assert.equal(result, gives);
}

function expectError({ ask: query }: Example, [name, message]: readonly [string, string]): void {
  const error = thrownBy(query);
  assert.is(error.name, name);
  // Errors of expressions show the position below.
  assert.is(error.message.split("\n")[0], message);
}

function thrownBy(query: Example["ask"]): Error {
  try {
    query(shop);
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("expected an error");
}

function sorted(entries: unknown): string[] {
  return (entries as unknown[]).map((entry) => JSON.stringify(entry)).sort();
}

test.run();
