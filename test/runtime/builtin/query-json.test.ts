// Query arguments as text: where names of constants are allowed, and what is rejected.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { ParameterError } from "../../../runtime/base/errors.js";
import {
  constantParameter,
  queryArgument,
  queryFromText,
} from "../../../runtime/builtin/query-json.js";
import { ValueError } from "../../../runtime/graph/model/errors.js";

const test = suite("query json");

const QUERIES: readonly (readonly [given: object, expected: object])[] = [
  [{ sortby: "S_VAL|S_ASC" }, { sortby: 17 }],
  [
    { fields: "F_ID | F_VAL", result: "R_DICT|R_COUNTS" },
    { fields: 2052, result: 2952790016 },
  ],
  [
    { arc: "D_IN", collect: "C_SCAN" },
    { arc: 1, collect: [false, "*"] },
  ],
  [{ arc: ["D_OUT", "D_OUT", "M_INT", "V_GT", 5] }, { arc: ["D_OUT", 2, 5, 6, 5] }],
  [
    { sortby: "C_SCAN|S_ASC", fields: "F_ID|NO_SUCH" },
    { sortby: "C_SCAN|S_ASC", fields: "F_ID|NO_SUCH" },
  ],
  [{ arc: [false, [null, "D_ANY"]] }, { arc: [false, [null, 0]] }],
  [{ arc: { rel: "D_IN", dir: "D_IN", mod: "M_CNT" } }, { arc: { rel: "D_IN", dir: 1, mod: 8 } }],
  [
    { id: "D_OUT", neighbor: "M_INT" },
    { id: "D_OUT", neighbor: "M_INT" },
  ],
  [
    { condition: { property: { V_GT: ["V_GT", 5], a: "V_GT" }, type: ["V_NEQ", "V_EQ"] } },
    { condition: { property: { V_GT: [6, 5], a: "V_GT" }, type: [14, "V_EQ"] } },
  ],
  [
    {
      condition: {
        degree: ["V_GT", 1],
        indegree: [
          ["r", "D_IN"],
          ["V_LT", 4],
        ],
      },
    },
    {
      condition: {
        degree: [6, 1],
        indegree: [
          ["r", 1],
          [10, 4],
        ],
      },
    },
  ],
  [
    { neighbor: [false, { adjacent: ["r", "D_OUT"], traverse: { collect: "C_NONE" } }] },
    { neighbor: [false, { adjacent: ["r", 2], traverse: { collect: false } }] },
  ],
  [
    { neighbor: ["a", "b"], hits: 3 },
    { neighbor: ["a", "b"], hits: 3 },
  ],
];

for (const [input, expected] of QUERIES) {
  test(`reads ${JSON.stringify(input)}`, () => {
    assert.equal(queryFromText(JSON.stringify(input)), expected);
  });
}

test("reads constants without quotes", () => {
  const text = '{"result": R_DICT|R_COUNTS, "arc": ["a \\" D_IN", D_OUT], "id": "S_ID"}';
  assert.equal(queryFromText(text), { result: 2952790016, arc: ['a " D_IN', 2], id: "S_ID" });
});

test("keeps queries away from prototypes", () => {
  const query = queryFromText('{"__proto__": {"arc": "D_IN"}, "constructor": "D_IN"}');
  assert.is(Object.getPrototypeOf(query), Object.prototype);
  assert.ok(Object.hasOwn(query, "__proto__"));
  assert.is(query.arc, undefined);
  assert.is(query.constructor, "D_IN");
});

test("counts nesting before the text is parsed", () => {
  const deep = `${'{"a":'.repeat(600)}1${"}".repeat(600)}`;
  const inList = `${"[".repeat(600)}${"]".repeat(600)}`;
  for (const text of [deep, `{"in":${inList}}`]) {
    assert.throws(() => queryFromText(text), /nested deeper than 500 levels/);
    assert.throws(() => queryArgument("condition", text), /nested deeper than 500 levels/);
  }
});

const DEEP = `${'{"neighbor":'.repeat(70)}null${"}".repeat(70)}`;
for (const text of ["", "{", "[]", "null", "eval(1)", DEEP, `{"id":"${"x".repeat(140_000)}"}`]) {
  test(`rejects ${text.slice(0, 20)}`, () => {
    assert.throws(
      () => queryFromText(text),
      (error: unknown) => error instanceof ValueError && error.message.startsWith("Bad query: "),
    );
  });
}

const ARGUMENTS: readonly (readonly [name: string, text: string, expected: unknown])[] = [
  ["sortby", "S_ID|S_DESC", 514],
  ["hits", "5", 5],
  ["arc", "knows", "knows"],
  ["arc", '["knows","D_IN"]', ["knows", 1]],
  ["id", "17", "17"],
  ["id", "[a", "[a"],
  ["select", "[x", "[x"],
  ["neighbor", "2nd", "2nd"],
  ["neighbor", "null", null],
  ["limexec", "true", true],
];

for (const [name, text, expected] of ARGUMENTS) {
  test(`reads ${name}=${text}`, () => assert.equal(queryArgument(name, text), expected));
}

test("rejects invalid JSON in the URL", () => {
  assert.throws(
    () => queryArgument("arc", "[1"),
    (error: unknown) => error instanceof ValueError,
  );
});

test("accepts the constants of each parameter", () => {
  assert.is(constantParameter("modifier", "M_INT|M_FWDONLY", "M_"), 2053);
  assert.is(constantParameter("direction", "D_ANY", "D_"), 0);
  for (const text of ["", "5", "D_OUT", "M_INT|D_OUT", "M_NO", "M_", "M_INT|", "__proto__"]) {
    assert.throws(
      () => constantParameter("modifier", text, "M_"),
      (error: unknown) => error instanceof ParameterError && error.exceptionName === "ValueError",
    );
  }
  assert.throws(() => constantParameter("collect", "C_SCAN", "C_"), /constant C_… is required/);
});

test.run();
