// Linear-time patterns: the results of JavaScript's RegExp in linear time, and errors for
// unsupported patterns.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { linearPattern } from "../../../argspec/limits/linear-pattern.js";
import { PatternError } from "../../../argspec/limits/pattern-program.js";
import { Random, SEED } from "../../property/support/random.js";
import { rounds } from "../../support/rounds.js";

const test = suite("linear patterns");
const ROUNDS = rounds(300);
const CHARACTERS = [..."abcxy-12@.fo \nAé", "😀"];

const PATTERNS = [
  ...["", "^$", "a|b", "^a|b$", "(^a)|(b$)", "^.$", "\\.\\n\\t", "a?b*c{0}", "a{2,}", "[^\\]]x"],
  ...["^[a-z]+(-[a-z]+)*$", "^(a+)+$", "^(|a)+$", "(a?){5}a{5}", "^(?:x|yy){2,3}$", "a+?b??"],
  ...["\\bfoo\\b", "o\\B", "^\\d{3}-\\d{4}$", "^[\\w.]+@[\\w.]+$", "(?<n>ab)+c?", "\\x61\\u0062"],
  ...["^\\p{Lu}.$", "^😀{2}$", "^[😀é]+$", "\\u{1f600}", "\\ud83d\\ude00", "[\\d\\-]{2}", "^a.c"],
];

test("match like RegExp", () => {
  const random = new Random();
  let matches = 0;
  for (const source of PATTERNS) {
    const [ours, theirs] = [linearPattern(source), new RegExp(source, "u")];
    for (let round = 0; round < ROUNDS; round++) {
      const length = random.below(9);
      const text = Array.from({ length }, () => random.of(CHARACTERS)).join("");
      assert.is(ours(text), theirs.test(text), `seed ${SEED}: /${source}/ ${JSON.stringify(text)}`);
      matches += Number(ours(text));
    }
  }
  assert.ok(matches > PATTERNS.length);
});

test("take linear time for any text", () => {
  for (const source of ["^(a+)+$", "^(a|a)*$", "^(a?){30}a{30}$", "(.*)(.*)(.*)(.*)x"]) {
    const text = `${"a".repeat(source.startsWith("(") ? 3000 : 20_000)}!`;
    assert.is(linearPattern(source)(text), false, source);
  }
});

test("reject patterns that need backtracking or are too long", () => {
  const rejectedPatterns: readonly (readonly [string, RegExp])[] = [
    ["(a)\\1", /uses a backreference/],
    ["(?<n>a)\\k<n>", /uses a backreference/],
    ["(?=a)", /uses lookaround/],
    ["(?<!a)b", /uses lookaround/],
    ["a{99999}", /exceeds 2000 instructions/],
    ["((a{100}){100}){100}", /exceeds 2000 instructions/],
    [`${"(".repeat(60)}a${")".repeat(60)}`, /too deeply/],
    ["[z-a]", /not a valid regular expression: Range out of order/],
    ["(", /not a valid regular expression/],
  ];
  for (const [source, words] of rejectedPatterns) {
    try {
      linearPattern(source);
      assert.unreachable(source);
    } catch (error) {
      assert.instance(error, PatternError, source);
      assert.match((error as Error).message, words);
    }
  }
});

test.run();
