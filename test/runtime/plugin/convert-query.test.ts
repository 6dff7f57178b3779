// Conversion of query strings to values: every rule of the interface (http-interface, "Plugin
// execution") and its corner cases.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import type { Wire } from "../../../argspec/wire.js";
import { ParameterError } from "../../../runtime/base/errors.js";
import {
  createParamReader,
  keyEnd,
  missing,
  parseParams,
  readBytes,
  readFloat,
  readInt,
  readJson,
  readStr,
  readUnionValue,
  readUntyped,
  skipQuery,
} from "../../../runtime/plugin/convert.js";
import type { ParamReader } from "../../../runtime/plugin/request/query-values.js";

const test = suite("convert: query");

/** Runs a reader on the single pair `k<rest>`. */
function read<T>(reader: (query: string, name: string, equals: number) => T, pair: string): T {
  return reader(pair, "k", keyEnd(pair, 0));
}

function fails(run: () => unknown, exceptionName: string, message: string | RegExp): void {
  try {
    run();
  } catch (error) {
    assert.instance(error, ParameterError);
    assert.is((error as ParameterError).exceptionName, exceptionName);
    assert.match((error as ParameterError).message, message);
    return;
  }
  assert.unreachable("should have failed");
}

function params(query: string, wires: Record<string, Wire> = {}): Record<string, unknown> {
  return { ...parseParams(query, makeReaders(wires)) };
}

function makeReaders(wires: Record<string, Wire>): Record<string, ParamReader> {
  return Object.fromEntries(
    Object.entries(wires).map(([name, wire]) => [name, createParamReader(name, wire)]),
  );
}

test("reads integers", () => {
  const cases: [string, number][] = [
    ["0", 0],
    ["-0", 0],
    ["7", 7],
    ["-42", -42],
    ["%2B5", 5],
    ["007", 7],
    ["%31%32", 12],
    ["9007199254740991", 9007199254740991],
    ["-9007199254740991", -9007199254740991],
    ["000000000000000000000012", 12],
  ];
  for (const [text, value] of cases) {
    assert.is(read(readInt, `k=${text}`), value, text);
  }
});

test("rejects strings that are not integers", () => {
  for (const text of ["", "-", "abc", "1.0", "1e3", "0x10", " 1", "1 ", "--1", "1-", "Infinity"]) {
    const escaped = text.replaceAll(" ", "%20");
    fails(
      () => read(readInt, `k=${escaped}`),
      "TypeError",
      `k=${text} (an integer is required)`.slice(0, 200),
    );
  }
  fails(() => read(readInt, "k=+5"), "TypeError", "k= 5 (an integer is required)");
  fails(() => read(readInt, "k=9007199254740992"), "TypeError", /^k=9007199254740992 \(an integer/);
  fails(() => read(readInt, `k=${"9".repeat(400)}`), "TypeError", /^k=9{100}… \(an integer/);
});

test("reads floats as the nearest double, on the fast and the slow path", () => {
  const texts = ["0", "1", "-1.5", "3.14159", ".5", "5.", "1e3", "1E-3", "-2.5e+2", "0.1", "0.3"];
  texts.push("123456789012345", "1234567.890123456789", "0.000001", "4.35", "1.005", "2.675");
  for (const text of texts) {
    assert.is(read(readFloat, `k=${text.replace("+", "%2B")}`), Number(text), text);
  }
  let seed = 12345;
  for (let round = 0; round < 2000; round++) {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const text = `${seed % 100000}.${String(seed).slice(0, seed % 9)}`;
    assert.is(read(readFloat, `k=${text}`), Number(text), text);
  }
});

test("rejects strings that are not decimal numbers", () => {
  for (const text of [
    "",
    ".",
    "-",
    "-.",
    "abc",
    "NaN",
    "Infinity",
    "0x1",
    "1.2.3",
    "1e",
    "1e999",
  ]) {
    fails(() => read(readFloat, `k=${text}`), "TypeError", `k=${text} (a number is required)`);
  }
});

test("reads strings: blanks, escapes, UTF-8", () => {
  assert.is(read(readStr, "k=abc&x=1"), "abc");
  assert.is(read(readStr, "k="), "");
  assert.is(read(readStr, "k=a+b%20c%26%3D"), "a b c&=");
  assert.is(read(readStr, "k=a=b"), "a=b");
  assert.is(read(readStr, "k=%C3%A4%E2%82%AC%F0%9F%98%80"), "ä€😀");
  assert.is(read(readStr, `k=${Buffer.from("ä").toString("latin1")}`), "ä", "raw UTF-8");
  for (const bad of ["%", "%4", "%zz", "%4g", "a%", "%C3", "%ff", "%ED%A0%80", "%C0%80"]) {
    fails(() => read(readStr, `k=${bad}`), "ValueError", /^bad request parameter$/);
  }
  fails(() => read(readStr, "k=%4&x=1"), "ValueError", "bad request parameter");
});

test("reads a key without `=` by its type", () => {
  for (const pair of ["k", "k&x=1"]) {
    fails(() => read(readInt, pair), "TypeError", /^k \(an integer is required\)$/);
    fails(() => read(readFloat, pair), "TypeError", /^k \(a number is required\)$/);
    assert.is(read(readStr, pair), "");
    assert.is(read(readBytes, pair).length, 0);
    assert.is(read(readJson, pair), null);
    assert.is(read(readUntyped, pair), null);
    const bool = (value: unknown) => (typeof value === "boolean" ? null : " (true or false)");
    assert.is(
      read((...from) => readJson(...from, bool), pair),
      true,
    );
    assert.is(
      read((...from) => readUnionValue(...from, isText), pair),
      "",
    );
    const objectRequired = () => " (an object is required)";
    fails(
      () => read((...from) => readJson(...from, objectRequired), pair),
      "TypeError",
      "k (an object is",
    );
  }
});

const isText = (value: unknown) => (typeof value === "string" ? null : " (a string is required)");

test("reads a union of strings and JSON values: the first valid one wins", () => {
  const either = (query: string, name: string, equals: number) =>
    readUnionValue(query, name, equals, (value) =>
      typeof value === "boolean" || value === 7 || isText(value) === null ? null : " (no)",
    );
  for (const [text, value] of [
    ...[
      ["true", true],
      ["7", 7],
      ["(int)7", 7],
      ["%28float%297", 7],
      ['"true"', "true"],
    ],
    ...[
      ["8", "8"],
      ["(int)8", "(int)8"],
      ["(int)x", "(int)x"],
      ["null", "null"],
      ["", ""],
    ],
    ...[
      ["abc", "abc"],
      ["[1]", "[1]"],
      ['"open', '"open'],
      ["{}", "{}"],
    ],
  ] as const) {
    assert.is(read(either, `k=${text}`), value, text);
  }
  fails(
    () => read((...from) => readUnionValue(...from, () => " (no)"), "k=a"),
    "TypeError",
    "k=a (no)",
  );
});

test("reads percent-encoded bytes that need not be UTF-8", () => {
  const bytes = read(readBytes, "k=a+%00%ff%C3%A4") as Uint8Array;
  assert.equal([...bytes], [97, 32, 0, 255, 0xc3, 0xa4]);
  assert.is(Object.getPrototypeOf(bytes), Uint8Array.prototype);
  assert.is(bytes.buffer.byteLength, 6, "memory of its own");
  fails(() => read(readBytes, "k=%f"), "ValueError", "bad request parameter");
});

test("reads JSON", () => {
  assert.equal(read(readJson, "k=%7B%22a%22:[1,null]%7D"), { a: [1, null] });
  assert.is(read(readJson, "k=null"), null);
  fails(() => read(readJson, "k="), "ValueError", /^k= \(invalid JSON\)$/);
  fails(() => read(readJson, "k={a:1}"), "ValueError", /^k=\{a:1\} \(invalid JSON\)$/);
  fails(
    () => read(readJson, `k=${"[".repeat(5000)}`),
    "ValueError",
    /^k=\[{100}… \(nested deeper than 500 levels\)$/,
  );
});

test("drops `__proto__` in JSON in any spelling", () => {
  for (const key of ["__proto__", "\\u005f_proto__"]) {
    const text = encodeURIComponent(
      `{"${key}":{"polluted":1},"a":{"${key}":{"polluted":1},"b":1}}`,
    );
    const value = read(readJson, `k=${text}`) as { a: object };
    assert.equal(Object.keys(value), ["a"]);
    assert.equal(Object.getOwnPropertyNames(value.a), ["b"]);
    assert.is((value as { polluted?: number }).polluted, undefined);
  }
});

test("accepts a cast before a number, with or without escaped parentheses", () => {
  for (const reader of [readInt, readFloat, readJson, readUntyped]) {
    assert.is(read<unknown>(reader, "k=(int)5"), 5);
    assert.is(read<unknown>(reader, "k=%28int%295"), 5);
    assert.is(read<unknown>(reader, "k=%28q)-5"), -5);
    assert.is(read<unknown>(reader, "k=(float)2"), 2);
    assert.is(read<unknown>(reader, "k=(d)1e2"), 100);
    fails(() => read<unknown>(reader, "k=(int)x"), "TypeError", /^k=\(int\)x \(an integer is req/);
    fails(() => read<unknown>(reader, "k=(int)0x1f"), "TypeError", "an integer is required");
    fails(() => read<unknown>(reader, "k=(q)"), "TypeError", "k=(q) (an integer is required)");
    fails(
      () => read<unknown>(reader, "k=(float)"),
      "TypeError",
      "k=(float) (a number is required)",
    );
    fails(() => read<unknown>(reader, "k=(d)0x1"), "TypeError", "a number is required");
  }
  for (const reader of [readFloat, readJson, readUntyped]) {
    assert.is(read<unknown>(reader, "k=(float)1.5"), 1.5);
  }
  assert.is(read(readUntyped, "k=(integer)5"), "(integer)5");
  assert.is(read(readUntyped, "k=x(int)5"), "x(int)5");
});

test("accepts a cast for an integer if the result is an integer", () => {
  assert.is(read(readInt, "k=(float)-0"), 0);
  assert.is(read(readInt, "k=(float)3e2"), 300);
  for (const text of ["(float)1.5", "(d)1e300", "(float)9007199254740992"]) {
    const escaped = text.replaceAll(/[()]/g, String.raw`\$&`);
    fails(() => read(readInt, `k=${text}`), "TypeError", new RegExp(`^k=${escaped} \\(an integer`));
  }
});

test("keeps casts as text for strings and bytes", () => {
  for (const text of ["(int)5", "%28int%295", "(q)5", "(int)x", "(float)"]) {
    const decodedText = text.replace("%28", "(").replace("%29", ")");
    assert.is(read(readStr, `k=${text}`), decodedText);
    assert.equal(read(readBytes, `k=${text}`), new Uint8Array(Buffer.from(decodedText)));
  }
});

test("params: reads all pairs, converted where a type is known", () => {
  const wires: Record<string, Wire> = { n: "int", x: "float", o: "json", b: "bytes" };
  assert.equal(params("n=1&x=2&o=[3]&b=4&s=5&t=(int)6&u", wires), {
    n: 1,
    x: 2,
    o: [3],
    b: Uint8Array.of(52),
    s: "5",
    t: 6,
    u: null,
  });
  assert.equal(params(""), {});
  assert.equal(params("&&a=1&"), { a: "1" });
  assert.equal(params("%61%3D=1"), { "a=": "1" });
});

test("params: the last of equal keys wins, and only that one is converted", () => {
  assert.equal(params("n=bad&n=2", { n: "int" }), { n: 2 });
  assert.equal(params("s=1&s", { s: "str" }), { s: "" });
  fails(() => params("n=1&n=x", { n: "int" }), "TypeError", "n=x");
});

test("params: accepts names of Object.prototype as plain keys", () => {
  const values = parseParams("__proto__=1&constructor=2&toString=3", {});
  assert.is(Object.getPrototypeOf(values), null);
  assert.equal(Object.keys(values).sort(), ["__proto__", "constructor", "toString"]);
  assert.is(Object.entries(values)[0]?.[1], "1");
  assert.is(values.constructor, "2");
});

test("validates queries that no parameter reads", () => {
  skipQuery("a=1&b&c=%20");
  fails(() => skipQuery("a=%zz"), "ValueError", "bad request parameter");
  fails(() => skipQuery("%zz=1"), "ValueError", "bad request parameter");
  fails(() => skipQuery("x=(int)y"), "TypeError", "x=(int)y (an integer is required)");
});

test("parses random bytes or throws a ParameterError", () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  let state = seed;
  const next = (bound: number) => {
    state = (state * 48271) % 2147483647;
    return state % bound;
  };
  const alphabet = 'ab=&%+0123(int)(d)fF.-eE[]{}"\u00c3\u00a4\u00ff';
  const wires: Record<string, Wire> = { a: "int", b: "json", ab: "float", ba: "bytes" };
  for (let round = 0; round < 5000; round++) {
    const length = next(20);
    let query = "";
    for (let index = 0; index < length; index++) {
      query += alphabet[next(alphabet.length)];
    }
    try {
      parseParams(query, makeReaders(wires));
    } catch (error) {
      assert.instance(error, ParameterError, `seed ${seed}: ${JSON.stringify(query)}: ${error}`);
    }
  }
});

test("names a missing argument", () => {
  fails(() => missing("count"), "TypeError", "missing required argument: 'count'");
});

test.run();
