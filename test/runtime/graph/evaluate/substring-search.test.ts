// Substring search gives the results of the engine's own, in linear time.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { indexOfText, splitText } from "../../../../runtime/graph/evaluate/substring-search.js";
import { Random, SEED } from "../../../property/support/random.js";

const test = suite("substring search");

test("searches and splits long strings like short ones", () => {
  const random = new Random();
  for (let round = 0; round < 40; round++) {
    const ab = (count: number): string =>
      Array.from({ length: count }, () => random.of(["a", "a", "a", "b"])).join("");
    const motif = ab(1 + random.below(40));
    const part = motif.repeat(Math.ceil(900 / motif.length));
    const text = Array.from({ length: 8 }, () => part + ab(random.below(400))).join("");
    assert.ok(part.length * text.length > 2 ** 20);
    const from = random.below(text.length);
    assert.is(indexOfText(part, text, from), text.indexOf(part, from), `SEED=${SEED}`);
    assert.is(indexOfText(`${part}bab`, text), text.indexOf(`${part}bab`), `SEED=${SEED}`);
    assert.equal(splitText(text, part), text.split(part), `SEED=${SEED}`);
  }
});

test("searches short strings", () => {
  assert.is(indexOfText("", "abc"), 0);
  assert.is(indexOfText("c", "abc"), 2);
  assert.is(indexOfText("d", "abc"), -1);
  assert.equal(splitText("a-b-c", "-"), ["a", "b", "c"]);
});

// The engine's own search takes minutes here and would exceed the time limit of a test.
test("takes linear time when every position nearly matches", () => {
  const half = "a".repeat(2 ** 20);
  const text = "a".repeat(2 ** 22);
  assert.is(indexOfText(`${half}b${half}`, text), -1);
  assert.equal(splitText(text, `${half}b${half}`), [text]);
});

test.run();
