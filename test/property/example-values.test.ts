// The compiler reads the values of queries in examples as servers read those of requests. Random
// texts; the seed is printed when the two differ and repeats the run as SEED=n.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Wire } from "../../argspec/wire.js";
import { convertText } from "../../compiler/read/convert-text.js";
import { readValue } from "../../runtime/plugin/request/query-values.js";
import { Random, SEED } from "./support/random.js";

const ROUNDS = 20_000;
const WIRES: readonly Wire[] = ["int", "float", "str", "json"];
const PIECES = [
  ...["1", "23", "9007199254740991", "9007199254740992", "0", "-", "+", ".", "e", "E5", "e400"],
  ...["(int)", "(float)", "(q)", "(d)", "(int", '"a"', "[", "]", "{}", ",", "true", "null", " "],
  ...["a", "Infinity", "NaN", "0x1", "ü"],
];

const test = suite("values of example queries");

test("are those that a server reads", () => {
  const random = new Random();
  let converted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const text = [random.of(PIECES), ...random.list(3, () => random.of(PIECES))].join("");
    const wire = random.of(WIRES);
    const query = `x=${encodeURIComponent(text)}`;
    const found = convertText(text, wire);
    const what = `seed ${SEED}: ${JSON.stringify({ text, wire, found })}`;
    if ("value" in found) {
      assert.equal(found.value, readValue(query, "x", 1, wire), what);
      converted++;
    } else {
      assert.throws(() => readValue(query, "x", 1, wire), undefined, what);
    }
  }
  assert.ok(converted > ROUNDS / 10 && converted < ROUNDS, `seed ${SEED}: ${converted}`);
});

test.run();
