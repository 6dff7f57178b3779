// The examples of docs/reference/expressions.md, and strings with user input.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite } from "uvu";
import * as assert from "uvu/assert";
import { evaluateText } from "../../../../runtime/graph/evaluate/evaluate.js";
import { expr } from "../../../../runtime/graph/evaluate/expr.js";
import { displayResult } from "../../../../runtime/graph/evaluate/result-values.js";
import { M_INT } from "../../../../runtime/graph/model/constants.js";
import { Random, SEED } from "../../../property/support/random.js";
import { ROOT } from "../../../support/source-files.js";
import { makePeople, requireStore } from "../support/people.js";

const test = suite("documented expressions");
const people = makePeople();
const store = requireStore(people);
const document = readFileSync(join(ROOT, "docs/reference/expressions.md"), "utf8");
const examples = [...document.matchAll(/^\| `(.+)` \| `(.+)` \|$/gm)];

for (const [, expression, shown] of examples) {
  test(expression!, () => {
    const subject = {
      ...{ tail: store.ids.find("ann"), head: store.ids.find("bob"), vector: [], memory: null },
      arc: ["knows", M_INT, 5] as const,
    };
    assert.is(displayResult(store, evaluateText(store, expression!, subject)), shown);
  });
}

test("the document has examples", () => assert.ok(examples.length > 25));

test("writes any value as a literal", () => {
  assert.is(people.evaluate(expr`${"it's"} + ${'"x"'}`), 'it\'s"x"');
  assert.is(people.evaluate(expr`${-2.5} * ${4}`), -10);
  assert.is(people.evaluate(expr`${"a*"} == ${"ab"}`), 0);
  assert.is(people.evaluate(expr`${null} == null && ${true}`), 1);
  assert.is(people.evaluate(expr`3 in {${[1, 2, 3]}}`), 1);
  assert.throws(() => expr`${{} as string}`, TypeError);
  assert.throws(() => expr`${Number.NaN}`, TypeError);
});

test("escapes user input completely", () => {
  const random = new Random();
  const pieces = ["'", '"', "\\", "*", "\\x41", "é", "\u{1f600}", ";", "//", "/*", "\n", "a", "${"];
  for (let round = 0; round < 3000; round++) {
    const text = random.list(8, () => random.of(pieces)).join("");
    const message = `SEED=${SEED}: ${JSON.stringify(text)}`;
    assert.is(people.evaluate(expr`${text}`), text, message);
    assert.is(people.evaluate(expr`${text} == ${text}`), 1, message);
  }
});

test.run();
