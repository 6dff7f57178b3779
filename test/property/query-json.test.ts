// Query texts of clients: random ones parse like JSON once each name is quoted; malformed and
// hostile ones are rejected as invalid queries in linear time. ROUNDS=n for more than the default.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { queryArgument, queryFromText } from "../../runtime/builtin/query-json.js";
import { ValueError } from "../../runtime/graph/model/errors.js";
import { rounds } from "../support/rounds.js";
import { Random, SEED } from "./support/random.js";

const test = suite("query texts");
const ROUNDS = rounds(3000);
const TEXTS = [
  "a",
  "D_IN",
  'x" D_OUT',
  "\\",
  '\\"',
  "S_VAL|S_ASC",
  "{}",
  "\u2615",
  "",
  "__proto__",
];
const CONSTANTS = ["D_OUT", "M_INT", "V_GT", "R_DICT|R_COUNTS", "F_ID | F_VAL", "C_SCAN"];
/** Members whose values are not translated, so that they are parsed as written. */
const MEMBERS = ["q", "x y", "F_ID", "a\\b", "hits"];

/** The same value as text with unquoted constants, and as JSON. */
interface Written {
  readonly bare: string;
  readonly quoted: string;
}

function written(random: Random, depth: number): Written {
  const kind = random.below(depth > 0 ? 6 : 4);
  if (kind === 0) return same(JSON.stringify(random.of(TEXTS)));
  if (kind === 1) return same(random.of(["0", "-1.5e3", "true", "false", "null", "17"]));
  if (kind <= 3) {
    const constant = random.of(CONSTANTS);
    return { bare: constant, quoted: JSON.stringify(constant) };
  }
  const items = Array.from({ length: random.below(4) }, () => written(random, depth - 1));
  return kind === 4 ? enclosed("[", items, "]") : enclosed("{", items.map(asMember), "}");
}

function same(text: string): Written {
  return { bare: text, quoted: text };
}

function enclosed(open: string, items: readonly Written[], close: string): Written {
  const join = (texts: readonly string[]): string => `${open} ${texts.join(" ,")}${close}`;
  return { bare: join(items.map(({ bare }) => bare)), quoted: join(items.map((i) => i.quoted)) };
}

function asMember({ bare, quoted }: Written, index: number): Written {
  const name = JSON.stringify(MEMBERS[index]!);
  return { bare: `${name}:${bare}`, quoted: `${name}: ${quoted}` };
}

/** An object of random members. */
function writtenQuery(random: Random): Written {
  const members = Array.from({ length: random.below(5) }, () => written(random, 4));
  return enclosed("{", members.map(asMember), "}");
}

test("accept unquoted constants wherever a value is allowed", () => {
  for (let round = 0; round < ROUNDS; round++) {
    const { bare, quoted } = writtenQuery(new Random(SEED + round));
    const hint = `seed ${SEED + round}: ${bare}`;
    assert.equal(queryFromText(bare), queryFromText(quoted), hint);
    assert.equal(queryFromText(bare), JSON.parse(quoted), hint);
  }
});

/** Parses a text in each way; true if it is a query. */
function isQuery(text: string): boolean {
  try {
    queryArgument("arc", text);
  } catch (error) {
    assert.instance(error, ValueError);
  }
  try {
    queryFromText(text);
    return true;
  } catch (error) {
    assert.instance(error, ValueError);
    assert.match((error as Error).message, /^Bad query: .*\(original exception=.+\)$/s);
    assert.ok((error as Error).message.length < 500);
    return false;
  }
}

const PIECES = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  "|",
  "D_IN",
  "-",
  "1",
  " ",
  "\n",
  "\0",
  "e",
];

test("are valid or rejected after random corruption", () => {
  let queries = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const random = new Random(SEED + round);
    let text = writtenQuery(random).bare;
    for (let broken = random.below(3); broken >= 0; broken--) {
      const offset = random.below(text.length + 1);
      text = text.slice(0, offset) + random.of(PIECES) + text.slice(offset + random.below(3));
    }
    if (isQuery(text)) queries++;
  }
  assert.ok(queries > 0 && queries < ROUNDS, `${queries} of ${ROUNDS}`);
});

const LONG = 120_000;

test("are rejected in linear time when the end is invalid", () => {
  for (const piece of ['"', '\\"', "\\", "[", '{"a":', "D_IN", "D_IN ", "D_IN|", "A_", "|", " "]) {
    const text = piece.repeat(LONG / piece.length);
    for (const hostile of [text, `{"${text}`, `{"a": ${text}`, `{"a": D_IN ${text}`]) {
      assert.is(isQuery(hostile), false, piece);
    }
  }
  const deep = "[".repeat(LONG / 2) + "]".repeat(LONG / 2);
  assert.is(isQuery(`{"a": ${deep}}`), false);
  assert.is(isQuery(`{"a": "${'\\"'.repeat(LONG / 2)}"}`), true);
});

test.run();
