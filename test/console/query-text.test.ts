// The query editor: completions and errors by position.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { completionsAt, findFault, lineAt, locateFault } from "../../console/graph/query-text.js";

const test = suite("console query text");
const NAMES = {
  keys: ["condition", "fields", "filter", "rank"],
  constants: ["F_ID", "F_TYPE", "D_OUT"],
  values: ["rail", "city"],
  expression: ["vertex.id", "random"],
};
/** `|` is the cursor. */
const words = (marked: string): readonly string[] => {
  const cursor = marked.indexOf("|");
  return completionsAt(marked.replace("|", ""), cursor, NAMES).words;
};

test("suggests completions valid at the cursor", () => {
  assert.equal(words(`{"con|`), ["condition"]);
  assert.equal(words(`{"fields": F_|`), ["F_ID", "F_TYPE"]);
  assert.equal(words(`{"arc": "r|"}`), ["rail", "random"]);
  assert.equal(words(`{"filter": "1 + ver|"}`), ["vertex.id"]);
  assert.equal(words(`{"filter": "vertex.i|"}`), ["vertex.id"]);
  assert.equal(words("{|"), []);
  assert.equal(words(`{"fields|"`), []);
  assert.is(completionsAt(`{"con`, 5, NAMES).from, 2);
});

test("reports JSON errors at their position, with and without constants", () => {
  const mistakes: [marked: string, isThere: boolean][] = [
    ["", false],
    [`{"fields": F_ID|F_TYPE, "hits": 5}`, false],
    [`{"fields": F_ID "hits": 5}`, true],
    [`{"a": D_OUT, "b": F_ID, c: 1}`, true],
  ];
  for (const [text, isFaulty] of mistakes) assert.is(findFault(text) !== null, isFaulty, text);
  assert.is(findFault(`{"fields": F_ID "hits": 5}`)!.at, 16);
  assert.is(findFault(`{"a": D_OUT, "b": F_ID, c: 1}`)!.at, 24);
  assert.is(findFault(`{"a": 1`)!.at, 7);
  assert.match(findFault("[1]")!.message, /object/);
});

test("reports the position of an expression error within the query", () => {
  const describe = (expression: string, pos: number) =>
    `Syntax error [ expected operand ] at pos=${pos} (''): x<<<ERROR>>>\n  ${expression}\n  ^`;
  const text = `{"condition":\n {"filter": "vertex['a\\"b'] +"}}`;
  const { at, message } = locateFault(describe(`vertex['a"b'] +`, 16), text, false)!;
  assert.equal([at, message], [text.indexOf("+") + 1, "expected operand"]);
  assert.equal(lineAt(text, at), {
    line: 2,
    column: 30,
    text: ` {"filter": "vertex['a\\"b'] +"}}`,
  });
  assert.is(locateFault(describe("1 +", 4), "1 +", true)!.at, 3);
  assert.is(locateFault("Bad query", text, false), null);
});

test("takes linear time for hostile texts", () => {
  const open = `{"${"\\".repeat(100_000)}`;
  assert.ok(findFault(open) !== null);
  assert.equal(completionsAt(`"${"a".repeat(100_000)}`, 100_001, NAMES).words, []);
  assert.is(locateFault("at pos=5\n  x", open, false)!.at, 0);
});

test.run();
