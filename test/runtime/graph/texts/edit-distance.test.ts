// Distances of words against a table that is filled completely. SEED=n the same again.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { distance, prefixDistance } from "../../../../runtime/graph/texts/edit-distance.js";
import { distance as naiveDistance } from "../../../property/support/naive-texts.js";
import { Random, SEED } from "../../../property/support/random.js";

const test = suite("edit distance");
const WORDS = 2000;
/** Longer than the words that are usual. */
const LONG = "ab".repeat(60);

function randomWord(random: Random): string {
  return random.list(7, () => random.of([..."abc"])).join("");
}

test("counts edits up to the maximum", () => {
  const random = new Random();
  for (let count = 0; count < WORDS; count++) {
    const [word, text] = [randomWord(random), randomWord(random)];
    const maxEdits = random.below(3);
    const prefixes = Array.from({ length: text.length + 1 }, (_, end) => text.slice(0, end));
    const whole = naiveDistance(word, text);
    const begun = Math.min(...prefixes.map((prefix) => naiveDistance(word, prefix)));
    const distances = [distance(word, text, maxEdits), prefixDistance(word, text, maxEdits)];
    const limited = distances.map((edits) => Math.min(edits, maxEdits + 1));
    const expected = [whole, begun].map((edits) => Math.min(edits, maxEdits + 1));
    assert.equal(limited, expected, `${word} ${text} ${maxEdits}, SEED=${SEED}`);
  }
});

test("compares long words", () => {
  assert.is(distance(LONG, `${LONG.slice(0, 80)}c${LONG.slice(80)}`, 2), 1);
  assert.is(prefixDistance(`c${LONG}`, `${LONG}bb`, 1), 1);
});

test.run();
