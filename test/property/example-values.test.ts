// The compiler parses queries in examples like the generated readers of servers parse requests.
// Random types, random texts; the seed is printed on a difference.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { CheckFunctions } from "../../compiler/emit/check-functions.js";
import { parameterReader } from "../../compiler/emit/converters.js";
import { convertText } from "../../compiler/read/convert-text.js";
import { readUnionShape } from "../../compiler/read/union-shape.js";
import { toWireType } from "../../compiler/read/wire.js";
import { unionMembers } from "../../compiler/record/admits.js";
import type { UserParam } from "../../compiler/record/plugin-record.js";
import type { TypeShape } from "../../compiler/record/type-shape.js";
import * as convert from "../../runtime/plugin/convert.js";
import type { ParamReader } from "../../runtime/plugin/request/query-values.js";
import { user } from "../compiler/emit/records.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const ROUNDS = rounds(400);
const TEXTS = 50;
const PIECES = [
  ...["1", "23", "9007199254740991", "9007199254740992", "0", "-", "+", ".", "e", "E5", "e400"],
  ...["(int)", "(float)", "(q)", "(d)", "(int", '"a"', "[", "]", "{}", ",", "true", "null", " "],
  ...["a", "Infinity", "NaN", "0x1", "ü"],
];
const LEAVES: readonly TypeShape[] = [
  ...([{ kind: "int" }, { kind: "float" }, { kind: "str" }, { kind: "bool" }] as const),
  ...([{ kind: "null" }, { kind: "json" }] as const),
  ...["a", "true", "1", "", 1, 2.5, true].map((value) => ({ kind: "literal", value }) as const),
  { kind: "pattern", source: "^a.*$" },
  { kind: "array", items: { kind: "json" } },
  { kind: "object", properties: [], additional: { kind: "json" } },
];

const test = suite("example query values");

test("are parsed like on a server", () => {
  const random = new Random();
  let converted = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const param = randomParam(random);
    const read = compile(param);
    const { wire, shape, untyped = false } = param;
    const type = { wire, untyped, members: unionMembers(shape, {}) };
    for (let n = 0; n < TEXTS; n++) {
      const isBare = random.below(10) === 0;
      const text = [random.of(PIECES), ...random.list(3, () => random.of(PIECES))].join("");
      const query = isBare ? "x" : `x=${encodeURIComponent(text)}`;
      const actual = convertText(isBare ? null : text, type);
      const label = `seed ${SEED}: ${JSON.stringify({ query, param, found: actual })}`;
      let value: unknown;
      try {
        value = read(query, 1);
      } catch (error) {
        assert.is((error as Error).name, "ParameterError", label);
        continue;
      }
      // No server accepts a value that the compiler cannot convert; another rule detects values
      // outside of their type, as this one may be.
      assert.equal(actual, { value }, label);
      converted++;
    }
  }
  assert.ok(converted > (ROUNDS * TEXTS) / 10, `seed ${SEED}: ${converted}`);
});

function randomParam(random: Random): UserParam {
  if (random.below(10) === 0) return user("x", "str", { untyped: true });
  const shape = readUnionShape(random.list(3, () => random.of(LEAVES)).concat(random.of(LEAVES)));
  return user("x", toWireType(shape, new Map()), { shape });
}

function compile(param: UserParam): ParamReader {
  const checks = new CheckFunctions({});
  const read = parameterReader(param, {}, checks);
  const code = `${checks.emit()}\nreturn (query, at) => ${read};`;
  return new Function(...Object.keys(convert), code)(...Object.values(convert)) as ParamReader;
}

test.run();
