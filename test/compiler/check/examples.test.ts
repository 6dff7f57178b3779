// Calls in examples that the plugin would reject: messages and positions.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { checkPlugins } from "../../../compiler/check/check-plugins.js";
import { sortDiagnostics } from "../../../compiler/diagnostics/sort.js";
import { marks, readSource } from "../reading.js";

const test = suite("invalid examples");

const TYPES = `
interface Point { x: float; y: float; label?: str }
type Form = { kind: "circle"; r: float } | { kind: "square"; side: float };
type Either = { a: int } | { b: int };
enum Mode { fast = "fast", exact = "exact" }
`;
const SEARCH = `export function search(
  request: PluginRequest, q: str, n: int = 10, at?: Point, form?: Form, mode: Mode = Mode.fast,
  list?: int[], either?: Either, pair?: [int, str?], exact?: boolean, version?: \`v\${number}\`,
  nothing?: null, any?: json, raw?: bytes, content?: { file: str } | null,
) { return q; }
`;

/** Each diagnostic as `underlined text: message (help)`. */
function findings(comment: string): string[] {
  const source = `${TYPES}${comment}\n${SEARCH}`;
  const result = readSource(source);
  const rules = checkPlugins(result.plugins, result.types, { executors: 1 });
  const diagnostics = sortDiagnostics([...result.diagnostics, ...rules]);
  const places = marks({ ...result, diagnostics }, source.replaceAll("\r", ""));
  return diagnostics.map(({ severity, message, help }, index) => {
    assert.is(severity, "error");
    return `${places[index]}: ${message} (${help})`;
  });
}

/** A documentation comment with one-line examples. */
function makeComment(lines: readonly string[]): string {
  return `/**\n * @plugin\n${lines.map((line) => ` * @example ${line}\n`).join("")} */`;
}

/** Asserts the only diagnostic of each example. */
function expectEach(cases: readonly (readonly [line: string, expected: string])[]): void {
  assert.equal(
    findings(makeComment(cases.map(([line]) => line))),
    cases.map(([, expected]) => `SVC1047 ${expected}`),
  );
}

test("accept valid calls of each form", () => {
  const lines = [
    ...['?q=a&n=2&at={"x":1,"y":2}', "?q=a&n=(int)2", "?q=1", "?q=a&version=v1&mode=exact"],
    ...["?q=a&exact=true&nothing", "?q&exact", "?q=a&raw=%FF", "?q=a&list=[1]&any={}", "?q=%28"],
    ...["curl -G http://a/plugin/search -d q=a", "http://a/plugin/search?q=a&n=2#first"],
    ...['search({ q: "a", content: { file: "f" } })', "search({ q, n: limit, at: { x, y: 1 } })"],
    ...["search({ ...all })", 'search({ q: "a", form: { kind: "circle", r: 1 } })'],
    ...['search({ q: "a", either: { a: 1, b: 2 } })', "search({ q: 'a', pair: [1] })"],
    ...["search({ q: 'a', mode: Mode.exact })", "search({ q: 'a', form: { kind: any } })"],
    ...["search({ q: 'a', raw: 'b' })", "search({ q: 'a', list: [one, 2] })"],
    ...["search(request, 'a')", "search(request, 'a', 1, here)", "search(request, ...rest)"],
  ];
  assert.equal(findings(makeComment(lines)), []);
});

test("report unknown parameters", () => {
  const unknownParameter = "`search` has no parameter";
  const query =
    "`q`, `n`, `at`, `form`, `mode`, `list`, `either`, `pair`, `exact`, `version`, `nothing`, " +
    "`any`, `raw`";
  expectEach([
    [
      'search({ q: "a", exat: true })',
      `exat: ${unknownParameter} \`exat\`, did you mean \`exact\`? (one of ${query}, \`content\`)`,
    ],
    ["?q=a&lits=1", `lits: ${unknownParameter} \`lits\`, did you mean \`list\`? (one of ${query})`],
    ["?q=a&content=1", `content: ${unknownParameter} \`content\` (one of ${query})`],
    ["?q=a&request=1", `request: ${unknownParameter} \`request\` (one of ${query})`],
    ["?q=a&%61bcdefgh=1", `%61bcdefgh: ${unknownParameter} \`abcdefgh\` (one of ${query})`],
    [
      `search(request, ${"x, ".repeat(14)}last)`,
      "last: `search` takes at most 15 arguments (remove this argument)",
    ],
  ]);
});

test("report missing parameters", () => {
  const missing = "`search` requires `q`, which this call omits (`q: str`)";
  expectEach([
    ["search()", `search: ${missing}`],
    ["await shop.search({ n: 1 })", `search: ${missing}`],
    ["await shop.searchRaw({ n: 1 })", `searchRaw: ${missing}`],
    ["search(request)", `search: ${missing}`],
    ["search(request, undefined)", `search: ${missing}`],
    ["?n=1", `?: ${missing}`],
    ["curl 'http://a/plugin/search'", `http://a/plugin/search: ${missing}`],
  ]);
});

test("report values of another type with their path", () => {
  expectEach([
    ['search({ q: "a", n: 1.5 })', "1.5: `n` must be an integer, not `1.5` (`n: int`)"],
    ['search({ q: "a", n: "two" })', '"two": `n` must be an integer, not `"two"` (`n: int`)'],
    ["search(request, 5)", "5: `q` must be a string, not `5` (`q: str`)"],
    ["search({ q: null })", "null: `q` must be a string, not `null` (`q: str`)"],
    [
      'search({ q: "a", at: { x: "1", y } })',
      '"1": `at.x` must be a number, not `"1"` (`at: Point`)',
    ],
    [
      'search({ q: "a", at: { x: 1 } })',
      "{ x: 1 }: `at.y` must be a number, and is missing (`at: Point`)",
    ],
    [
      'search({ q: "a", at: { x: 1, y: 2, lable: "" } })',
      "lable: `at` has no `lable`, did you mean `label`? (one of `x`, `y`, `label`)",
    ],
    [
      'search({ q: "a", list: [1, 2, "3"] })',
      '"3": `list[2]` must be an integer, not `"3"` (`list: int[]`)',
    ],
    [
      'search({ q: "a", pair: [1, "b", 3] })',
      '[1, "b", 3]: `pair` must be an array of 1 to 2, not `[1,"b",3]` (`pair: [int, str?]`)',
    ],
    [
      'search({ q: "a", version: "x1" })',
      '"x1": `version` must be a string like ' +
        "^v[+-]?(?:\\d+(?:\\.\\d*)?|\\.\\d+)(?:[eE][+-]?\\d+)?$, " +
        `not \`"x1"\` (\`version: \`v\${number}\`\`)`,
    ],
    [
      'search({ q: "a", content: { file: 1 } })',
      "1: `content.file` must be a string, not `1` (a value of the type of `content`)",
    ],
  ]);
});

test("discriminate unions as at run time", () => {
  expectEach([
    [
      'search({ q: "a", mode: "fst" })',
      '"fst": `mode` must be one of "fast", "exact", not `"fst"` (`mode: Mode`)',
    ],
    [
      'search({ q: "a", form: { kind: "square", r: 1 } })',
      '{ kind: "square", r: 1 }: `form.side` must be a number, and is missing (`form: Form`)',
    ],
    [
      'search({ q: "a", form: { kind: "oval" } })',
      '"oval": `form.kind` must be one of "circle", "square", not `"oval"` (`form: Form`)',
    ],
    [
      'search({ q: "a", either: { c: 1 } })',
      '{ c: 1 }: `either` must be an object, not `{"c":1}` (`either: Either`)',
    ],
  ]);
});

test("report strings that a parameter cannot be parsed from", () => {
  expectEach([
    ["?q=a&n=two", "two: `n` must be an integer, not `two` (`n: int`)"],
    [
      "?q=a&n=9007199254740992",
      "9007199254740992: `n` must be an integer, not " + "`9007199254740992` (`n: int`)",
    ],
    ["?q=a&at={x:1}", "{x:1}: `at` must be JSON, not `{x:1}` (`at: Point`)"],
    ["?q=%FF", "%FF: `q` must be valid percent-encoding, not `%FF` (`q: str`)"],
    ['?q=a&at={"x":1}', '{"x":1}: `at.y` must be a number, and is missing (`at: Point`)'],
    ["?q=a&mode=slow", 'slow: `mode` must be one of "fast", "exact", not `"slow"` (`mode: Mode`)'],
    ["?q=a&n", "n: `n` must be an integer, and has no value (`n: int`)"],
    ["?q=a&at", "at: `at` must be a value, and has no value (`at: Point`)"],
  ]);
});

test("report a missing body and an unexpected one", () => {
  const source = `
/**
 * @plugin
 * @example load({})
 * @example ?
 * @example curl -d '{}' /plugin/load
 * @example load({ content: body })
 * @example load(request, null)
 */
export function load(request: PluginRequest, content: { file: str }) { return content; }
/**
 * @plugin
 * @example store({})
 * @example store({ content: 5 })
 * @example store(request, null)
 */
export function store(request: PluginRequest, content: str) { return content; }
`;
  const result = readSource(source);
  const diagnostics = checkPlugins(result.plugins, result.types, { executors: 1 });
  assert.equal(marks({ ...result, diagnostics }, source), ["SVC1047 load", "SVC1047 5"]);
});

test("allow another name for a server argument in the signature", () => {
  const source = `
/**
 * @plugin
 * @example f(request, "a")
 * @example f(request, 1)
 */
export function f(_request: PluginRequest, q: str) { return q; }
/**
 * @plugin
 * @example g({ r: 1 })
 */
export function g(request: PluginRequest, { q }: { q: str }) { return q; }
`;
  const result = readSource(source);
  const rules = checkPlugins(result.plugins, result.types, { executors: 1 });
  const diagnostics = sortDiagnostics([...result.diagnostics, ...rules]);
  // A parse error reports nothing about examples.
  assert.equal(marks({ ...result, diagnostics }, source), ["SVC1047 1", "SVC1013 { q }"]);
});

test("reject literals for server arguments", () => {
  expectEach([
    [
      'search("a")',
      '"a": `request` comes first, and a literal cannot be one ' +
        "(`search(request, ...)`, or `search({ ... })`)",
    ],
  ]);
});

test("have correct positions in any comment", () => {
  const expected = ["SVC1047 two: `n` must be an integer, not `two` (`n: int`)"];
  const comments = [
    "/** @plugin @example ?q=a&n=two */",
    "  /**\n   * @plugin\n   * @example ?q=a&n=two\n   */",
    "/**\n@plugin\n@example\n?q=a&n=two\n*/",
    "/**\n\t* @plugin\n\t*\t@example <caption>ünï 😀 two\n\t* two</caption>\n\t*\t?q=a&n=two\n*/",
    "/**\n * @plugin\n * @example two?\n * ```sh\n * curl '?q=a&n=two'\n * ```\n * two\n */",
    "/**\n * @plugin\n * @example a\n *\n * @example\n *\n * ?q=a&n=two\n * @returns two */",
  ];
  for (const comment of comments) {
    assert.equal(findings(comment), expected, comment);
    assert.equal(findings(comment.replaceAll("\n", "\r\n")), expected, comment);
  }
});

test("underline the first line of a multi-line value", () => {
  const lines = ["@example", "search({", '  q: "a",', "  at: {", "    x: 1,", "  },", "})"];
  const messages = findings(`/**\n * @plugin\n${lines.map((line) => ` * ${line}\n`).join("")} */`);
  assert.equal(messages, ["SVC1047 {: `at.y` must be a number, and is missing (`at: Point`)"]);
});

test.run();
