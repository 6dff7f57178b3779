// The report of `svc argspec diff`: its order, its messages, and ignored differences.

import { suite } from "uvu";
import * as assert from "uvu/assert";
import { diffArgspecs } from "../../../argspec/diff/diff-argspecs.js";
import { diffReport } from "../../../cli/contract/diff-report.js";
import {
  anyOf,
  arraySchema,
  INTEGER,
  makeArgspec,
  NULL,
  NUMBER,
  objectSchema,
  param,
  refTo,
  STRING,
} from "./contracts.js";

const test = suite("argspec differences");

const City = objectSchema({ name: STRING, at: refTo("Point") });
const PREVIOUS = makeArgspec({
  plugins: [
    { name: "near", params: [param({ wire: "json", schema: refTo("Point"), name: "at" })] },
    {
      name: "find",
      params: [param({ schema: anyOf(INTEGER, NULL) })],
      result: { kind: "response", sortkey: INTEGER, item: refTo("City"), meta: true },
    },
    { name: "feed" },
  ],
  $defs: { City, Point: objectSchema({ x: NUMBER, y: NUMBER }) },
});
const CURRENT = makeArgspec({
  plugins: [
    { name: "near", params: [param({ wire: "json", schema: refTo("Point"), name: "at" })] },
    {
      name: "find",
      params: [param()],
      result: { kind: "response", sortkey: INTEGER, item: refTo("City"), meta: true },
      deprecated: true,
    },
    { name: "zoom" },
  ],
  $defs: { City, Point: objectSchema({ x: NUMBER, "y?": NUMBER }) },
});

test("are sorted by severity, then by plugin", () => {
  assert.equal(
    diffArgspecs(PREVIOUS, CURRENT).map(({ message }) => message),
    [
      "feed is gone",
      "find: limit accepts fewer values: integer | null -> integer",
      "find: result.item.at.y can have values of other types: number -> optional number",
      "near: at.y accepts more values: number -> optional number",
      "zoom is new",
      "find is deprecated",
    ],
  );
});

test("are printed on one line each", () => {
  const report = diffReport(diffArgspecs(PREVIOUS, CURRENT), { color: false });
  assert.fixture(
    report,
    `breaking
  feed                    is gone
  find  limit             accepts fewer values            integer | null -> integer
  find  result.item.at.y  can have values of other types  number -> optional number

compatible
  near  at.y              accepts more values             number -> optional number
  zoom                    is new

docs
  find                    is deprecated

4 plugins: 3 breaking, 2 compatible, 1 docs
`,
  );
  const colored = diffReport(diffArgspecs(PREVIOUS, CURRENT), { color: true });
  assert.match(colored, "\u001b[31mbreaking\u001b[39m\n");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI color codes
  assert.is(colored.replace(/\u001b\[\d+m/g, ""), report);
  assert.is(diffReport([], { color: true }), "no changes\n");
});

test("keep their columns when a path is long", () => {
  const deep = (end: typeof STRING) => {
    let schema = end;
    for (let depth = 0; depth < 20; depth++) schema = objectSchema({ inner: schema });
    return makeArgspec({ plugins: [{ name: "deep", result: { kind: "value", schema } }] });
  };
  const [change] = diffArgspecs(deep(STRING), deep(NUMBER));
  assert.is(change!.path, `result${".inner".repeat(20)}`);
  const line = diffReport([change!], { color: false }).split("\n")[1]!;
  assert.match(
    line,
    /^ {2}deep {2}result(\.inner)+\S*… {2}can have values of other types {2}string -> /,
  );
  assert.ok(line.length < 160, line);
});

test("are printed however many there are", () => {
  const [change] = diffArgspecs(PREVIOUS, CURRENT);
  const report = diffReport(Array(300_000).fill(change), { color: false });
  assert.match(report, "1 plugin: 300000 breaking, 0 compatible, 0 docs");
});

test("ignore names of types, order and positions", () => {
  const previousArgspec = makeArgspec({
    plugins: [
      {
        name: "near",
        params: [param(), param({ name: "from", wire: "json", schema: refTo("Point") })],
      },
      { name: "find", result: { kind: "value", schema: arraySchema(refTo("Point")) } },
    ],
    $defs: { Point: objectSchema({ x: NUMBER, y: NUMBER }) },
  });
  const point = objectSchema({ y: NUMBER, x: NUMBER });
  const currentArgspec = makeArgspec({
    hash: "1".repeat(64),
    plugins: [
      {
        name: "find",
        result: { kind: "value", schema: arraySchema(point) },
        source: { file: "plugins/find.ts", line: 3, column: 1 },
      },
      {
        name: "near",
        params: [param({ name: "from", wire: "json", schema: refTo("Place") }), param()],
      },
    ],
    $defs: { Place: point, Unused: STRING },
  });
  assert.equal(diffArgspecs(previousArgspec, currentArgspec), []);
  assert.equal(diffArgspecs(currentArgspec, previousArgspec), []);
});

test("treat processors that replace an engine as the same plugin", () => {
  const result = { kind: "value", schema: STRING } as const;
  const previousArgspec = makeArgspec({ plugins: [{ params: [param()], result }] });
  const currentArgspec = makeArgspec({
    plugins: [
      { role: "pre", params: [param()], result: { kind: "request" } },
      { role: "post", result },
    ],
  });
  assert.equal(
    diffArgspecs(previousArgspec, currentArgspec).map(({ rule }) => rule),
    ["plugin-roles"],
  );
});

test.run();
