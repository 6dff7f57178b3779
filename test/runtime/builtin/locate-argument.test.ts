// Places of arguments in the text of a query.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { locateArgument } from "../../../runtime/builtin/locate-argument.js";

const test = suite("locate argument");

const TEXT = `{
  "arc": ["knows", D_OUT, M_INT|M_UINT , {"a": 1}],
  "b{": { "x,y": [1, [2, "]"]], "z": true },
  last: -5
}`;
const rest = (path: string, text = TEXT): string => text.slice(locateArgument(text, path));

test("finds members and items by their path", () => {
  assert.match(rest("arc"), /^\["knows"/);
  assert.match(rest("arc[1]"), /^D_OUT/);
  assert.match(rest("arc[2]"), /^M_INT\|M_UINT/);
  assert.match(rest("arc[3].a"), /^1}/);
  assert.match(rest('["b{"]["x,y"][1][1]'), /^"]"/);
  assert.match(rest('["b{"].z'), /^true/);
  assert.match(rest("last"), /^-5/);
});

test("stops at the last part that exists", () => {
  assert.match(rest("arc[9].x"), /^\["knows"/);
  assert.match(rest("other"), /^{/);
  assert.is(locateArgument("", "a.b"), 0);
  assert.is(locateArgument("  5", "a"), 2);
});

test("terminates for any text", () => {
  for (const text of ['{"a"', "[[[", '{"a": "', "{,,}", "[1 2 3]", '{"a": {"b": [', "}{", "{:}"]) {
    for (const path of ["a", "a.b[1]", "[2]", "zzz"]) {
      const location = locateArgument(text, path);
      assert.ok(location >= 0 && location <= text.length, text);
    }
  }
});

test.run();
